import { type Examples, SUMMIT_SCOPE } from './example.ts'

export const REPORTS_QUERY_EXAMPLES: Examples = {
  query_data: () => ({
    ...SUMMIT_SCOPE,
    entity: 'orderLine',
    groupBy: ['productCode'],
    aggregates: ['sum(net) as net', 'sum(tax) as tax'],
    orderBy: ['-net'],
    limit: 5,
  }),
  query_across_events: () => ({ metrics: ['registrations.complete', 'money.net'], groupBy: ['event.code'] }),
  get_my_events_stats: () => ({ sort: 'complete' }),
}
