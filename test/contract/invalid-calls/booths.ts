import { type InvalidCall, wrongName, wrongValue, missingArgument } from './calls.ts'

export const BOOTHS_CALLS: readonly InvalidCall[] = [
  wrongName('list_booths', 'query', 'search', 'x'),
  wrongValue('list_booths', 'status', ['free'], ['available'], ['available', 'held', 'assigned', 'blocked']),
  wrongValue('list_booths', 'type', 'end', 'corner', ['corner', 'island', 'peninsula']),
  wrongValue('get_booth', 'boothId', '101', undefined, ['list_booths'], { example: 1 }),
  missingArgument('manage_booths', 'until', ['hold'], { example: 5 }),
  missingArgument('manage_booths', 'companyId', ['assign'], { example: 7 }),
  wrongValue('manage_booths', 'action', 'reserve', 'hold', ['hold', 'assign', 'release'], { example: 5 }),
  wrongValue('manage_booths', 'scheme', 'byAisle', 'sequential', ['aisleHundreds', 'sequential'], { example: 2 }),
]
