import type { AccountContext, EventSummaryRow } from '../../../kernel/context.ts'
import type { PermittedEvent } from '../../tenancy/my-events.ts'
import { readDictionary } from '../dictionary/custom-fields.ts'
import { QUERY_ENTITIES } from '../dictionary/index.ts'
import { type QueryEntityField, FIELD_ACCESS_CLASSES, type FieldAccessClass } from '../dictionary/types.ts'
import type { DataQuery } from '../query/data-query.ts'
import type { DataDictionary } from '../query/plan.ts'

const CUSTOM_PATH = /\bcustom\.[A-Za-z0-9][A-Za-z0-9_-]*/g

export interface CrossEventDataDictionary {
  /** Ids of the events at which a custom field of the query has another type of question than at the latest event. */
  otherTypes: ReadonlySet<string>
  /** Returns the data dictionary of a query over these events. A custom field has the strictest access class that it has at any of them. */
  at: (events: readonly PermittedEvent[]) => DataDictionary
}

/** Reads the data dictionary of several events. A custom field of two events is the same if its code and type of question are equal. */
export async function readCrossEventDataDictionary(
  ctx: AccountContext,
  events: readonly PermittedEvent[],
  query: DataQuery,
): Promise<CrossEventDataDictionary> {
  const paths = [...new Set(JSON.stringify(query).match(CUSTOM_PATH) ?? [])]
  if (paths.length === 0) return { otherTypes: new Set(), at: () => QUERY_ENTITIES }
  const latest = new Map<string, QueryEntityField>()
  const classes = new Map<string, ReadonlyMap<string, FieldAccessClass>>()
  const otherTypes = new Set<string>()
  for (const event of events.toReversed()) {
    const { fields } = (await readDictionary({ ...ctx, event: event as unknown as EventSummaryRow })).get('participant')!
    const own = paths.flatMap((path) => (fields[path] ? [[path, fields[path]] as const] : []))
    classes.set(event.id, new Map(own.map(([path, field]) => [path, field.class ?? 'open'])))
    for (const [path, field] of own) {
      const known = latest.get(path) ?? field
      latest.set(path, known)
      if (known.responseType !== field.responseType) otherTypes.add(event.id)
    }
  }
  const dictionaries = new Map<string, DataDictionary>()
  const at = (some: readonly PermittedEvent[]): DataDictionary => {
    const strictest = [...latest.keys()].map((path) =>
      Math.max(0, ...some.map(({ id }) => FIELD_ACCESS_CLASSES.indexOf(classes.get(id)?.get(path) ?? 'open'))),
    )
    const dictionary = dictionaries.get(strictest.join()) ?? withFields(latest, strictest)
    dictionaries.set(strictest.join(), dictionary)
    return dictionary
  }
  return { otherTypes, at }
}

function withFields(found: ReadonlyMap<string, QueryEntityField>, classes: readonly number[]): DataDictionary {
  const participant = QUERY_ENTITIES.get('participant')!
  const own = [...found].map(([path, field], i) => [path, { ...field, class: FIELD_ACCESS_CLASSES[classes[i]!]! }] as const)
  return new Map([...QUERY_ENTITIES, ['participant', { ...participant, fields: { ...participant.fields, ...Object.fromEntries(own) } }]])
}
