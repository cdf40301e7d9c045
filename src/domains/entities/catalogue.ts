import { attendanceEntity } from './attendance.ts'
import { companyEntity } from './companies.ts'
import { contactEntity } from './contacts.ts'
import type { RestEntity } from './entity.ts'
import { eventEntity } from './events.ts'
import { groupEntity } from './groups.ts'
import { leadEntity } from './leads.ts'
import { orderEntity } from './orders.ts'
import { participantEntity } from './participants.ts'
import { reservationEntity } from './reservations.ts'
import { sessionEntity } from './sessions.ts'

/** All record types of the REST API, in the order of the documentation. */
export const REST_ENTITIES: readonly RestEntity[] = [
  participantEntity,
  eventEntity,
  companyEntity,
  leadEntity,
  orderEntity,
  sessionEntity,
  attendanceEntity,
  groupEntity,
  reservationEntity,
  contactEntity,
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
export function getRestEntity(name: EntityName): RestEntity {
  return REST_ENTITIES.find((entity) => entity.name === name)!
}
