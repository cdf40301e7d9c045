import { describe, expect, it } from 'vitest'
import { groupWidgetsIntoBands } from '../layout.ts'

const item = (id: string, x: number, y: number, w: number, h: number) => ({ widget: { id, x, y, w, h } })

describe('groupWidgetsIntoBands', () => {
  it('splits a report into horizontal bands that no widget crosses, and merges grid rows without a widget edge', () => {
    const bands = groupWidgetsIntoBands([
      item('table', 0, 9, 12, 5),
      item('chart', 0, 0, 8, 6),
      item('low', 8, 2, 4, 4),
      item('top', 8, 0, 4, 2),
    ])
    expect(
      bands.map((band) => band.map(({ item: { widget }, column, width, row, height }) => [widget.id, column, width, row, height])),
    ).toEqual([
      [
        ['chart', 0, 8, 0, 2],
        ['top', 8, 4, 0, 1],
        ['low', 8, 4, 1, 1],
      ],
      [['table', 0, 12, 0, 1]],
    ])
  })
})
