import { type Drawing, heatColour, type Shape } from '../../drawing/drawing.ts'
import { type PoolFigures, sumFigures } from './figures.ts'

const LABEL_SHARE = 0.2
const MAX_HOTELS = 40
const MAX_NIGHTS = 31
const COLOURS = { ink: '#111827', muted: '#4b5563', line: '#9ca3af', empty: '#f4f5f6' }

interface PickupTable {
  title: string
  hotels: readonly { id: string; name: string }[]
  pools: readonly PoolFigures[]
}

/** Draws a table of hotels and nights: the colour is the share of contracted rooms that are booked, the text both numbers. */
export function drawPickup({ title, hotels, pools }: PickupTable, pixels: number): Drawing {
  const nights = [...new Set(pools.map(({ night }) => night))].toSorted().slice(0, MAX_NIGHTS)
  const byHotel = Map.groupBy(pools, ({ hotelId }) => hotelId)
  const rows = [
    ...hotels.slice(0, MAX_HOTELS).map(({ id, name }) => ({ name, of: byHotel.get(id) ?? [] })),
    { name: 'All hotels', of: pools },
  ]
  const label = pixels * LABEL_SHARE
  const width = (pixels - label) / Math.max(1, nights.length)
  const height = Math.min(40, Math.max(18, pixels / (rows.length + 2)))
  const size = Math.min(14, height * 0.45, width / 5)
  const cells = rows.flatMap(({ name, of }, row): Shape[] => [
    { kind: 'text', at: [8, height * (row + 1.5)], text: shorten(name, label / (size * 0.6)), size, fill: COLOURS.ink, anchor: 'start' },
    ...nights.flatMap((night, column) => toCell(of, night, { x: label + width * column, y: height * (row + 1), width, height, size })),
  ])
  const header = nights.map((night, column): Shape => ({
    kind: 'text',
    at: [label + width * (column + 0.5), height / 2],
    text: night.slice(5),
    size,
    fill: COLOURS.muted,
  }))
  return {
    width: Math.ceil(pixels),
    height: Math.ceil(height * (rows.length + 1)) + 1,
    title,
    description: rows.map(({ name, of }) => `${name}: ${toText(sumFigures(of))}`).join('; '),
    shapes: [...header, ...cells],
  }
}

const toText = ({ pickup, contracted }: { pickup: number; contracted: number }) => `${pickup}/${contracted}`

const shorten = (text: string, characters: number) =>
  text.length <= characters ? text : `${text.slice(0, Math.max(1, Math.floor(characters) - 1))}…`

interface Box {
  x: number
  y: number
  width: number
  height: number
  size: number
}

function toCell(of: readonly PoolFigures[], night: string, { x, y, width, height, size }: Box): Shape[] {
  const figures = sumFigures(of.filter((row) => row.night === night))
  const area: Shape = {
    kind: 'area',
    points: [
      [x, y],
      [x + width, y],
      [x + width, y + height],
      [x, y + height],
    ],
    fill: figures.contracted === 0 ? COLOURS.empty : heatColour(figures.pickup / figures.contracted),
    edge: COLOURS.line,
    edgeWidth: 1,
  }
  if (figures.contracted === 0) return [area]
  return [area, { kind: 'text', at: [x + width / 2, y + height / 2], text: toText(figures), size, fill: COLOURS.ink }]
}
