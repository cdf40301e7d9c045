import { type InvalidCall, wrongName, wrongValue, missingArgument } from './calls.ts'

export const HOTEL_CATALOG_CALLS: readonly InvalidCall[] = [
  wrongName('find_hotel', 'radius', 'radiusKm', 5),
  wrongName('find_hotel', 'query', 'search', 'house'),
  wrongValue('find_hotel', 'source', 'online', 'all', ['local', 'provider', 'all']),
  wrongValue('find_hotel', 'radiusKm', 100, 50, ['at most 50']),
  missingArgument('get_catalog_hotel', 'catalogRef', []),
  wrongValue('add_hotel_from_catalog', 'sellStatus', 'on', 'open', ['open', 'closed'], { example: 1 }),
]
