import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toCanonicalJson, canonicalJsonSteps } from '../canonical.ts'
import { runTaskSynchronously } from '../cooperative.ts'

it('produces the same canonical JSON in steps as in one pass', () => {
  const holes = { b: [undefined, [undefined], null], a: undefined, c: { e: undefined, d: 1, f: { h: undefined, g: 2 } } }
  expect(runTaskSynchronously(canonicalJsonSteps(holes))).toBe(toCanonicalJson(holes))
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }), (value) => {
      expect(runTaskSynchronously(canonicalJsonSteps(value))).toBe(toCanonicalJson(value))
    }),
  )
})

it('yields to the event loop while it serializes long lists and objects', () => {
  const turnsOf = (value: unknown) => [...canonicalJsonSteps(value)].length
  const many = Array.from({ length: 1000 }, (_, i) => ({ code: `code-${i}` }))
  expect(turnsOf(many)).toBeGreaterThanOrEqual(50)
  expect(turnsOf({ de: Object.fromEntries(many.map(({ code }) => [code, { text: code }])) })).toBeGreaterThanOrEqual(50)
})
