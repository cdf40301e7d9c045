import type { Examples } from '../examples.ts'
import { event } from './registration.ts'

export const REPORTS_QUERY_EXAMPLES: Examples = {
  query_data: [
    (stage) => ({ ...event(stage), entity: 'participant', fields: ['status', 'lastName'], orderBy: ['lastName'], total: true }),
    (stage) => ({ ...event(stage), entity: 'participant', groupBy: ['status'], aggregates: ['count'] }),
    (stage) => ({ ...event(stage), metrics: ['money.net', 'registrations.complete'], explain: true }),
  ],
  query_across_events: [
    () => ({ entity: 'participant', fields: ['status', 'event.code'] }),
    () => ({ metrics: ['registrations.complete'], groupBy: ['event.code'] }),
  ],
  get_my_events_stats: [() => ({ status: ['draft', 'published', 'archived'] })],
}
