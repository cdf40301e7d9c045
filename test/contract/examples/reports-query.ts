import type { Examples } from '../examples.ts'
import { event } from './registration.ts'

export const REPORTS_QUERY_EXAMPLES: Examples = {
  query_data: [
    (stage) => ({ ...event(stage), entity: 'participant', fields: ['status', 'lastName'], orderBy: ['lastName'], total: true }),
    (stage) => ({ ...event(stage), entity: 'participant', groupBy: ['id'], aggregates: ['count'] }),
  ],
  query_across_events: [
    () => ({ entity: 'participant', fields: ['status', 'event.code'] }),
    () => ({ entity: 'participant', groupBy: ['id', 'event.code'], aggregates: ['count'] }),
  ],
  get_my_events_stats: [() => ({ status: ['draft', 'published', 'archived'] })],
}
