import { type InvalidCall, named, valued, without } from './calls.ts'

export const BOOTHS_CALLS: readonly InvalidCall[] = [
  named('list_booths', 'query', 'search', 'x'),
  valued('list_booths', 'status', ['free'], ['available'], ['available', 'held', 'assigned', 'blocked']),
  valued('list_booths', 'type', 'end', 'corner', ['corner', 'island', 'peninsula']),
  valued('get_booth', 'boothId', '101', undefined, ['list_booths'], { example: 1 }),
  without('manage_booths', 'until', ['hold'], { example: 5 }),
  without('manage_booths', 'companyId', ['assign'], { example: 7 }),
  valued('manage_booths', 'action', 'reserve', 'hold', ['hold', 'assign', 'release'], { example: 5 }),
  valued('manage_booths', 'scheme', 'byAisle', 'sequential', ['aisleHundreds', 'sequential'], { example: 2 }),
]
