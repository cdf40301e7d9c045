import { Resvg } from '@resvg/resvg-js'
import { describe, expect, it } from 'vitest'
import { DRAWING_FONT_FILE } from '../../../../../test/support/floor-drawings.ts'
import { soakSample } from '../../../../../test/support/soak.ts'
import { createFractionGenerator } from '../../../../../test/support/seeded-fraction.ts'
import type { Point } from '../../floor/plan-shapes.ts'
import { findPictograms } from '../find-pictograms.ts'
import { listTextBoxes } from '../find-text-boxes.ts'
import { findStraightAndSlantedLines } from '../hough-lines.ts'
import { type Bitmap, separateInkFromPaper } from '../raster.ts'
import { findDoorArcs, type RasterLine, removeLines } from '../raster-lines.ts'
import { findRegions } from '../raster-regions.ts'

type Wall = readonly [Point, Point]

function draw(content: string, width: number, height: number): Bitmap {
  const sheet = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#fff"/>${content}</svg>`
  const font = { loadSystemFonts: false, fontFiles: [DRAWING_FONT_FILE], defaultFontFamily: 'Inter' }
  const { pixels } = new Resvg(sheet, { font }).render()
  return { width, height, data: Uint8Array.from({ length: width * height }, (_, i) => pixels[4 * i + 1]!) }
}

/** All lines of a picture, as `readImage` finds them. */
function linesOf(grey: Bitmap) {
  const ink = separateInkFromPaper(grey)
  const longest = Math.max(grey.width, grey.height)
  const regions = findRegions(ink, 'ink')
  return { ink, ...findStraightAndSlantedLines(ink, [...findPictograms(grey, regions), ...listTextBoxes(regions, longest)], 12) }
}

const drawWall = ([[x1, y1], [x2, y2]]: Wall, thickness: number) =>
  `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="#000" stroke-width="${thickness}"/>`

/** A wall of this length and direction around a point. */
const wallAt = ([x, y]: Point, degrees: number, length: number): Wall => {
  const [dx, dy] = [(Math.cos((degrees * Math.PI) / 180) * length) / 2, (Math.sin((degrees * Math.PI) / 180) * length) / 2]
  return [
    [x - dx, y - dy],
    [x + dx, y + dy],
  ]
}

const away = ([ax, ay]: Point, [bx, by]: Point) => Math.hypot(ax - bx, ay - by)
/** Returns how far the ends of the line are from the ends of the wall. */
const errorOf = ([a, b]: Wall, { from, to }: RasterLine) =>
  Math.min(Math.max(away(a, from), away(b, to)), Math.max(away(a, to), away(b, from)))
const nearest = (wall: Wall, lines: readonly RasterLine[]) => Math.min(...lines.map((line) => errorOf(wall, line)))

const ANGLES = [3, 5, 7, 9, 12, 20, 29, 30, 31, 44, 45, 46, 60, 83, 97, 120, 135, 150, 173, 177]

