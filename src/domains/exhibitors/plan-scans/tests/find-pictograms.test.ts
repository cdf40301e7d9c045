import { Resvg } from '@resvg/resvg-js'
import { describe, expect, it } from 'vitest'
import { createFractionGenerator } from '../../../../../test/support/seeded-fraction.ts'
import { findPictograms } from '../find-pictograms.ts'
import { PICTOGRAMS } from '../pictograms.ts'
import { type Bitmap, separateInkFromPaper } from '../raster.ts'
import { findRegions } from '../raster-regions.ts'

type Part = (typeof PICTOGRAMS)[number]['parts'][number]

const drawPart = (part: Part) =>
  'circle' in part
    ? `<circle cx="${part.circle[0]}" cy="${part.circle[1]}" r="${part.circle[2]}"/>`
    : `<polygon points="${part.polygon.map((point) => point.join()).join(' ')}"/>`

interface Look {
  sign: string
  figure: string
  frame: number
  margin: number
}

const LOOKS: Look[] = [
  { sign: '#063', figure: '#fff', frame: 0, margin: 6 },
  { sign: '#fff', figure: '#000', frame: 4, margin: 8 },
  { sign: '#1a4fa0', figure: '#fff', frame: 2, margin: 12 },
]

/** Draws a pictogram with this side in pixels at a position of a sheet. */
const drawSign = (figure: string, x: number, y: number, side: number, look: Look) => {
  const whole = 100 + 2 * look.margin
  return (
    `<g transform="translate(${x} ${y}) scale(${side / whole}) translate(${look.margin} ${look.margin})">` +
    `<rect x="${-look.margin}" y="${-look.margin}" width="${whole}" height="${whole}" fill="${look.sign}" stroke="#000" stroke-width="${look.frame}"/>` +
    `<g fill="${look.figure}">${figure}</g></g>`
  )
}

function findOn(content: string, noise: (value: number) => number = (value) => value) {
  const sheet = `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="900"><rect width="900" height="900" fill="#fff"/>${content}</svg>`
  const { pixels, width, height } = new Resvg(sheet).render()
  const grey: Bitmap = { width, height, data: Uint8Array.from({ length: width * height }, (_, i) => noise(pixels[4 * i + 1]!)) }
  return findPictograms(grey, findRegions(separateInkFromPaper(grey), 'ink'))
}

describe('findPictograms', () => {
  it.each([20, 30, 45, 70, 110])('finds every pictogram with a side of %i pixels, dark on light and light on dark', (side) => {
    for (const look of LOOKS) {
      const signs = PICTOGRAMS.map(({ parts }, i) =>
        drawSign(parts.map(drawPart).join(''), 40.3 + (i % 4) * 200, 60.7 + Math.floor(i / 4) * 300, side, look),
      )
      const found = findOn(signs.join(''))
      expect(found.map(({ kind }) => kind).toSorted()).toEqual(PICTOGRAMS.map(({ kind }) => kind).toSorted())
      for (const { kind, left } of found)
        expect(Math.abs(left - (40 + (PICTOGRAMS.findIndex((one) => one.kind === kind) % 4) * 200))).toBeLessThan(4)
    }
  })

  it('finds pictograms on a noisy and slightly distorted scan of a floor plan', () => {
    const random = createFractionGenerator(7)
    const signs = PICTOGRAMS.map(
      ({ parts }, i) =>
        `<g transform="translate(${40 + (i % 4) * 200} ${60 + Math.floor(i / 4) * 300}) skewX(2) scale(1 1.08)">` +
        `${drawSign(parts.map(drawPart).join(''), 0, 0, 60, LOOKS[0]!)}</g>`,
    )
    const found = findOn(signs.join(''), (value) => Math.max(0, Math.min(255, value + (random() - 0.5) * 60)))
    expect(found).toHaveLength(PICTOGRAMS.length)
  })

  it('finds no pictogram in 200 squares with other figures, and none in solid or empty squares', () => {
    const random = createFractionGenerator(11)
    const between = (low: number, high: number) => low + random() * (high - low)
    const shape = () =>
      random() < 0.4
        ? `<circle cx="${between(10, 90)}" cy="${between(10, 90)}" r="${between(5, 30)}"/>`
        : `<rect x="${between(0, 60)}" y="${between(0, 60)}" width="${between(5, 40)}" height="${between(5, 40)}"/>`
    const found: string[] = []
    for (let sheet = 0; sheet < 8; sheet++) {
      const squares = Array.from({ length: 25 }, (_, i) =>
        drawSign(
          Array.from({ length: 1 + (i % 6) }, shape).join(''),
          30 + (i % 5) * 170,
          30 + Math.floor(i / 5) * 170,
          between(20, 100),
          LOOKS[i % 3]!,
        ),
      )
      found.push(...findOn(squares.join('')).map(({ kind, correlation }) => `${kind} ${correlation}`))
    }
    expect(found).toEqual([])
    expect(findOn(LOOKS.map((look, i) => drawSign('', 50 + i * 200, 50, 60, look)).join(''))).toEqual([])
  })
})
