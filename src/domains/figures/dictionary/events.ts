import { choice, code, country, day, defineEntity, flag, integer, text } from './define.ts'
import type { Entity } from './types.ts'

/** SQL for a column of the inventory row with the event's total capacity (seats). */
const seats = (select: string) => (row: string) =>
  `(select ${select} from inventory iv where iv.tenant_id = ${row}.tenant_id and iv.event_id = ${row}.id and iv.key = 'event')`

const event = defineEntity({
  name: 'event',
  label: 'Event',
  rowIs: 'one event',
  area: 'events',
  source: `(select e.tenant_id, e.id as event_id, e.id, e.client_id, e.code, e.name, e.status, e.timezone, e.starts_on, e.ends_on, e.currency, e.locale,
  e.city, e.country, e.test_mode, e.published_version, e.created_at, e.updated_at from events e)`,
  noTestData: true,
  fields: {
    code: code('Code', 'code'),
    name: text('Name', 'name'),
    status: choice('Status', 'status', ['draft', 'published', 'archived']),
    timezone: code('Time zone', 'timezone'),
    startsOn: day('First day', 'starts_on', { synonyms: ['start date'] }),
    endsOn: day('Last day', 'ends_on', { synonyms: ['end date'] }),
    currency: code('Currency', 'currency'),
    locale: code('Language', 'locale'),
    city: text('City', 'city'),
    country: country('Country', 'country'),
    capacity: integer('Capacity', seats('iv.capacity'), { derived: true, help: 'Null means unlimited' }),
    seatsTaken: integer('Seats taken', seats('iv.held + iv.sold'), { derived: true, help: 'Held and sold' }),
    seatsTotal: integer('Seats in all', seats('iv.capacity + iv.overage'), {
      derived: true,
      help: 'Capacity and what organizers sold beyond it',
    }),
    testMode: flag('Test mode', 'test_mode'),
    publishedVersion: integer('Published version', 'published_version'),
    daysToStart: integer('Days to the start', (row) => `(${row}.starts_on - (lanyard_now() at time zone ${row}.timezone)::date)`, {
      derived: true,
      help: 'Negative after the first day',
    }),
  },
})

export const EVENT_ENTITIES: readonly Entity[] = [event]
