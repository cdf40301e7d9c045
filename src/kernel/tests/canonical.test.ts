import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonicalJson, canonicalTextInParts } from '../canonical.ts'
import { atOnce } from '../turns.ts'

it('what is written in parts is written as it is at once', () => {
  const holes = { b: [undefined, [undefined], null], a: undefined, c: { e: undefined, d: 1, f: { h: undefined, g: 2 } } }
  expect(atOnce(canonicalTextInParts(holes))).toBe(canonicalJson(holes))
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }), (value) => {
      expect(atOnce(canonicalTextInParts(value))).toBe(canonicalJson(value))
    }),
  )
})

it('others have their turn within long lists and objects', () => {
  const turnsOf = (value: unknown) => [...canonicalTextInParts(value)].length
  const many = Array.from({ length: 1000 }, (_, i) => ({ code: `code-${i}` }))
  expect(turnsOf(many)).toBeGreaterThanOrEqual(50)
  expect(turnsOf({ de: Object.fromEntries(many.map(({ code }) => [code, { text: code }])) })).toBeGreaterThanOrEqual(50)
})
