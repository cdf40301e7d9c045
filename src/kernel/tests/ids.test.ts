import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CODE_PATTERN, isId, newId, toSlug } from '../ids.ts'

const YEAR_2030 = Date.UTC(2030, 0, 1)

describe('newId', () => {
  it('returns an id of 24 hexadecimal characters that begins with the current time in milliseconds', () => {
    const id = newId(YEAR_2030)
    expect(id).toMatch(/^[0-9a-f]{24}$/)
    expect(Number.parseInt(id.slice(0, 12), 16)).toBe(YEAR_2030)
  })

  it('returns ids that sort by creation even if the clock jumps within a second', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 2, maxLength: 300 }), (offsets) => {
        const ids = offsets.map((offset) => newId(YEAR_2030 + offset))
        expect(ids).toEqual([...ids].sort())
        expect(new Set(ids).size).toBe(ids.length)
      }),
    )
  })

  it('returns strictly increasing ids if many are created at once, with times close to the clock', () => {
    const at = YEAR_2030 + 10_000
    const ids = Array.from({ length: 20_000 }, () => newId(at))
    expect(ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? ''))).toBe(true)
    expect(Number.parseInt(ids.at(-1)?.slice(0, 12) ?? '', 16) - at).toBeLessThan(300)
  })

  it('increases the random part of each id by a random step', () => {
    const at = YEAR_2030 + 20_000
    const randoms = Array.from({ length: 100 }, () => newId(at))
      .filter((id) => Number.parseInt(id.slice(0, 12), 16) === at)
      .map((id) => Number.parseInt(id.slice(12), 16))
    const steps = randoms.slice(1).map((random, i) => random - (randoms[i] ?? 0))
    expect(new Set(steps).size).toBe(steps.length)
    expect(steps.filter((step) => step < 2 ** 20)).toEqual([])
  })

  it('creates ids with the new time after the clock was set back', () => {
    newId(YEAR_2030 + 3_600_000)
    expect(Number.parseInt(newId(YEAR_2030).slice(0, 12), 16)).toBe(YEAR_2030)
  })
})

describe('isId', () => {
  it('accepts only 24 lower-case hexadecimal characters as an id', () => {
    expect([newId(), '0'.repeat(24)].map(isId)).toEqual([true, true])
    expect(['', 'abc', newId().toUpperCase().replace(/^./, 'A'), `${newId()}0`, `${newId()}\n`, 7, null].map(isId)).not.toContain(true)
  })
})

describe('toSlug', () => {
  it.each([
    ['Annual Congress 2027', 'annual-congress-2027'],
    ['  Größe & Straße  ', 'grosse-strasse'],
    ['Łódź – Ærø', 'lodz-aero'],
    ["Women's lunch", 'womens-lunch'],
    ['ＡＢＣ', 'abc'],
    ['--x--', 'x'],
  ])('converts the name %j to the code %s', (name, slug) => expect(toSlug(name)).toBe(slug))

  it('gives names without Latin letters different, stable codes', () => {
    expect(toSlug('東京')).toBe(toSlug('東京'))
    expect(toSlug('東京')).not.toBe(toSlug('大阪'))
  })

  it('returns a valid code for every name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (name) => {
        expect(toSlug(name)).toMatch(CODE_PATTERN)
      }),
    )
    expect(toSlug(`${'a'.repeat(62)} b`)).toBe('a'.repeat(62))
  })
})
