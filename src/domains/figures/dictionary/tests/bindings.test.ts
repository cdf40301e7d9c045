import { describe, expect, it } from 'vitest'
import { convertBindingToFieldPath } from '../bindings.ts'
import { QUERY_ENTITIES } from '../index.ts'

const from = (entity: string, written: string) => convertBindingToFieldPath(written, QUERY_ENTITIES.get(entity)!)

describe('convertBindingToFieldPath', () => {
  it('converts a binding such as @participant.city to a field of the participant entity', () => {
    expect(from('participant', '@participant.city')).toBe('city')
    expect(from('participant', '@custom.diet')).toBe('custom.diet')
    expect(from('participant', '@flow.slug')).toBe('flowSlug')
  })

  it('converts a binding such as @participant.city to a path over the participant relation of another entity', () => {
    expect(from('orderLine', '@participant.city')).toBe('participant.city')
    expect(from('orderLine', '@custom.diet')).toBe('participant.custom.diet')
  })

  it('leaves a field path without @ unchanged, and only removes the @ for an entity without a participant', () => {
    expect(from('orderLine', 'order.total')).toBe('order.total')
    expect(from('hotel', '@participant.city')).toBe('participant.city')
  })
})
