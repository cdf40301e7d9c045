import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toCanonicalJson } from '../../../../kernel/canonical.ts'
import type { ConfigDocument } from '../../schema/event-config.ts'
import { diffSynchronously } from '../../../../../test/support/diff-synchronously.ts'
import { applyChanges } from '../../../../../test/support/apply-changes.ts'
import { randomDocument, randomFrom, randomlyEdited } from './documents.ts'
import { chooseForSoak, soakRounds } from '../../../../../test/support/soak.ts'

const seed = fc.integer()
const size = fc.integer({ min: 1, max: 6 })

function expectRoundTrip(a: ConfigDocument, b: ConfigDocument): void {
  const [was, wanted] = [toCanonicalJson(a), toCanonicalJson(b)]
  const changes = diffSynchronously(a, b)
  expect(toCanonicalJson(applyChanges(a, changes))).toBe(wanted)
  // Comparing and applying must not modify either document.
  expect([toCanonicalJson(a), toCanonicalJson(b)]).toEqual([was, wanted])
  expect(changes.length === 0).toBe(was === wanted)
}

describe('applyChanges', () => {
  it('reproduces a randomly edited document, byte for byte, from the original and the reported changes', () => {
    fc.assert(
      fc.property(seed, size, fc.integer({ min: 0, max: 25 }), (start, most, edits) => {
        const random = randomFrom(start)
        const a = randomDocument(random, most)
        expectRoundTrip(a, randomlyEdited(a, random, edits))
      }),
      { numRuns: chooseForSoak(soakRounds(1500), 500) },
    )
  })

  it('converts a configuration to an unrelated one by the changes reported between the two', () => {
    fc.assert(
      fc.property(seed, seed, size, (one, other, most) => {
        expectRoundTrip(randomDocument(randomFrom(one), most), randomDocument(randomFrom(other), most))
      }),
      { numRuns: chooseForSoak(soakRounds(1000), 350) },
    )
  })

  it('applies the changes of several versions in sequence, forwards and backwards', () => {
    fc.assert(
      fc.property(seed, fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 2, maxLength: 6 }), (start, steps) => {
        const random = randomFrom(start)
        const versions = [randomDocument(random)]
        for (const edits of steps) versions.push(randomlyEdited(versions.at(-1)!, random, edits))
        const diffs = versions.slice(1).map((version, i) => diffSynchronously(versions[i]!, version))
        const last = diffs.reduce(applyChanges, versions[0]!)
        expect(toCanonicalJson(last)).toBe(toCanonicalJson(versions.at(-1)!))
        expectRoundTrip(versions.at(-1)!, versions[0]!)
      }),
      { numRuns: chooseForSoak(soakRounds(300), 100) },
    )
  })

  it('control: random edits cover every kind of change in keyed lists, lists without keys, and records', () => {
    const seen = new Set<string>()
    for (let start = 0; start < 60; start++) {
      const random = randomFrom(start)
      const a = randomDocument(random)
      for (const { kind, path, to, from } of diffSynchronously(a, randomlyEdited(a, random, 20))) {
        const container = path.startsWith('/translations/')
          ? 'record'
          : to !== undefined || from !== undefined
            ? 'keyed'
            : /\/\d+$/.test(path)
              ? 'plain'
              : 'field'
        seen.add(`${container} ${kind}`)
      }
    }
    expect([...seen].toSorted().join(', ')).toBe(
      'field added, field changed, field removed, keyed added, keyed moved, keyed removed, keyed renamed, ' +
        'plain added, plain changed, plain removed, record added, record changed, record removed',
    )
  })

  it('applies configuration changes after their conversion to JSON and back', () => {
    fc.assert(
      fc.property(seed, seed, (one, other) => {
        const [a, b] = [randomDocument(randomFrom(one)), randomDocument(randomFrom(other))]
        const changes = JSON.parse(JSON.stringify(diffSynchronously(a, b))) as ReturnType<typeof diffSynchronously>
        expect(toCanonicalJson(applyChanges(a, changes))).toBe(toCanonicalJson(b))
      }),
      { numRuns: soakRounds(200) },
    )
  })

  it('rejects changes that were computed from another document', () => {
    const a: ConfigDocument = { details: { name: 'S', startsOn: '2027-05-11', endsOn: '2027-05-11' }, tags: [{ code: 'vip', name: 'VIP' }] }
    const b: ConfigDocument = { ...a, tags: [{ code: 'vip', name: 'Very important' }] }
    const changes = diffSynchronously(a, b)
    expect(() => applyChanges({ details: a.details }, changes)).toThrow('The change at /tags/vip/name does not fit this document')
  })
})
