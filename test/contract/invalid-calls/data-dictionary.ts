import { type InvalidCall, named, valued } from './calls.ts'

export const DATA_DICTIONARY_CALLS: readonly InvalidCall[] = [
  valued('describe_data', 'entity', 'particpants', 'participant', ['participant'], { example: 1 }),
  valued('describe_data', 'topic', 'metric', 'metrics', ['metrics'], { example: 3 }),
  named('describe_data', 'query', 'search', 'turnover', { example: 2 }),
  valued('get_report_fields', 'entity', 'products', 'product', ['product'], { example: 2 }),
  valued('get_report_fields', 'widgetType', 'grid', 'pivot', ['pivot']),
  named('get_report_fields', 'reportCode', 'report', 'revenue-by-product', { example: 1 }),
]
