import { describe, expect, it } from 'vitest'
import { PROPERTY_COLUMNS } from '../participant-shape.ts'
import { findNearestBinding } from '../nearest-binding.ts'

const KNOWN = [...Object.keys(PROPERTY_COLUMNS).map((name) => `@participant.${name}`), '@custom.diet', '@product.pass']

describe('findNearestBinding', () => {
  it.each([
    ['@participant.compny', '@participant.company'],
    ['@participant.employer', '@participant.company'],
    ['@participant.zip_code', '@participant.postalCode'],
    ['@participant.surname', '@participant.lastName'],
    ['@participant.Phone', '@participant.mobilePhone'],
    ['@custom.photo', '@participant.headshot'],
    ['@participant.shoeSize', null],
  ])('finds the question that the unknown name %s most likely means', (binding, meant) => {
    expect(findNearestBinding(binding, KNOWN)).toBe(meant)
  })

  it('suggests no participant property that the event does not ask for', () => {
    expect(findNearestBinding('@participant.employer', ['@participant.email', '@product.pass'])).toBeNull()
  })
})
