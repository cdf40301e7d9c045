import { cleanName } from '../../../kernel/clean-text.ts'
import { escapeHtml } from '../../messages/rendering/escape.ts'
import type { Point } from '../floor/plan-shapes.ts'
import type { Drawing, Shape } from './drawing.ts'

/** Escapes user input. */
const escapeText = (text: string) => escapeHtml(cleanName(text))

const formatNumber = (value: number) => String(Math.round(value * 100) / 100)
const toPointList = (points: readonly Point[]) => points.map(([x, y]) => `${formatNumber(x)},${formatNumber(y)}`).join(' ')

function renderShape(shape: Shape): string {
  switch (shape.kind) {
    case 'area':
      return `<polygon points="${toPointList(shape.points)}" fill="${shape.fill}" stroke="${shape.edge}" stroke-width="${formatNumber(shape.edgeWidth)}"/>`
    case 'line':
      return `<polyline points="${toPointList(shape.points)}" fill="none" stroke="${shape.edge}" stroke-width="${formatNumber(shape.edgeWidth)}" stroke-linejoin="round"/>`
    case 'dot':
      return `<circle cx="${formatNumber(shape.at[0])}" cy="${formatNumber(shape.at[1])}" r="${formatNumber(shape.radius)}" fill="${shape.fill}"/>`
    case 'text':
      return `<text x="${formatNumber(shape.at[0])}" y="${formatNumber(shape.at[1])}" font-size="${formatNumber(shape.size)}" fill="${shape.fill}">${escapeText(shape.text)}</text>`
  }
}

/** Converts a drawing to an accessible SVG (with title and description), without external styles or scripts. */
export const toSvg = ({ width, height, title, description, shapes }: Drawing): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="plan-title plan-text" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
  `<title id="plan-title">${escapeText(title)}</title><desc id="plan-text">${escapeText(description)}</desc>` +
  `<g font-family="sans-serif" text-anchor="middle" dominant-baseline="central">${shapes.map(renderShape).join('')}</g></svg>`
