import { expect, test } from 'vitest'
import type { DrawingShape } from '../../drawing/drawing.ts'
import { renderPictureForAssistant } from '../../drawing/picture.ts'
import { measureText } from '../../fonts/text-width.ts'
import { drawPickupTable } from '../summary/pickup-picture.ts'

const PIXELS = 1200

const createTable = (hotels: number, nights: number, rooms: number) => {
  const named = Array.from({ length: hotels }, (_, n) => ({ id: `h${n}`, name: `Hotel ${n + 1} by the old harbour gate` }))
  const pools = named.flatMap(({ id }, hotel) =>
    Array.from({ length: nights }, (_, night) => ({
      hotelId: id,
      roomTypeCode: 'king',
      night: `2026-10-${String(night + 1).padStart(2, '0')}`,
      blockId: null,
      contracted: rooms,
      returned: 0,
      allocated: 0,
      pickup: (hotel * 7 + night * 3) % (rooms + 1),
      held: 0,
      freeSell: 0,
    })),
  )
  return { title: 'Pickup', hotels: named, pools }
}

const listTexts = (shapes: readonly DrawingShape[]) => shapes.filter((shape) => shape.kind === 'text')

test.each([
  [1, 1, 40],
  [4, 14, 120],
  [20, 14, 300],
  [20, 31, 300],
  [40, 14, 9999],
  [80, 31, 3000],
])('draws %i hotels in %i nights with %i rooms so that each text fits and the picture keeps its size', async (hotels, nights, rooms) => {
  const table = createTable(hotels, nights, rooms)
  const { shapes } = drawPickupTable(table, PIXELS)
  const column = Math.floor((PIXELS * 0.8) / nights)
  const shown = Math.min(40, hotels)
  const texts = listTexts(shapes)
  expect(texts).toHaveLength(nights + (shown + 1) * (nights + 1))
  for (const { text, size, anchor } of texts) {
    expect(size).toBeGreaterThanOrEqual(9)
    expect(measureText(text, size)).toBeLessThan(anchor === 'start' ? PIXELS * 0.2 : column)
  }
  const { data } = await renderPictureForAssistant((pixels) => drawPickupTable(table, pixels))
  expect(data.length).toBeLessThanOrEqual(150_000)
  expect(data.readUInt32BE(16)).toBe(PIXELS)
})

test('writes numbers of rooms into cells where they fit, and otherwise percentages', () => {
  const wide = listTexts(drawPickupTable(createTable(4, 14, 120), PIXELS).shapes).map(({ text }) => text)
  expect(wide).toContain('10-14')
  expect(wide).toContain('39/120')
  expect(wide).not.toContain('33%')
  const narrow = listTexts(drawPickupTable(createTable(4, 31, 120), PIXELS).shapes).map(({ text }) => text)
  expect(narrow).toContain('10-31')
  expect(narrow).toContain('33%')
  expect(narrow).not.toContain('39/120')
})