describe('findStraightAndSlantedLines', () => {
  it.each(soakSample([2, 3, 4, 5, 8, 6, 7], 4))(
    'finds walls of %i pixels in every direction within 2.5 pixels at both ends',
    (thickness) => {
      const walls = ANGLES.map((degrees, i) =>
        wallAt([160.3 + (i % 5) * 230, 160.7 + Math.floor(i / 5) * 230], degrees, 180 - (i % 3) * 50),
      )
      const { slanted, straight } = linesOf(draw(walls.map((wall) => drawWall(wall, thickness)).join(''), 1250, 1010))
      expect(slanted).toHaveLength(walls.length)
      for (const wall of walls) expect(nearest(wall, slanted)).toBeLessThan(2.5)
      for (const line of slanted) expect(Math.abs(line.thickness - thickness)).toBeLessThan(1.5)
      // A wall with a small slope has long runs of ink, which are no lines of their own.
      expect(straight).toEqual([])
    },
  )

  it('finds the walls of a hall with slanted sides, with their ends at the corners of the hall', () => {
    const corners: Point[] = [
      [100, 260],
      [260, 100],
      [900, 100],
      [1100, 300],
      [1100, 700],
      [580, 1000],
      [100, 1000],
    ]
    const sides = corners.map((corner, i): Wall => [corner, corners[(i + 1) % corners.length]!])
    // One inner wall connects two walls at 7°, the other one crosses a slanted wall at 30°.
    const inner: Wall[] = [
      [
        [100, 600],
        [1100, 600 - 1000 * Math.tan((7 * Math.PI) / 180)],
      ],
      [
        [400, 800],
        [700, 800 + 300 * Math.tan((30 * Math.PI) / 180)],
      ],
    ]
    const content = `<path d="M${corners.map((corner) => corner.join()).join(' L')} Z" fill="none" stroke="#000" stroke-width="6"/>`
    const { slanted, straight } = linesOf(draw(content + inner.map((wall) => drawWall(wall, 4)).join(''), 1200, 1100))
    const isSlanted = ([[ax, ay], [bx, by]]: Wall) => ax !== bx && ay !== by
    const walls = [...sides.filter(isSlanted), ...inner]
    for (const wall of walls) expect(nearest(wall, slanted)).toBeLessThan(2)
    expect(slanted).toHaveLength(walls.length)
    // The run of an axis-parallel wall includes its corners.
    for (const wall of sides.filter((side) => !isSlanted(side))) expect(nearest(wall, straight)).toBeLessThan(8)
  })

  it('finds a wall that other walls cross and that has small gaps as one line', () => {
    const wall: Wall = [
      [100, 150],
      [700, 500],
    ]
    const dashed = drawWall(wall, 4).replace('/>', ' stroke-dasharray="60 2"/>')
    const others = [200, 330, 460].map((x) => `<path d="M${x} 60 V600" stroke="#000" stroke-width="6"/>`).join('')
    const { slanted } = linesOf(draw(dashed + others, 800, 700))
    expect(slanted).toHaveLength(1)
    expect(nearest(wall, slanted)).toBeLessThan(2)
  })

  it('finds no walls in texts, circles, arcs, hatching, booths and signs', () => {
    const stroke = 'fill="none" stroke="#000" stroke-width="4"'
    const hatch = (x: number, y: number, width: number, height: number, step: number) =>
      `<clipPath id="c${x}"><rect x="${x}" y="${y}" width="${width}" height="${height}"/></clipPath><rect x="${x}" y="${y}" width="${width}" height="${height}" ${stroke}/>` +
      `<path clip-path="url(#c${x})" d="${Array.from({ length: 60 }, (_, i) => `M${x + i * step - height} ${y + height} l${height} ${-height}`).join('')}" ${stroke.replace('"4"', '"2"')}/>`
    const booths = Array.from({ length: 24 }, (_, i) => {
      const [x, y] = [760 + (i % 8) * 70, 500 + Math.floor(i / 8) * 110]
      return `<rect x="${x}" y="${y}" width="60" height="60" ${stroke}/><text x="${x + 8}" y="${y + 40}" font-size="26">A${i + 10}</text>`
    })
    const content = [
      '<text x="60" y="90" font-size="60">WAXMVK 4/7 NZ</text><text x="60" y="150" font-size="22">Way exit AVW 1:200</text>',
      '<text x="60" y="330" font-size="150">HALL 7A</text>',
      ...[20, 60, 150, 290].map((r) => `<circle cx="360" cy="720" r="${r}" ${stroke}/>`),
      `<path d="M1500 1080 a700 700 0 0 0 -560 -200" ${stroke}/><path d="M1200 200 v100 a100 100 0 0 0 100 -100 z" ${stroke}/>`,
      hatch(760, 60, 180, 120, 12),
      hatch(1000, 60, 160, 100, 24),
      ...booths,
      '<polygon points="1400,120 1500,300 1300,300" fill="#000"/>',
    ]
    expect(linesOf(draw(content.join(''), 1600, 1100)).slanted).toEqual([])
  })

  it('finds the same walls on a noisy scan, and identical lines in a second search', () => {
    const random = createFractionGenerator(5)
    const walls = [7, 30, 45, 100, 140].map((degrees, i) => wallAt([200 + (i % 3) * 300, 200 + Math.floor(i / 3) * 300], degrees, 220))
    const clean = draw(walls.map((wall) => drawWall(wall, 5)).join(''), 1000, 700)
    const noisy = { ...clean, data: clean.data.map((value) => Math.max(0, Math.min(255, value + (random() - 0.5) * 90 - 20))) }
    const { slanted } = linesOf(noisy)
    for (const wall of walls) expect(nearest(wall, slanted)).toBeLessThan(2)
    expect(slanted).toHaveLength(walls.length)
    expect(linesOf(noisy).slanted).toEqual(slanted)
  })

  it('finds no long walls in a picture full of random ink', () => {
    const random = createFractionGenerator(3)
    const data = Uint8Array.from({ length: 512 * 512 }, () => (random() < 0.3 ? 1 : 0))
    const { slanted } = findStraightAndSlantedLines({ width: 512, height: 512, data }, [], 12)
    expect(slanted.filter(({ from, to }) => away(from, to) > 60)).toEqual([])
  })
})

describe('findDoorArcs', () => {
  it('finds a door in a slanted wall by its leaf', () => {
    // Along the x axis: a wall with a gap of 80 pixels, the leaf at one side of the gap, and the swing to the other side.
    const door = '<path d="M-250 0 H0 M80 0 H300 M0 0 V80 A80 80 0 0 0 80 0" fill="none" stroke="#000" stroke-width="4"/>'
    const { ink, straight, slanted } = linesOf(draw(`<g transform="translate(400 350) rotate(33)">${door}</g>`, 900, 700))
    const found = findDoorArcs(ink, [...straight, ...slanted], 12, 110)
    expect(found).toHaveLength(1)
    expect(away(found[0]!.centre, [400, 350])).toBeLessThan(5)
    expect(Math.abs(found[0]!.radius - 80)).toBeLessThan(4)
    expect(findDoorArcs(ink, straight, 12, 110)).toEqual([])
  })
})

describe('removeLines', () => {
  it('removes the ink of slanted lines and no other ink from a floor plan picture', () => {
    const [wall, text] = [wallAt([300, 200], 30, 400), '<text x="320" y="150" font-size="40">WC</text>']
    const { ink, slanted } = linesOf(draw(drawWall(wall, 6) + text, 600, 400))
    const alone = separateInkFromPaper(draw(text, 600, 400))
    expect(removeLines(ink, slanted).data.reduce((sum, value, i) => sum + Math.abs(value - alone.data[i]!), 0)).toBe(0)
    expect(removeLines(ink, []).data).not.toEqual(alone.data)
  })
})
