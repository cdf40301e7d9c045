import { type Examples, SUMMIT_SCOPE } from './example.ts'

export const CHART_EXAMPLES: Examples = {
  plot_data: () => ({
    ...SUMMIT_SCOPE,
    entity: 'orderLine',
    groupBy: ['productCode'],
    aggregates: ['sum(net) as net'],
    orderBy: ['-net'],
    chart: 'bar',
  }),
}
