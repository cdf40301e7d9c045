import { buildColumnProperty, type RestEntity, buildEqualsFilter } from './entity.ts'
import { daySchema, recordIdSchema, integerSchema, nullableSchema, enumSchema, stringSchema } from './schemas.ts'
import { RESERVATION_STATES } from '../housing/states.ts'

export const reservationEntity: RestEntity = {
  path: 'reservations',
  name: 'reservation',
  about: 'One room for one stay.',
  table: 'reservations',
  at: 'event',
  hasTestData: true,
  fields: [
    buildColumnProperty('ackNumber', nullableSchema(stringSchema('Set for a confirmed stay.'))),
    buildColumnProperty('participantId', recordIdSchema()),
    buildColumnProperty('hotelId', recordIdSchema()),
    {
      name: 'hotelName',
      schema: stringSchema(),
      sql: `(select h.name from event_hotels h where h.tenant_id = r.tenant_id and h.event_id = r.event_id and h.id = r.hotel_id)`,
    },
    buildColumnProperty('roomTypeCode', stringSchema()),
    buildColumnProperty('checkIn', daySchema()),
    buildColumnProperty('checkOut', daySchema()),
    buildColumnProperty('occupants', integerSchema(1)),
    buildColumnProperty('status', enumSchema(RESERVATION_STATES.all)),
    buildColumnProperty('hotelConfirmationNumber', nullableSchema(stringSchema())),
    {
      name: 'groupId',
      schema: nullableSchema(recordIdSchema('The participant who holds the room.')),
      sql: `(select p.group_id from participants p where p.tenant_id = r.tenant_id and p.event_id = r.event_id and p.id = r.participant_id)`,
    },
  ],
  filters: [buildEqualsFilter('hotelId', recordIdSchema()), buildEqualsFilter('status', enumSchema(RESERVATION_STATES.all))],
}
