import type { PixelBox } from './hough-lines.ts'
import type { PixelRegion } from './raster-regions.ts'

/** Maximum size of a letter or symbol (a connected region of dark pixels), as a share of the picture. */
const MAX_SYMBOL_SHARE = 1 / 24
/** Maximum size of a larger letter, such as one in a title. A region of this size is a letter only if a similar one is next to it. */
const MAX_LETTER_SHARE = 1 / 6
const MAX_LETTER_ASPECT = 2
const MAX_LETTERS = 2000

/** Lists the boxes around letters and small symbols, whose slanted strokes are not walls. */
export function listTextBoxes(regions: readonly PixelRegion[], longest: number): PixelBox[] {
  const boxes = regions.map(({ left, top, right, bottom }) => ({ left, top, right: right + 1, bottom: bottom + 1 }))
  const sizeOf = ({ left, top, right, bottom }: PixelBox) => Math.max(right - left, bottom - top)
  const small = boxes.filter((box) => sizeOf(box) <= longest * MAX_SYMBOL_SHARE)
  const large = boxes
    .filter((box) => sizeOf(box) > longest * MAX_SYMBOL_SHARE && sizeOf(box) <= longest * MAX_LETTER_SHARE)
    .filter(({ left, top, right, bottom }) => right - left <= (bottom - top) * MAX_LETTER_ASPECT)
    .slice(0, MAX_LETTERS)
  return [...small, ...large.filter((box) => large.some((other) => other !== box && areLetters(box, other)))]
}

/** Whether the boxes are of the same height and next to each other on one line of text. */
function areLetters(one: PixelBox, other: PixelBox): boolean {
  const [height, otherHeight] = [one.bottom - one.top, other.bottom - other.top]
  const most = Math.max(height, otherHeight)
  const shared = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
  const gap = Math.max(one.left, other.left) - Math.min(one.right, other.right)
  return shared >= 0.8 * most && gap <= 0.8 * most
}
