import { describe, expect, it } from 'vitest'
import { bindingToPath } from '../bindings.ts'
import { ENTITIES } from '../index.ts'

const from = (entity: string, written: string) => bindingToPath(written, ENTITIES.get(entity)!)

describe('bindingToPath', () => {
  it('names a field of the participant from the participant itself', () => {
    expect(from('participant', '@participant.city')).toBe('city')
    expect(from('participant', '@custom.diet')).toBe('custom.diet')
    expect(from('participant', '@flow.slug')).toBe('flowSlug')
  })

  it('leads over the relation to the participant from another entity', () => {
    expect(from('orderLine', '@participant.city')).toBe('participant.city')
    expect(from('orderLine', '@custom.diet')).toBe('participant.custom.diet')
  })

  it('leaves paths and bindings without a participant as they are', () => {
    expect(from('orderLine', 'order.total')).toBe('order.total')
    expect(from('hotel', '@participant.city')).toBe('participant.city')
  })
})
