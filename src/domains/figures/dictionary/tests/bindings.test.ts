import { describe, expect, it } from 'vitest'
import { convertBindingToFieldPath } from '../bindings.ts'
import { QUERY_ENTITIES } from '../index.ts'

const from = (entity: string, written: string) => convertBindingToFieldPath(written, QUERY_ENTITIES.get(entity)!)

describe('convertBindingToFieldPath', () => {
  it('converts a participant binding to a path of a field, from the entity participant', () => {
    expect(from('participant', '@participant.city')).toBe('city')
    expect(from('participant', '@custom.diet')).toBe('custom.diet')
    expect(from('participant', '@flow.slug')).toBe('flowSlug')
  })

  it('converts a participant binding to a path over the participant relation, from another entity', () => {
    expect(from('orderLine', '@participant.city')).toBe('participant.city')
    expect(from('orderLine', '@custom.diet')).toBe('participant.custom.diet')
  })

  it('returns plain paths unchanged, and only removes the @ of a binding from an entity without a participant', () => {
    expect(from('orderLine', 'order.total')).toBe('order.total')
    expect(from('hotel', '@participant.city')).toBe('participant.city')
  })
})
