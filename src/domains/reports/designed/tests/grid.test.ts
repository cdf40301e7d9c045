import { describe, expect, it } from 'vitest'
import { findOverlappingWidgets, findFirstFreeRow, sortWidgetsInReadingOrder, moveWidgetsDown } from '../grid.ts'

const cell = (x: number, y: number, w: number, h: number) => ({ x, y, w, h })

describe('findOverlappingWidgets', () => {
  it('detects an overlap of two report widgets that share a grid square', () => {
    expect(findOverlappingWidgets([cell(0, 0, 6, 4), cell(6, 0, 6, 4), cell(5, 3, 2, 1)])).toEqual([cell(0, 0, 6, 4), cell(5, 3, 2, 1)])
  })

  it('detects no overlap of report widgets that only touch', () => {
    expect(findOverlappingWidgets([cell(0, 0, 6, 4), cell(6, 0, 6, 4), cell(0, 4, 12, 1)])).toBeNull()
  })

  it('finds the same overlaps in random layouts as a comparison of every grid square', () => {
    let seed = 7
    const random = (max: number) => (seed = (seed * 48_271) % 2_147_483_647) % max
    let overlapping = 0
    for (let round = 0; round < 500; round++) {
      const cells = Array.from({ length: 4 }, () => {
        const x = random(12)
        return cell(x, random(12), 1 + random(12 - x), 1 + random(4))
      })
      const squares = cells.flatMap(({ x, y, w, h }) => Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`))
      const expected = new Set(squares).size < squares.length
      if (expected) overlapping++
      expect(findOverlappingWidgets(cells) !== null).toBe(expected)
    }
    expect(overlapping).toBeGreaterThan(50)
    expect(overlapping).toBeLessThan(490)
  })
})

describe('sortWidgetsInReadingOrder', () => {
  it('sorts report widgets from top to bottom, then from left to right', () => {
    expect(sortWidgetsInReadingOrder([cell(6, 0, 6, 1), cell(0, 2, 1, 1), cell(0, 0, 6, 1)])).toEqual([
      cell(0, 0, 6, 1),
      cell(6, 0, 6, 1),
      cell(0, 2, 1, 1),
    ])
  })
})

describe('findFirstFreeRow', () => {
  it('returns the first grid row of a gap that is high enough for a widget, otherwise the row below all widgets', () => {
    const cells = [cell(0, 0, 6, 2), cell(6, 0, 6, 3), cell(0, 5, 12, 1)]
    expect(findFirstFreeRow(cells, 2)).toBe(3)
    expect(findFirstFreeRow(cells, 3)).toBe(6)
    expect(findFirstFreeRow([], 4)).toBe(0)
  })
})

describe('moveWidgetsDown', () => {
  it('moves report widgets down only as far as needed to make room for another widget', () => {
    expect(moveWidgetsDown([cell(0, 0, 12, 2), cell(0, 3, 12, 1)], 2, 3)).toEqual([cell(0, 0, 12, 2), cell(0, 5, 12, 1)])
    expect(moveWidgetsDown([cell(0, 0, 12, 2), cell(0, 9, 12, 1)], 2, 3)).toEqual([cell(0, 0, 12, 2), cell(0, 9, 12, 1)])
  })
})
