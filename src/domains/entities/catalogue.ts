import { attendance } from './attendance.ts'
import { companies } from './companies.ts'
import { contacts } from './contacts.ts'
import type { Entity } from './entity.ts'
import { events } from './events.ts'
import { groups } from './groups.ts'
import { leads } from './leads.ts'
import { orders } from './orders.ts'
import { participants } from './participants.ts'
import { reservations } from './reservations.ts'
import { sessions } from './sessions.ts'

/** All record types of the REST API, in the order of the documentation. */
export const ENTITIES: readonly Entity[] = [
  participants,
  events,
  companies,
  leads,
  orders,
  sessions,
  attendance,
  groups,
  reservations,
  contacts,
]

export type EntityName =
  | 'participant'
  | 'event'
  | 'company'
  | 'lead'
  | 'order'
  | 'session'
  | 'attendance'
  | 'group'
  | 'reservation'
  | 'contact'

/** Finds a record type by the name used in webhooks and deletions. */
export function getEntity(name: EntityName): Entity {
  return ENTITIES.find((entity) => entity.name === name)!
}
