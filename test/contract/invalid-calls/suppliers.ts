import { type InvalidCall, named, valued } from './calls.ts'

export const SUPPLIERS_CALLS: readonly InvalidCall[] = [
  named('search_suppliers', 'query', 'search', 'palace'),
  valued('search_suppliers', 'status', 'active', 'verified', ['unverified', 'verified', 'blocked']),
  valued('search_suppliers', 'largestRoomFor', { people: 300, setup: 'school' }, undefined, ['theater', 'classroom']),
  named('discover_supplier', 'website', 'url', 'https://hotel-site.example/'),
  valued('discover_supplier', 'kind', 'restaurant', 'catering', ['hotel', 'venue', 'catering']),
  valued('discover_suppliers_from_criteria', 'limit', 100, 50, ['50']),
  valued('discover_suppliers_from_criteria', 'criteria', { place: 'Porto', radiusKm: 5 }, undefined, ['kind']),
]
