import { column, type Entity, equals } from './entity.ts'
import { day, id, integer, maybe, oneOf, text } from './schemas.ts'
import { RESERVATION_STATES } from '../housing/states.ts'

export const reservations: Entity = {
  path: 'reservations',
  name: 'reservation',
  about: 'One room for one stay.',
  table: 'reservations',
  at: 'event',
  hasTestData: true,
  fields: [
    column('ackNumber', maybe(text('Set for a confirmed stay.'))),
    column('participantId', id()),
    column('hotelId', id()),
    {
      name: 'hotelName',
      schema: text(),
      sql: `(select h.name from event_hotels h where h.tenant_id = r.tenant_id and h.event_id = r.event_id and h.id = r.hotel_id)`,
    },
    column('roomTypeCode', text()),
    column('checkIn', day()),
    column('checkOut', day()),
    column('occupants', integer(1)),
    column('status', oneOf(RESERVATION_STATES.all)),
    column('hotelConfirmationNumber', maybe(text())),
    {
      name: 'groupId',
      schema: maybe(id('The participant who holds the room.')),
      sql: `(select p.group_id from participants p where p.tenant_id = r.tenant_id and p.event_id = r.event_id and p.id = r.participant_id)`,
    },
  ],
  filters: [equals('hotelId', id()), equals('status', oneOf(RESERVATION_STATES.all))],
}
