import { type InvalidCall, named, valued, without } from './calls.ts'

export const HOTEL_CATALOG_CALLS: readonly InvalidCall[] = [
  named('find_hotel', 'radius', 'radiusKm', 5),
  named('find_hotel', 'query', 'search', 'house'),
  valued('find_hotel', 'source', 'online', 'all', ['local', 'provider', 'all']),
  valued('find_hotel', 'radiusKm', 100, 50, ['at most 50']),
  without('get_catalog_hotel', 'catalogRef', []),
  valued('add_hotel_from_catalog', 'sellStatus', 'on', 'open', ['open', 'closed'], { example: 1 }),
]
