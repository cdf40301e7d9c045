import { measureText, truncateText } from '../../fonts/text-width.ts'
import { type Drawing, computeHeatMapColour, MIN_TEXT_SIZE, type DrawingShape } from '../../drawing/drawing.ts'
import { type RoomNightCountsOfSource, type RoomNightCounts, sumRoomNightCounts } from './figures.ts'

const LABEL_SHARE = 0.2
const MAX_HOTELS = 40
const MAX_NIGHTS = 31
const LEGIBLE = 9
const COLOURS = { ink: '#111827', muted: '#4b5563', line: '#9ca3af', empty: '#f4f5f6' }

interface PickupTable {
  title: string
  hotels: readonly { id: string; name: string }[]
  pools: readonly RoomNightCountsOfSource[]
}

/**
 * Draws a table of hotels and nights. The colour shows the share of contracted rooms that are booked. The text shows both numbers, or the
 * percentage if the numbers do not fit. Cells begin at whole pixels, so that equal texts have equal pixels, which PNG compresses better.
 */
export function drawPickupTable({ title, hotels, pools }: PickupTable, pixels: number): Drawing {
  const nights = [...new Set(pools.map(({ night }) => night))].toSorted().slice(0, MAX_NIGHTS)
  const byHotel = Map.groupBy(pools, ({ hotelId }) => hotelId)
  const rows = [
    ...hotels.slice(0, MAX_HOTELS).map(({ id, name }) => ({ name, of: byHotel.get(id) ?? [] })),
    { name: 'All hotels', of: pools },
  ]
  const label = Math.round(pixels * LABEL_SHARE)
  const width = Math.floor((pixels - label) / Math.max(1, nights.length))
  const height = 2 * Math.floor(Math.min(40, Math.max(18, pixels / (rows.length + 2))) / 2)
  const size = Math.floor(Math.min(14, height / 2))
  const cells = rows.flatMap(({ name, of }, row): DrawingShape[] => {
    const y = height * (row + 1)
    const byNight = Map.groupBy(of, ({ night }) => night)
    return [
      { kind: 'text', at: [8, y + height / 2], text: truncateText(name, label - 16, size), size, fill: COLOURS.ink, anchor: 'start' },
      ...nights.flatMap((night, column) =>
        toCell(sumRoomNightCounts(byNight.get(night) ?? []), { x: label + width * column, y, width, height, size }),
      ),
    ]
  })
  const header = nights.map((night, column): DrawingShape => ({
    kind: 'text',
    at: [label + width * (column + 0.5), height / 2],
    ...fitText([night.slice(5)], width, size),
    fill: COLOURS.muted,
  }))
  return {
    width: Math.ceil(pixels),
    height: Math.ceil(height * (rows.length + 1)) + 1,
    title,
    description: rows.map(({ name, of }) => `${name}: ${toText(sumRoomNightCounts(of))}`).join('; '),
    shapes: [...header, ...cells],
  }
}

const toText = ({ pickup, contracted }: { pickup: number; contracted: number }) => `${pickup}/${contracted}`

interface Box {
  x: number
  y: number
  width: number
  height: number
  size: number
}

function toCell(figures: RoomNightCounts, { x, y, width, height, size }: Box): DrawingShape[] {
  const area: DrawingShape = {
    kind: 'area',
    points: [
      [x, y],
      [x + width, y],
      [x + width, y + height],
      [x, y + height],
    ],
    fill: figures.contracted === 0 ? COLOURS.empty : computeHeatMapColour(figures.pickup / figures.contracted),
    edge: COLOURS.line,
    edgeWidth: 1,
  }
  if (figures.contracted === 0) return [area]
  const text = fitText([toText(figures), `${Math.round((100 * figures.pickup) / figures.contracted)}%`], width, size)
  return [area, { kind: 'text', at: [x + width / 2, y + height / 2], ...text, fill: COLOURS.ink }]
}

/** Chooses the first text that is legible when it is scaled to the width; if none is, the last text in its largest size that fits. */
function fitText(texts: readonly string[], width: number, size: number): { text: string; size: number } {
  const sizeOf = (text: string) => Math.min(size, Math.floor((width - 4) / measureText(text, 1)))
  const text = texts.find((one) => sizeOf(one) >= LEGIBLE) ?? texts.at(-1)!
  return { text, size: Math.max(MIN_TEXT_SIZE, sizeOf(text)) }
}
