import type { FontSubset } from './font-parts.ts'
import { splitIntoFontRuns } from './font-runs.ts'

interface OutlinedText {
  /** SVG paths of the letters at the size of 1 em, whose baseline starts at the origin. */
  paths: string
  /** Width of the text in em. */
  width: number
}

/** Measures the width of a text that is set in several fonts, in em. */
export const measureTextInFonts = (text: string, fonts: readonly FontSubset[], weight: number): number =>
  splitIntoFontRuns(text, fonts).reduce((sum, { font, text: run }) => {
    const opened = font.openAt(weight)
    return sum + opened.layout(run).advanceWidth / opened.unitsPerEm
  }, 0)

/** Draws a text as outlines of its letters, for renderers that have no font for it. */
export function drawTextAsOutlines(text: string, fonts: readonly FontSubset[], weight: number): OutlinedText {
  const paths: string[] = []
  let x = 0
  for (const { font, text: run } of splitIntoFontRuns(text, fonts)) {
    const opened = font.openAt(weight)
    const { glyphs, positions } = opened.layout(run)
    const scale = 1 / opened.unitsPerEm
    glyphs.forEach(({ path }, index) => {
      const { xAdvance, xOffset, yOffset } = positions[index]!
      const d = path.toSVG()
      if (d !== '')
        paths.push(
          `<path transform="translate(${round(x + xOffset * scale)} ${round(-yOffset * scale)}) scale(${scale} ${-scale})" d="${d}"/>`,
        )
      x += xAdvance * scale
    })
  }
  return { paths: paths.join(''), width: x }
}

const round = (value: number) => Math.round(value * 1e5) / 1e5
