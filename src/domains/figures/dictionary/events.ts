import { choiceField, codeField, countryField, dayField, defineQueryEntity, booleanField, integerField, textField } from './define.ts'
import type { QueryEntity } from './types.ts'

/** SQL for a column of the inventory row with the event's total capacity (seats). */
const seats = (select: string) => (row: string) =>
  `(select ${select} from inventory iv where iv.tenant_id = ${row}.tenant_id and iv.event_id = ${row}.id and iv.key = 'event')`

const event = defineQueryEntity({
  name: 'event',
  label: 'Event',
  rowIs: 'one event',
  area: 'events',
  source: `(select e.tenant_id, e.id as event_id, e.id, e.client_id, e.code, e.name, e.status, e.timezone, e.starts_on, e.ends_on, e.currency, e.locale,
  e.city, e.country, e.test_mode, e.published_version, e.created_at, e.updated_at from events e)`,
  noTestData: true,
  fields: {
    code: codeField('Code', 'code'),
    name: textField('Name', 'name'),
    status: choiceField('Status', 'status', ['draft', 'published', 'archived']),
    timezone: codeField('Time zone', 'timezone'),
    startsOn: dayField('First day', 'starts_on', { synonyms: ['start date'] }),
    endsOn: dayField('Last day', 'ends_on', { synonyms: ['end date'] }),
    currency: codeField('Currency', 'currency'),
    locale: codeField('Language', 'locale'),
    city: textField('City', 'city'),
    country: countryField('Country', 'country'),
    capacity: integerField('Capacity', seats('iv.capacity'), { derived: true, help: 'Null means unlimited' }),
    seatsTaken: integerField('Seats taken', seats('iv.held + iv.sold'), { derived: true, help: 'Held and sold' }),
    seatsTotal: integerField('Seats in all', seats('iv.capacity + iv.overage'), {
      derived: true,
      help: 'Capacity and what organizers sold beyond it',
    }),
    testMode: booleanField('Test mode', 'test_mode'),
    publishedVersion: integerField('Published version', 'published_version'),
    daysToStart: integerField('Days to the start', (row) => `(${row}.starts_on - (lanyard_now() at time zone ${row}.timezone)::date)`, {
      derived: true,
      help: 'Negative after the first day',
    }),
  },
})

export const EVENT_ENTITIES: readonly QueryEntity[] = [event]
