import { defineRecord } from '../../kernel/records.ts'
import { EVENT_STATES } from './states.ts'

/** The columns of an event row that organizers edit directly; all other settings are part of the configuration. */
export const EVENT_RECORD = defineRecord({
  table: 'events',
  kind: 'event',
  noun: 'Event',
  name: ({ code }) => code,
  primaryKey: ['tenant_id', 'id'],
  states: EVENT_STATES,
  fields: { timezone: 'timezone', currency: 'currency', locale: 'locale', locales: 'locales', testMode: 'test_mode' },
})
