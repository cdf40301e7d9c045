import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { CHART_THEMES } from '../chart.ts'
import { drawChart } from '../draw-chart.ts'
import { SAMPLES } from './samples.ts'

/** With `UPDATE_PICTURES=1` the test writes the expected images. View each of them before committing it. */
const isUpdating = process.env['UPDATE_PICTURES'] === '1'
const FOLDER = new URL('./pictures/', import.meta.url)

/** Images are blurred before they are compared, so that differences in the rendering of letter edges do not count. */
const BLUR = 1.2
/** The smallest color difference that is visible side by side. */
const VISIBLE = 12
const MAX_SHARE = 0.0001

const readPixels = async (png: Buffer) => sharp(png).removeAlpha().blur(BLUR).raw().toBuffer({ resolveWithObject: true })

/** Returns the share of pixels that differ visibly. Green differences count most and blue least, as for the human eye. */
async function measureDifference(first: Buffer, second: Buffer): Promise<number> {
  const [a, b] = await Promise.all([readPixels(first), readPixels(second)])
  if (a.info.width !== b.info.width || a.info.height !== b.info.height) return 1
  let different = 0
  for (let at = 0; at < a.data.length; at += 3) {
    const [red, green, blue] = [0, 1, 2].map((channel) => a.data[at + channel]! - b.data[at + channel]!) as [number, number, number]
    if (Math.sqrt(0.3 * red ** 2 + 0.59 * green ** 2 + 0.11 * blue ** 2) > VISIBLE) different++
  }
  return different / (a.info.width * a.info.height)
}

const cases = Object.entries(SAMPLES).flatMap(([name, request]) =>
  CHART_THEMES.map((theme) => ({ name: `${name}-${theme}`, request, theme })),
)

describe('images of drawChart', () => {
  it.each(cases)('draws an image that looks like the stored reference image $name', async ({ name, request, theme }) => {
    const png = await (await drawChart({ ...request, theme })).renderPng()
    const file = new URL(`${name}.png`, FOLDER)
    if (isUpdating) {
      mkdirSync(FOLDER, { recursive: true })
      writeFileSync(file, png)
    }
    expect(existsSync(file)).toBe(true)
    expect(await measureDifference(png, readFileSync(file))).toBeLessThanOrEqual(MAX_SHARE)
  })

  it.each(['scatter', 'bar-scripts', 'stacked-area'])(
    'renders the chart %s with fewer colours, and with a smaller size only if that is not enough',
    async (name) => {
      const { renderPng } = await drawChart(SAMPLES[name]!)
      const exact = await renderPng()
      const [reduced, small] = [await renderPng(exact.length - 1), await renderPng(10_000)]
      expect(reduced.length).toBeLessThan(exact.length)
      expect(small.length).toBeLessThanOrEqual(10_000)
      const widthOf = (png: Buffer) => png.readUInt32BE(16)
      expect(widthOf(reduced)).toBe(widthOf(exact))
      expect(widthOf(small)).toBeLessThan(widthOf(exact))
    },
  )

  it('measures a visible difference between two chart images if a value, a label or the theme differs', async () => {
    const request = SAMPLES['bar-revenue']!
    const png = await (await drawChart(request)).renderPng()
    const [first, ...rest] = request.rows
    for (const changed of [
      { ...request, rows: [{ ...first!, net: { amount: '600.00', currency: 'EUR' } }, ...rest] },
      { ...request, rows: [{ ...first!, productCode: 'ticket' }, ...rest] },
      { ...request, title: 'Net by Ticket' },
      { ...request, theme: 'dark' as const },
    ])
      expect(await measureDifference(png, await (await drawChart(changed)).renderPng())).toBeGreaterThan(MAX_SHARE)
  })
})
