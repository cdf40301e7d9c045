import type { PdfTextItem } from './pdf-file.ts'
import type { SourceDrawingText } from './source-drawing.ts'

/** Maximum gap between two text items of one word, as a multiple of the text height. */
const SAME_WORD = 0.15
/** Maximum gap between two words of one text, as a multiple of the text height. */
const SAME_TEXT = 0.8

interface Line {
  text: string
  x: number
  y: number
  width: number
  height: number
  turn: number
}

/** Joins the text items of a PDF page into whole texts, because many programs write each letter as a separate item. */
export function joinTextItems(items: readonly PdfTextItem[]): SourceDrawingText[] {
  const lines: Line[] = []
  for (const { str = '', transform, width, height } of items) {
    if (str.trim() === '') continue
    const [a = 1, b = 0, , , x = 0, y = 0] = transform
    const line: Line = { text: str, x, y, width, height: height || Math.hypot(a, b), turn: Math.atan2(b, a) }
    const last = lines.at(-1)
    const gap = last && gapBetween(last, line)
    if (last && gap !== undefined && gap !== null && gap <= SAME_TEXT * last.height) {
      last.text += (gap > SAME_WORD * last.height && !last.text.endsWith(' ') ? ' ' : '') + str
      last.width += gap + width
    } else lines.push(line)
  }
  return lines.map(({ text, x, y, width, height, turn }) => ({
    text,
    at: [
      x + (Math.cos(turn) * width) / 2 - (Math.sin(turn) * height) / 3,
      y + (Math.sin(turn) * width) / 2 + (Math.cos(turn) * height) / 3,
    ],
    height,
    names: [],
  }))
}

/** Returns the gap between two text items on the same line; null if they are on different lines. */
function gapBetween(one: Line, next: Line): number | null {
  if (Math.abs(one.turn - next.turn) > 0.01 || Math.abs(one.height - next.height) > one.height * 0.2) return null
  const [cos, sin] = [Math.cos(one.turn), Math.sin(one.turn)]
  const [dx, dy] = [next.x - one.x, next.y - one.y]
  if (Math.abs(dy * cos - dx * sin) > one.height * 0.3) return null
  const gap = dx * cos + dy * sin - one.width
  return gap >= -one.height * 0.5 ? gap : null
}
