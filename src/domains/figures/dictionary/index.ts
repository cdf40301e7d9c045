import { AUTOMATION_ENTITIES } from './automation.ts'
import { EVENT_ENTITIES } from './events.ts'
import { EXHIBITOR_ENTITIES } from './exhibitors.ts'
import { GROUP_ENTITIES } from './groups.ts'
import { HOUSING_ENTITIES } from './housing.ts'
import { INVENTORY_ENTITIES } from './inventory.ts'
import { EMAIL_ENTITIES } from './mail.ts'
import { MONEY_ENTITIES } from './money.ts'
import { ONSITE_ENTITIES } from './onsite.ts'
import { PEOPLE_ENTITIES } from './people.ts'
import { PROGRAM_ENTITIES } from './program.ts'
import { SOURCING_ENTITIES } from './sourcing.ts'
import { SURVEY_ENTITIES } from './surveys.ts'
import type { QueryEntity, EntityRelation } from './types.ts'

const DEFINED: readonly QueryEntity[] = [
  ...EVENT_ENTITIES,
  ...PEOPLE_ENTITIES,
  ...MONEY_ENTITIES,
  ...GROUP_ENTITIES,
  ...INVENTORY_ENTITIES,
  ...HOUSING_ENTITIES,
  ...EXHIBITOR_ENTITIES,
  ...PROGRAM_ENTITIES,
  ...ONSITE_ENTITIES,
  ...SURVEY_ENTITIES,
  ...EMAIL_ENTITIES,
  ...SOURCING_ENTITIES,
  ...AUTOMATION_ENTITIES,
]

/** Returns the plural of an entity name: "company" becomes "companies", "exhibitorStaff" stays unchanged. */
const pluralOf = (name: string): string => (name.endsWith('Staff') ? name : name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`)

/** Defines a relation between all rows of one event, whose only join condition is the tenant and the event. */
const atEvent = (to: string, many: boolean): EntityRelation => ({ to, many, on: () => 'true' })

/** Adds the relations between an entity and its event: every row belongs to an event, and an event has rows of every kind. */
const withEventRelations = (entity: QueryEntity): QueryEntity =>
  entity.name === 'event'
    ? {
        ...entity,
        relations: Object.fromEntries(
          DEFINED.filter(({ name, onlyAcrossEvents }) => name !== 'event' && !onlyAcrossEvents).map(({ name }) => [
            pluralOf(name),
            atEvent(name, true),
          ]),
        ),
      }
    : { ...entity, relations: { ...entity.relations, event: atEvent('event', false) } }

/** Every entity that can be queried, by name. */
export const QUERY_ENTITIES: ReadonlyMap<string, QueryEntity> = new Map(DEFINED.map((entity) => [entity.name, withEventRelations(entity)]))
