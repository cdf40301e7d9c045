import { AUTOMATION } from './automation.ts'
import { EVENTS } from './events.ts'
import { EXHIBITORS } from './exhibitors.ts'
import { GROUPS } from './groups.ts'
import { HOUSING } from './housing.ts'
import { INVENTORY } from './inventory.ts'
import { MAIL } from './mail.ts'
import { MONEY } from './money.ts'
import { ONSITE } from './onsite.ts'
import { PEOPLE } from './people.ts'
import { PROGRAM } from './program.ts'
import { SOURCING } from './sourcing.ts'
import { SURVEYS } from './surveys.ts'
import type { Entity, EntityRelation } from './types.ts'

const DEFINED: readonly Entity[] = [
  ...EVENTS,
  ...PEOPLE,
  ...MONEY,
  ...GROUPS,
  ...INVENTORY,
  ...HOUSING,
  ...EXHIBITORS,
  ...PROGRAM,
  ...ONSITE,
  ...SURVEYS,
  ...MAIL,
  ...SOURCING,
  ...AUTOMATION,
]

/** Returns the plural of an entity name: "company" becomes "companies", "exhibitorStaff" stays. */
const pluralOf = (name: string): string => (name.endsWith('Staff') ? name : name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`)

/** Defines a relation between rows of one event, which only tenant and event join. */
const atEvent = (to: string, many: boolean): EntityRelation => ({ to, many, on: () => 'true' })

/** Adds the relations between an entity and its event: every row belongs to an event, and an event has rows of every kind. */
const withEventRelations = (entity: Entity): Entity =>
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
export const ENTITIES: ReadonlyMap<string, Entity> = new Map(DEFINED.map((entity) => [entity.name, withEventRelations(entity)]))
