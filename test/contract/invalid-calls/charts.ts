import { type InvalidCall, wrongName, wrongValue, missingArgument } from './calls.ts'

export const CHART_CALLS: readonly InvalidCall[] = [
  wrongValue('plot_data', 'chart', 'column', 'bar', ['bar', 'line', 'donut']),
  wrongValue('plot_data', 'theme', 'night', 'dark', ['light', 'dark']),
  wrongValue('plot_data', 'format', 'jpg', 'svg', ['png', 'svg']),
  wrongValue('plot_data', 'width', 100, 320, ['320']),
  wrongValue('plot_data', 'yScale', 'logarithmic', 'linear', ['linear', 'log']),
  wrongName('plot_data', 'kind', 'chart', 'bar'),
  wrongName('plot_data', 'type', 'chart', 'bar'),
  wrongName('plot_data', 'group', 'groupBy', ['status']),
  missingArgument('plot_data', 'chart', ['bar']),
]
