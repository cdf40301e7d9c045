import type { Examples } from '../examples.ts'
import { event } from './registration.ts'

export const DATA_DICTIONARY_EXAMPLES: Examples = {
  describe_data: [
    (stage) => event(stage),
    (stage) => ({ ...event(stage), entity: 'participant' }),
    (stage) => ({ ...event(stage), search: 'turnover' }),
    (stage) => ({ ...event(stage), topic: 'query' as const }),
  ],
  get_report_fields: [
    (stage) => ({ ...event(stage), report: 'inventory' }),
    (stage) => ({ ...event(stage), report: 'revenue-by-product' }),
    (stage) => ({ ...event(stage), entity: 'product' }),
  ],
}
