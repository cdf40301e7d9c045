import { describe, expect, it } from 'vitest'
import { computeContrastRatio } from '../../../kernel/contrast.ts'
import { CHART_THEMES } from '../chart.ts'
import { PALETTES, getSequentialColor, chooseTextColor } from '../theme.ts'
import { COLOR_BLINDNESS, deltaE2000, toLab } from './color-vision.ts'

const shares = Array.from({ length: 101 }, (_, index) => index / 100)

describe('deltaE2000', () => {
  it('returns the color differences of the published CIEDE2000 test data', () => {
    expect(deltaE2000([50, 2.6772, -79.7751], [50, 0, -82.7485])).toBeCloseTo(2.0425, 4)
    expect(deltaE2000([50, 2.5, 0], [73, 25, -18])).toBeCloseTo(27.1492, 4)
    expect(deltaE2000([50, 2.5, 0], [50, 0, -2.5])).toBeCloseTo(4.3065, 4)
    expect(deltaE2000([2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514])).toBeCloseTo(0.9082, 4)
  })
})

describe.each(CHART_THEMES)('the %s theme', (theme) => {
  const { background, series, others, text, muted, sequence } = PALETTES[theme]

  it('gives text and series colors of charts the contrasts of the specification', () => {
    const lowest = Math.min(...[...series, others].map((color) => computeContrastRatio(color, background)))
    expect(lowest).toBeCloseTo(theme === 'light' ? 4.62 : 7.58, 2)
    for (const color of [text, muted]) expect(computeContrastRatio(color, background)).toBeGreaterThanOrEqual(4.5)
  })

  it.each(Object.keys(COLOR_BLINDNESS) as (keyof typeof COLOR_BLINDNESS)[])(
    'has neighbouring series colors that are distinguishable with %s',
    (kind) => {
      const seen = [...series, others].map((color) => toLab(color, COLOR_BLINDNESS[kind]))
      for (const [index, color] of seen.entries())
        if (index > 0 && index < series.length) expect(deltaE2000(seen[index - 1]!, color)).toBeGreaterThanOrEqual(10)
    },
  )

  it('chooses readable text on every series color and every color of the sequential scale', () => {
    for (const color of [...series, others, ...shares.map((share) => getSequentialColor(PALETTES[theme], share))])
      expect(computeContrastRatio(chooseTextColor(color), color)).toBeGreaterThanOrEqual(4.5)
  })

  it('has a sequential scale whose lightness changes in one direction only', () => {
    const lightness = shares.map((share) => toLab(getSequentialColor(PALETTES[theme], share))[0])
    const direction = Math.sign(lightness.at(-1)! - lightness[0]!)
    for (const [index, value] of lightness.entries())
      if (index > 0) expect((value - lightness[index - 1]!) * direction).toBeGreaterThan(-0.3)
    expect(Math.abs(toLab(sequence[1])[0] - toLab(sequence[0])[0])).toBeGreaterThan(45)
  })
})
