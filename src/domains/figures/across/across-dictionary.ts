import type { AccountContext, EventHead } from '../../../kernel/context.ts'
import type { ReachableEvent } from '../../tenancy/my-events.ts'
import { readDictionary } from '../dictionary/custom-fields.ts'
import { ENTITIES } from '../dictionary/index.ts'
import type { EntityField } from '../dictionary/types.ts'
import type { DataQuery } from '../query/data-query.ts'
import type { Dictionary } from '../query/plan.ts'

const CUSTOM_PATH = /\bcustom\.[A-Za-z0-9][A-Za-z0-9_-]*/g

/**
 * The dictionary of several events. Custom fields have the type that they have at the latest event; events at which one has another type
 * cannot be in one result with it.
 */
export async function readAcrossDictionary(
  ctx: AccountContext,
  events: readonly ReachableEvent[],
  query: DataQuery,
): Promise<{ dictionary: Dictionary; otherTypes: ReadonlySet<string> }> {
  const paths = [...new Set(JSON.stringify(query).match(CUSTOM_PATH) ?? [])]
  if (paths.length === 0) return { dictionary: ENTITIES, otherTypes: new Set() }
  const found: Record<string, EntityField> = {}
  const otherTypes = new Set<string>()
  for (const event of events.toReversed()) {
    const own = await readDictionary({ ...ctx, event: event as unknown as EventHead })
    for (const path of paths) {
      const field = own.get('participant')!.fields[path]
      if (!field) continue
      found[path] ??= field
      if (found[path].type !== field.type) otherTypes.add(event.id)
    }
  }
  const participant = ENTITIES.get('participant')!
  const fields = { ...participant.fields, ...found }
  return { dictionary: new Map([...ENTITIES, ['participant', { ...participant, fields }]]), otherTypes }
}
