import { expect, it } from 'vitest'
import { getAnswerTypeLookup } from '../data-fields.ts'

it.each([
  ['@participant.firstName', 'text'],
  ['@participant.email', 'email'],
  ['@participant.tags', 'list'],
  ['@guest.1.firstName', 'text'],
  ['@housing.occupants', 'number'],
  ['@participant.constructor', null],
  ['@participant.toString', null],
  ['@guest.1.constructor', null],
  ['@housing.valueOf', null],
  ['@constructor.name', null],
])('getBindingTypes returns for the binding %s the answer type %s', (binding, type) => {
  expect(getAnswerTypeLookup({ customFields: [], products: [], policies: [] })(binding)).toBe(type)
})
