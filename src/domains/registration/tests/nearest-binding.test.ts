import { describe, expect, it } from 'vitest'
import { PARTICIPANT_PROPERTY_COLUMNS } from '../participant-shape.ts'
import { findSimilarAnswerKey } from '../nearest-binding.ts'

const KNOWN = [...Object.keys(PARTICIPANT_PROPERTY_COLUMNS).map((name) => `@participant.${name}`), '@custom.diet', '@product.pass']

describe('findSimilarAnswerKey', () => {
  it.each([
    ['@participant.compny', '@participant.company'],
    ['@participant.employer', '@participant.company'],
    ['@participant.zip_code', '@participant.postalCode'],
    ['@participant.surname', '@participant.lastName'],
    ['@participant.Phone', '@participant.mobilePhone'],
    ['@custom.photo', '@participant.headshot'],
    ['@participant.shoeSize', null],
  ])('finds the question that the unknown name %s most likely means', (binding, meant) => {
    expect(findSimilarAnswerKey(binding, KNOWN)).toBe(meant)
  })

  it('suggests no participant property that the event does not ask for', () => {
    expect(findSimilarAnswerKey('@participant.employer', ['@participant.email', '@product.pass'])).toBeNull()
  })
})
