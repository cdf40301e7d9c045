import { type InvalidCall, wrongName, wrongValue } from './calls.ts'

export const SUPPLIERS_CALLS: readonly InvalidCall[] = [
  wrongName('search_suppliers', 'query', 'search', 'palace'),
  wrongValue('search_suppliers', 'status', 'active', 'verified', ['unverified', 'verified', 'blocked']),
  wrongValue('search_suppliers', 'largestRoomFor', { people: 300, setup: 'school' }, undefined, ['theater', 'classroom']),
  wrongName('discover_supplier', 'website', 'url', 'https://hotel-site.example/'),
  wrongValue('discover_supplier', 'kind', 'restaurant', 'catering', ['hotel', 'venue', 'catering']),
  wrongValue('discover_suppliers_from_criteria', 'limit', 100, 50, ['50']),
  wrongValue('discover_suppliers_from_criteria', 'criteria', { place: 'Porto', radiusKm: 5 }, undefined, ['kind']),
]
