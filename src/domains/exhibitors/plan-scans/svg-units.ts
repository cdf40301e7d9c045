import type { AffineTransformation } from '../floor/plan-shapes.ts'
import { combineAffineTransformations } from './curves.ts'

const METRES: Record<string, number> = { mm: 0.001, cm: 0.01, in: 0.0254, pt: 0.0254 / 72, pc: 0.0254 / 6, m: 1, ft: 0.3048 }
const LENGTH = /^\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(px|mm|cm|in|pt|pc|m|ft|em|%)?\s*$/
/** CSS pixels per metre: 96 per inch. */
const PIXELS_PER_METRE = 96 / 0.0254

/** Converts a length attribute to pixels, or user units; null if the attribute is missing or relative. */
export function parseSvgLength(written: string | undefined): number | null {
  const match = LENGTH.exec(written ?? '')
  if (!match || match[2] === '%' || match[2] === 'em') return null
  const value = Number(match[1])
  return match[2] === undefined || match[2] === 'px' ? value : value * METRES[match[2]]! * PIXELS_PER_METRE
}

/** Converts a length attribute with a physical unit to metres; null for pixels and plain numbers. */
export function parseSvgLengthInMetres(written: string | undefined): number | null {
  const match = LENGTH.exec(written ?? '')
  const metres = match?.[2] === undefined ? undefined : METRES[match[2]]
  return match && metres !== undefined && Number(match[1]) > 0 ? Number(match[1]) * metres : null
}

export function parseViewBox(written: string | undefined): [number, number, number, number] | null {
  const numbers = (written ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  return numbers.length === 4 && numbers.every(Number.isFinite) && numbers[2]! > 0 && numbers[3]! > 0
    ? (numbers as [number, number, number, number])
    : null
}

const TRANSFORM = /(matrix|translate|scale|rotate|skewX|skewY)\s*\(([^)]*)\)/g

/** Parses a `transform` attribute. Null if it is missing or empty. */
export function parseTransform(written: string | undefined): AffineTransformation | null {
  let result: AffineTransformation | null = null
  for (const [, name, values] of (written ?? '').matchAll(TRANSFORM)) {
    const numbers = values!
      .trim()
      .split(/[\s,]+/)
      .map(Number)
    const next = toAffine(name!, numbers)
    result = result ? combineAffineTransformations(result, next) : next
  }
  return result
}

function toAffine(name: string, [a = 0, b, c, d = 0, e = 0, f = 0]: number[]): AffineTransformation {
  const radians = (a * Math.PI) / 180
  switch (name) {
    case 'matrix':
      return [a, b ?? 0, c ?? 0, d, e, f]
    case 'translate':
      return [1, 0, 0, 1, a, b ?? 0]
    case 'scale':
      return [a, 0, 0, b ?? a, 0, 0]
    case 'rotate': {
      const turn: AffineTransformation = [Math.cos(radians), Math.sin(radians), -Math.sin(radians), Math.cos(radians), 0, 0]
      if (b === undefined || c === undefined) return turn
      return combineAffineTransformations([1, 0, 0, 1, b, c], combineAffineTransformations(turn, [1, 0, 0, 1, -b, -c]))
    }
    case 'skewX':
      return [1, 0, Math.tan(radians), 1, 0, 0]
    default:
      return [1, Math.tan(radians), 0, 1, 0, 0]
  }
}
