import type { Examples } from '../examples.ts'
import { event } from './registration.ts'

export const CHART_EXAMPLES: Examples = {
  plot_data: [
    (stage) => ({ ...event(stage), entity: 'participant', groupBy: ['status'], chart: 'bar' }),
    (stage) => ({
      ...event(stage),
      entity: 'participant',
      groupBy: ['createdAt:day', 'flowSlug'],
      chart: 'line',
      theme: 'dark',
    }),
  ],
}
