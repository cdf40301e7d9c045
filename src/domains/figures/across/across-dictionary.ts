import type { AccountContext, EventHead } from '../../../kernel/context.ts'
import type { ReachableEvent } from '../../tenancy/my-events.ts'
import { readDictionary } from '../dictionary/custom-fields.ts'
import { ENTITIES } from '../dictionary/index.ts'
import type { EntityField } from '../dictionary/types.ts'
import type { DataQuery } from '../query/data-query.ts'
import type { Dictionary } from '../query/plan.ts'

const CUSTOM_PATH = /\bcustom\.[A-Za-z0-9][A-Za-z0-9_-]*/g

/**
 * Reads the dictionary of several events. A custom field has the type of the latest event; events where it has another type cannot be part
 * of a result with that field.
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
