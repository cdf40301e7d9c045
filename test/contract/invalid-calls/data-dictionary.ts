import { type InvalidCall, named, valued } from './calls.ts'

export const DATA_DICTIONARY_CALLS: readonly InvalidCall[] = [
  valued('describe_data', 'entity', 'particpants', 'participant', ['participant'], { example: 1 }),
  valued('describe_data', 'topic', 'metric', 'metrics', ['metrics'], { example: 3 }),
  named('describe_data', 'query', 'search', 'turnover', { example: 2 }),
]
