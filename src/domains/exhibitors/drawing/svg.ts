import { cleanName } from '../../../kernel/outside-text.ts'
import { escapeHtml } from '../../messages/rendering/escape.ts'
import type { Point } from '../floor/plan-shapes.ts'
import type { Drawing, Shape } from './drawing.ts'

/** Whatever people wrote is text here, never markup. */
const said = (text: string) => escapeHtml(cleanName(text))

const number = (value: number) => String(Math.round(value * 100) / 100)
const listed = (points: readonly Point[]) => points.map(([x, y]) => `${number(x)},${number(y)}`).join(' ')

function written(shape: Shape): string {
  switch (shape.kind) {
    case 'area':
      return `<polygon points="${listed(shape.points)}" fill="${shape.fill}" stroke="${shape.edge}" stroke-width="${number(shape.edgeWidth)}"/>`
    case 'line':
      return `<polyline points="${listed(shape.points)}" fill="none" stroke="${shape.edge}" stroke-width="${number(shape.edgeWidth)}" stroke-linejoin="round"/>`
    case 'dot':
      return `<circle cx="${number(shape.at[0])}" cy="${number(shape.at[1])}" r="${number(shape.radius)}" fill="${shape.fill}"/>`
    case 'text':
      return `<text x="${number(shape.at[0])}" y="${number(shape.at[1])}" font-size="${number(shape.size)}" fill="${shape.fill}">${said(shape.text)}</text>`
  }
}

/** For pages: it has its own words for those who do not see it, and needs no styles or scripts. */
export const toSvg = ({ width, height, title, description, shapes }: Drawing): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="plan-title plan-text" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
  `<title id="plan-title">${said(title)}</title><desc id="plan-text">${said(description)}</desc>` +
  `<g font-family="sans-serif" text-anchor="middle" dominant-baseline="central">${shapes.map(written).join('')}</g></svg>`
