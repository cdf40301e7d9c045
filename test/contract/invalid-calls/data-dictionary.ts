import { type InvalidCall, wrongName, wrongValue } from './calls.ts'

export const DATA_DICTIONARY_CALLS: readonly InvalidCall[] = [
  wrongValue('describe_data', 'entity', 'particpants', 'participant', ['participant'], { example: 1 }),
  wrongValue('describe_data', 'topic', 'metric', 'metrics', ['metrics'], { example: 3 }),
  wrongName('describe_data', 'query', 'search', 'turnover', { example: 2 }),
  wrongValue('get_report_fields', 'entity', 'products', 'product', ['product'], { example: 2 }),
  wrongValue('get_report_fields', 'widgetType', 'grid', 'pivot', ['pivot']),
  wrongName('get_report_fields', 'reportCode', 'report', 'revenue-by-product', { example: 1 }),
]
