import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseForSoak, soakSeed } from '../../../../test/support/soak.ts'
import { compareScansByTime, findRepeatedScans, type ReplayedScan } from '../replay.ts'

const START = Date.parse('2027-03-02T09:00:00Z')

const scans = (row: number | null) =>
  fc.array(
    fc
      .record({
        place: fc.constantFrom('event', 'gate:main'),
        direction: fc.constantFrom('in' as const, 'out' as const),
        second: fc.integer({ min: 0, max: 90 }),
        deviceName: fc.constantFrom('A', 'B'),
      })
      .map(({ second, ...scan }): ReplayedScan => {
        return { ...scan, id: '', at: new Date(START + second * 1000), nonce: '', flag: null, duplicateOf: null, row }
      }),
    { maxLength: 25 },
  )

/** Compares each new scan with all scans that are kept. */
function findRepeatedScansByComparingAll(stored: readonly ReplayedScan[], added: readonly ReplayedScan[], seconds: number) {
  const kept = [...stored]
  return new Set(
    added.toSorted(compareScansByTime).filter((scan) => {
      const repeats = kept.some(
        (other) =>
          other.place === scan.place &&
          other.direction === scan.direction &&
          Math.abs(other.at.getTime() - scan.at.getTime()) < seconds * 1000,
      )
      if (!repeats) kept.push(scan)
      return repeats
    }),
  )
}

describe('findRepeatedScans', () => {
  it('finds the same scans as a comparison of each new scan with all kept scans', () => {
    fc.assert(
      fc.property(scans(null), scans(1), fc.constantFrom(0, 1, 5, 30), (stored, added, seconds) => {
        const [repeats, expected] = [findRepeatedScans, findRepeatedScansByComparingAll].map((find) => find(stored, added, seconds))
        expect(added.map((scan) => repeats!.has(scan))).toEqual(added.map((scan) => expected!.has(scan)))
      }),
      { numRuns: chooseForSoak(20_000, 1000), seed: soakSeed(31) },
    )
  })

  it('reads the time of each of 5,000 scans of one person a bounded number of times', () => {
    let reads = 0
    const added = Array.from({ length: 5000 }, (_, n): ReplayedScan => {
      const time = START + n * 5000
      const at = Object.assign(new Date(time), { getTime: () => (reads++, time) })
      return {
        id: '',
        place: 'event',
        direction: n % 2 ? 'out' : 'in',
        at,
        deviceName: '',
        nonce: '',
        flag: null,
        duplicateOf: null,
        row: n,
      }
    })
    expect(findRepeatedScans([], added, 1)).toEqual(new Set())
    expect(reads).toBeLessThan(added.length * 50)
    reads = 0
    findRepeatedScans([], added, 0)
    expect(reads).toBe(0)
  })
})
