import { toMoney } from '../../kernel/money.ts'
import type { Drawing, DrawingPoint, DrawingShape } from '../drawing/drawing.ts'
import type { ResponseComparison } from './compare.ts'
import { COST_CATEGORIES, type CostCategory } from './cost.ts'
import type { PricedOffer } from './offers.ts'

const COLOURS: Record<CostCategory, string> = { rooms: '#2f55d4', food: '#7f95ea', space: '#c98a12', av: '#0f766e', fees: '#9d4edd' }
export const COST_CATEGORY_LABELS: Record<CostCategory, string> = {
  rooms: 'Rooms',
  food: 'Food',
  space: 'Space',
  av: 'Audiovisual',
  fees: 'Fees',
}
const INK = { text: '#111827', muted: '#4b5563', track: '#e5e7eb' }
const MAX_BARS = 20

/** The cost parts that each bar of the chart consists of, from left to right. */
export const COST_CHART_CATEGORIES = ['rooms', 'food', 'space', 'av', 'fees'] as const satisfies readonly (typeof COST_CATEGORIES)[number][]

export const formatMinorUnitAmount = (minor: number, currency: string): string => {
  const [whole = '', decimals] = toMoney(minor, currency).amount.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return decimals === undefined ? grouped : `${grouped}.${decimals}`
}

/** The margin, the height of a bar's row and the text size, as fractions of the drawing's width. */
const SHARES = { margin: 1 / 50, row: 1 / 16, text: 1 / 75 }

/** Returns the chart's width in pixels for a number of bars, so that the longer side of the chart has the requested length. */
const widthOf = (bars: number, pixels: number) => pixels / Math.max(1, SHARES.margin + SHARES.row * bars + SHARES.text * 3)

/** Draws a chart with one bar per response: its cost by part, and a line at the net amount. `longerSide` is in pixels. */
export function drawCostComparisonChart(
  { rfp, currency, offers }: Pick<ResponseComparison, 'rfp' | 'currency' | 'offers'>,
  longerSide: number,
): Drawing {
  const shown = offers.slice(0, MAX_BARS)
  const pixels = widthOf(shown.length, longerSide)
  const [margin, row, size] = [pixels * SHARES.margin, pixels * SHARES.row, pixels * SHARES.text]
  const longest = Math.max(1, ...shown.map(({ gross }) => gross))
  const parts = COST_CHART_CATEGORIES.filter((part) => shown.some((offer) => offer.parts[part] !== 0))
  const bars = shown.flatMap((offer, index) =>
    drawBar(
      offer,
      { x: margin, y: margin + row * index, width: pixels - 2 * margin, row, size, scale: (pixels - 2 * margin) / longest },
      currency,
    ),
  )
  const legendY = margin + row * shown.length + size
  const legend = parts.flatMap((part, index): DrawingShape[] => [
    rectangle(margin + index * size * 10, legendY - size / 2, size, size, COLOURS[part]),
    {
      kind: 'text',
      at: [margin + index * size * 10 + size * 1.5, legendY],
      text: COST_CATEGORY_LABELS[part],
      size,
      fill: INK.muted,
      anchor: 'start',
    },
  ])
  const netX = margin + parts.length * size * 10
  return {
    width: Math.ceil(pixels),
    height: Math.ceil(legendY + size * 2),
    title: `Total cost of the responses to ${rfp.number}`,
    description: shown.map(({ supplier, net }) => `${supplier.name}: ${formatMinorUnitAmount(net, currency)} ${currency} net`).join('; '),
    shapes: [
      ...bars,
      ...legend,
      line(netX, legendY - size / 2, legendY + size / 2),
      { kind: 'text', at: [netX + size, legendY], text: `Net, after concessions (${currency})`, size, fill: INK.muted, anchor: 'start' },
    ],
  }
}

interface Bar {
  x: number
  y: number
  width: number
  row: number
  size: number
  scale: number
}

function drawBar(offer: PricedOffer, { x, y, width, row, size, scale }: Bar, currency: string): DrawingShape[] {
  const [top, height] = [y + size * 1.6, row - size * 2.6]
  let at = x
  const pieces = COST_CHART_CATEGORIES.flatMap((part): DrawingShape[] => {
    const length = Math.max(0, offer.parts[part]) * scale
    const piece = rectangle(at, top, length, height, COLOURS[part])
    at += length
    return length > 0 ? [piece] : []
  })
  const amounts = `${formatMinorUnitAmount(offer.net, currency)} net of ${formatMinorUnitAmount(offer.gross, currency)}`
  return [
    { kind: 'text', at: [x, y + size * 0.7], text: offer.supplier.name.slice(0, 50), size, fill: INK.text, anchor: 'start' },
    { kind: 'text', at: [x + width - amounts.length * size * 0.29, y + size * 0.7], text: amounts, size, fill: INK.text },
    rectangle(x, top, width, height, INK.track),
    ...pieces,
    line(x + Math.max(0, offer.net) * scale, top, top + height),
  ]
}

const rectangle = (x: number, y: number, width: number, height: number, fill: string): DrawingShape => ({
  kind: 'area',
  points: [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
  ],
  fill,
  edge: fill,
  edgeWidth: 0,
})

const line = (x: number, from: number, until: number): DrawingShape => ({
  kind: 'line',
  points: [[x, from] as DrawingPoint, [x, until] as DrawingPoint],
  edge: INK.text,
  edgeWidth: 2,
})
