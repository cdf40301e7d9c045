import { columnProperty, type RestEntity, buildEqualsFilter } from './entity.ts'
import { day, id, integer, maybe, oneOf, text } from './schemas.ts'
import { RESERVATION_STATES } from '../housing/states.ts'

export const reservationEntity: RestEntity = {
  path: 'reservations',
  name: 'reservation',
  about: 'One room for one stay.',
  table: 'reservations',
  at: 'event',
  hasTestData: true,
  fields: [
    columnProperty('ackNumber', maybe(text('Set for a confirmed stay.'))),
    columnProperty('participantId', id()),
    columnProperty('hotelId', id()),
    {
      name: 'hotelName',
      schema: text(),
      sql: `(select h.name from event_hotels h where h.tenant_id = r.tenant_id and h.event_id = r.event_id and h.id = r.hotel_id)`,
    },
    columnProperty('roomTypeCode', text()),
    columnProperty('checkIn', day()),
    columnProperty('checkOut', day()),
    columnProperty('occupants', integer(1)),
    columnProperty('status', oneOf(RESERVATION_STATES.all)),
    columnProperty('hotelConfirmationNumber', maybe(text())),
    {
      name: 'groupId',
      schema: maybe(id('The participant who holds the room.')),
      sql: `(select p.group_id from participants p where p.tenant_id = r.tenant_id and p.event_id = r.event_id and p.id = r.participant_id)`,
    },
  ],
  filters: [buildEqualsFilter('hotelId', id()), buildEqualsFilter('status', oneOf(RESERVATION_STATES.all))],
}
