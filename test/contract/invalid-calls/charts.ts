import { type InvalidCall, named, valued, without } from './calls.ts'

export const CHART_CALLS: readonly InvalidCall[] = [
  valued('plot_data', 'chart', 'column', 'bar', ['bar', 'line', 'donut']),
  valued('plot_data', 'theme', 'night', 'dark', ['light', 'dark']),
  valued('plot_data', 'format', 'jpg', 'svg', ['png', 'svg']),
  valued('plot_data', 'width', 100, 320, ['320']),
  valued('plot_data', 'yScale', 'logarithmic', 'linear', ['linear', 'log']),
  named('plot_data', 'kind', 'chart', 'bar'),
  named('plot_data', 'type', 'chart', 'bar'),
  named('plot_data', 'group', 'groupBy', ['status']),
  without('plot_data', 'chart', ['bar']),
]
