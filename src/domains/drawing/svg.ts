import { cleanName } from '../../kernel/clean-text.ts'
import { escapeHtml } from '../../kernel/escape-html.ts'
import type { Drawing, DrawingPoint, DrawingShape } from './drawing.ts'

/** Removes invisible characters from user input, and escapes it for SVG. */
const escapeText = (text: string) => escapeHtml(cleanName(text))

const formatNumber = (value: number) => String(Math.round(value * 100) / 100)
const toPointList = (points: readonly DrawingPoint[]) => points.map(([x, y]) => `${formatNumber(x)},${formatNumber(y)}`).join(' ')

const DASHES = ' stroke-dasharray="4 3"'

/** Fill patterns by which users distinguish held and blocked booths without colour. */
const PATTERNS = {
  hatch:
    '<pattern id="plan-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0v6" stroke="#b98518" stroke-width="2"/></pattern>',
  cross:
    '<pattern id="plan-cross" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0v6M0 0h6" stroke="#9aa2b1" stroke-width="1.2"/></pattern>',
} as const

function renderArea({ points, fill, edge, edgeWidth, pattern, dashed }: Extract<DrawingShape, { kind: 'area' }>): string {
  const corners = toPointList(points)
  const line = `stroke="${edge}" stroke-width="${formatNumber(edgeWidth)}"${dashed ? DASHES : ''}`
  const plain = `<polygon points="${corners}" fill="${fill}" ${line}/>`
  return pattern ? `${plain}<polygon points="${corners}" fill="url(#plan-${pattern})"/>` : plain
}

const listPatterns = (shape: DrawingShape): (keyof typeof PATTERNS)[] =>
  shape.kind === 'link' ? shape.shapes.flatMap(listPatterns) : shape.kind === 'area' && shape.pattern ? [shape.pattern] : []

function renderDefinitions(shapes: readonly DrawingShape[]): string {
  const used = new Set(shapes.flatMap(listPatterns))
  return used.size === 0
    ? ''
    : `<defs>${[...used]
        .toSorted()
        .map((pattern) => PATTERNS[pattern])
        .join('')}</defs>`
}

function renderShape(shape: DrawingShape): string {
  switch (shape.kind) {
    case 'link':
      return `<a href="${escapeHtml(shape.href)}" aria-label="${escapeText(shape.label)}"${shape.isCurrent ? ' aria-current="true"' : ''}>${shape.shapes.map(renderShape).join('')}</a>`
    case 'area':
      return renderArea(shape)
    case 'line':
      return `<polyline points="${toPointList(shape.points)}" fill="none" stroke="${shape.edge}" stroke-width="${formatNumber(shape.edgeWidth)}" stroke-linejoin="round"/>`
    case 'dot':
      return `<circle cx="${formatNumber(shape.at[0])}" cy="${formatNumber(shape.at[1])}" r="${formatNumber(shape.radius)}" fill="${shape.fill}"${shape.edge ? ` stroke="${shape.edge}" stroke-width="2"` : ''}${shape.dashed ? DASHES : ''}/>`
    case 'text':
      return `<text x="${formatNumber(shape.at[0])}" y="${formatNumber(shape.at[1])}" font-size="${formatNumber(shape.size)}" fill="${shape.fill}"${shape.anchor === 'start' ? ' text-anchor="start"' : ''}>${escapeText(shape.text)}</text>`
  }
}

/**
 * Converts a drawing to an accessible SVG (with title and description), without external styles or scripts. A drawing that contains links
 * has the role `group` instead of `img`.
 */
export function toSvg({ width, height, title, description, shapes }: Drawing): string {
  const isMap = shapes.some(({ kind }) => kind === 'link')
  const role = isMap ? 'role="group" aria-labelledby="plan-title"' : 'role="img" aria-labelledby="plan-title plan-text"'
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" ${role} width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
    `<title id="plan-title">${escapeText(title)}</title>${isMap ? '' : `<desc id="plan-text">${escapeText(description)}</desc>`}${renderDefinitions(shapes)}` +
    `<g font-family="sans-serif" text-anchor="middle" dominant-baseline="central">${shapes.map(renderShape).join('')}</g></svg>`
  )
}
