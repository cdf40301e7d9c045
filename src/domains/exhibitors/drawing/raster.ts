import type { InParts } from '../../../kernel/turns.ts'
import type { Point } from '../floor/plan-shapes.ts'
import type { Drawing, Shape } from './drawing.ts'
import { lettersAt } from './lettering.ts'

/** Rows of red, green and blue. */
export interface Bitmap {
  width: number
  height: number
  pixels: Uint8Array
}

/** With the row that is being covered; it is empty between rows. */
interface Canvas extends Bitmap {
  cover: Float32Array
}

const LINES_PER_PIXEL = 4
const SHAPES_PER_TURN = 50

/** Paints a drawing. Edges are as soft as what they cover of a pixel; the same drawing gives the same bytes. */
export function* paint({ width, height, shapes }: Drawing): InParts<Bitmap> {
  const bitmap = { width, height, pixels: new Uint8Array(width * height * 3).fill(255), cover: new Float32Array(width + 1) }
  for (const [i, shape] of shapes.entries()) {
    paintShape(bitmap, shape)
    if (i % SHAPES_PER_TURN === 0) yield
  }
  return bitmap
}

function paintShape(bitmap: Canvas, shape: Shape): void {
  switch (shape.kind) {
    case 'area':
      fill(bitmap, shape.points, shape.fill)
      stroke(bitmap, [...shape.points, shape.points[0]!], shape.edge, shape.edgeWidth)
      return
    case 'line':
      stroke(bitmap, shape.points, shape.edge, shape.edgeWidth)
      return
    case 'dot':
      fill(bitmap, circle(shape.at, shape.radius), shape.fill)
      return
    case 'text':
      if (shape.small) return
      for (const letter of lettersAt(shape.text, shape.at, shape.size)) stroke(bitmap, letter, shape.fill, Math.max(1, shape.size / 9))
  }
}

const circle = ([x, y]: Point, radius: number): Point[] =>
  Array.from({ length: 24 }, (_, i) => [x + radius * Math.cos((i * Math.PI) / 12), y + radius * Math.sin((i * Math.PI) / 12)])

/** Each piece as a bar that ends half its breadth beyond its points, so that pieces join. */
function stroke(bitmap: Canvas, points: readonly Point[], colour: string, breadth: number): void {
  for (let i = 1; i < points.length; i++) {
    const [[ax, ay], [bx, by]] = [points[i - 1]!, points[i]!]
    const length = Math.hypot(bx - ax, by - ay) || 1
    const [ux, uy] = [((bx - ax) / length) * (breadth / 2), ((by - ay) / length) * (breadth / 2)]
    fill(
      bitmap,
      [
        [ax - ux - uy, ay - uy + ux],
        [bx + ux - uy, by + uy + ux],
        [bx + ux + uy, by + uy - ux],
        [ax - ux + uy, ay - uy - ux],
      ],
      colour,
    )
  }
}

function fill(bitmap: Canvas, points: readonly Point[], colour: string): void {
  const ys = points.map(([, y]) => y)
  const [top, bottom] = [Math.max(0, Math.floor(Math.min(...ys))), Math.min(bitmap.height - 1, Math.ceil(Math.max(...ys)))]
  const { cover } = bitmap
  const rgb = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
  for (let row = top; row <= bottom; row++) {
    let [from, until] = [bitmap.width, -1]
    for (let line = 0; line < LINES_PER_PIXEL; line++) {
      const xs = crossings(points, row + (line + 0.5) / LINES_PER_PIXEL)
      for (let i = 0; i + 1 < xs.length; i += 2) {
        const [start, end] = [Math.max(0, xs[i]!), Math.min(bitmap.width, xs[i + 1]!)]
        if (start >= end) continue
        from = Math.min(from, Math.floor(start))
        until = Math.max(until, Math.ceil(end) - 1)
        for (let x = Math.floor(start); x < end; x++) cover[x]! += (Math.min(end, x + 1) - Math.max(start, x)) / LINES_PER_PIXEL
      }
    }
    for (let x = from; x <= until; x++) blend(bitmap, row, x, rgb, Math.min(1, cover[x]!))
    if (from <= until) cover.fill(0, from, until + 1)
  }
}

function crossings(points: readonly Point[], y: number): number[] {
  const xs: number[] = []
  for (let i = 0; i < points.length; i++) {
    const [[ax, ay], [bx, by]] = [points[i]!, points[(i + 1) % points.length]!]
    if (ay > y !== by > y) xs.push(ax + ((y - ay) / (by - ay)) * (bx - ax))
  }
  return xs.sort((a, b) => a - b)
}

function blend({ width, pixels }: Bitmap, row: number, x: number, rgb: readonly number[], share: number): void {
  const at = (row * width + x) * 3
  for (let i = 0; i < 3; i++) pixels[at + i] = Math.round(pixels[at + i]! * (1 - share) + rgb[i]! * share)
}
