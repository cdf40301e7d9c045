import { describe, expect, it } from 'vitest'
import { chooseForSoak } from '../../../../test/support/soak.ts'
import { CHART_KINDS, type ChartRequest, type ChartRow } from '../chart.ts'
import { drawChart } from '../draw-chart.ts'
import { listMarkLabels } from './marks.ts'
import { COUNT, manyProducts, NET, PRODUCT, REVENUE_ROWS, SAMPLES } from './samples.ts'

const EXTREME_SIZES = [
  [320, 200],
  [2000, 2000],
  [320, 2000],
  [2000, 200],
] as const

const eur = (amount: string) => ({ amount, currency: 'EUR' })
const bars = (rows: readonly ChartRow[], more: Partial<ChartRequest> = {}): ChartRequest => ({
  kind: 'bar',
  columns: [PRODUCT, NET],
  rows,
  additive: true,
  ...more,
})
const counts = (values: Record<string, number | null>, more: Partial<ChartRequest> = {}): ChartRequest =>
  bars(
    Object.entries(values).map(([productCode, count]) => ({ productCode, count })),
    { columns: [PRODUCT, COUNT], ...more },
  )

describe('drawChart', () => {
  it('draws every kind of chart, with an alternative text', async () => {
    const drawn = new Set(Object.values(SAMPLES).map(({ kind }) => kind))
    expect([...drawn].toSorted()).toEqual(CHART_KINDS.toSorted())
  })

  it('draws one bar per row, with the value in its accessible label', async () => {
    const { svg, shown, merged, table, sums } = await drawChart(bars(REVENUE_ROWS))
    expect(listMarkLabels(svg)).toEqual(['pass: €637.50', 'dinner: €161.82', 'workshop: €127.49'])
    expect({ shown, merged, rows: table.rows, sums }).toEqual({
      shown: 3,
      merged: 0,
      rows: REVENUE_ROWS,
      sums: [{ series: null, sum: eur('926.81') }],
    })
  })

  it.each(['hasOwnProperty', 'constructor', '__proto__', 'width'])('draws a chart whose title and labels are the name %s', async (name) => {
    const { svg } = await drawChart(bars([{ productCode: name, net: eur('5.00') }, ...REVENUE_ROWS], { title: name }))
    expect(svg).toContain(`>${name}</text>`)
    expect(listMarkLabels(svg)).toContain(`${name}: €5.00`)
  })

  it.each(Object.entries(SAMPLES))('adds an accessible label to every mark of the chart %s', async (_, request) => {
    const { svg, shown, table } = await drawChart(request)
    const labels = listMarkLabels(svg)
    const outliers = labels.filter((label) => label.includes('outlier'))
    expect(labels).toHaveLength(shown + outliers.length)
    if (request.kind !== 'line') expect(table.rows).toHaveLength(shown)
  })

  it('writes an accessible SVG without scripts, styles and URLs', async () => {
    const { svg, altText, title } = await drawChart(bars(REVENUE_ROWS))
    const [, id] = /^<svg [^>]*role="img" aria-labelledby="(chart-[0-9a-f]{12})-title" aria-describedby="chart-[0-9a-f]{12}-desc">/.exec(
      svg,
    )!
    expect(svg).toContain(`<title id="${id}-title">${title}</title><desc id="${id}-desc">${altText}</desc>`)
    expect(svg.replaceAll(/xmlns(:xlink)?="[^"]*"/g, '')).not.toMatch(/<script|<style|<image|<foreignObject|href=|https?:|url\(|\son\w+=/i)
  })

  it('escapes markup in the texts of a chart, and removes characters that XML forbids', async () => {
    const names = [
      '</text><script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      'a\u0000b\u0007c',
      '${7*7}{{x}}',
      "datum['constructor']",
      '\u202Eevil',
    ]
    const { svg, renderPng, table } = await drawChart(
      bars(
        names.map((productCode, index) => ({ productCode, net: eur(`${index + 1}.00`) })),
        { title: '<b onload=x>&amp;' },
      ),
    )
    expect(svg).not.toMatch(/<script|<img|<b /)
    expect(listMarkLabels(svg)).toHaveLength(names.length)
    expect((await renderPng()).length).toBeGreaterThan(1000)
    expect(table.rows).toHaveLength(names.length)
  })

  it('returns a Vega-Lite specification without the data of the rows', async () => {
    for (const request of Object.values(SAMPLES)) {
      const { vegaLite } = await drawChart(request)
      expect(JSON.stringify(vegaLite)).not.toMatch(/datasets|pass|attendee|Welcome|Germany|product-/)
    }
  })

  it('returns identical images for equal rows, regardless of charts drawn before', async () => {
    const first = await drawChart(SAMPLES['stacked-area']!)
    await drawChart(SAMPLES['donut']!)
    const second = await drawChart(SAMPLES['stacked-area']!)
    expect(second.svg).toBe(first.svg)
    expect((await second.renderPng()).equals(await first.renderPng())).toBe(true)
  })

  it('draws identical images of a chart if several charts are requested concurrently', async () => {
    const alone = await drawChart(SAMPLES['donut']!)
    const together = await Promise.all([SAMPLES['area']!, SAMPLES['donut']!, SAMPLES['heatmap']!].map(drawChart))
    expect(together[1]!.svg).toBe(alone.svg)
  })

  it('merges 40 bars into 29 and Other, and returns the number of merged bars', async () => {
    const rows = manyProducts(40)
    const { svg, shown, merged, table } = await drawChart(bars(rows))
    expect({ shown, merged, marks: listMarkLabels(svg).length }).toEqual({ shown: 30, merged: 11, marks: 30 })
    const amounts = rows.map((row) => Number((row['net'] as { amount: string }).amount)).toSorted((a, b) => a - b)
    const other = amounts.slice(0, 11).reduce((sum, amount) => sum + amount, 0)
    expect(table.rows.at(-1)).toEqual({ productCode: 'Other', net: eur(other.toFixed(2)) })
    expect((await drawChart(bars(manyProducts(30)))).merged).toBe(0)
    await expect(drawChart(bars(rows, { additive: false }))).rejects.toThrow('bar draws at most 30 values of productCode, and there are 40')
  })

  it('draws horizontal bars if a label has 13 or more characters', async () => {
    const isFlat = async (name: string) => {
      const { vegaLite } = await drawChart(counts({ [name]: 1, b: 2 }))
      return (vegaLite as { layer: { mark: { orient: string } }[] }).layer[0]!.mark.orient === 'horizontal'
    }
    expect([await isFlat('a'.repeat(12)), await isFlat('a'.repeat(13))]).toEqual([false, true])
  })

  it('includes 0 in the axis of bars, also for negative values', async () => {
    for (const values of [
      { a: 980, b: 990 },
      { a: -5, b: 3 },
      { a: -7, b: -2 },
    ]) {
      const { vegaLite } = await drawChart(counts(values))
      const [low, high] = (vegaLite as any).layer[0].encoding.y.scale.domain
      expect(low <= 0 && high >= 0).toBe(true)
    }
  })

  it('shows days without a row as 0 for counts, and as gaps in the line for averages', async () => {
    const columns = [{ name: 'd', label: 'Day', type: 'day' }, COUNT]
    const rows = [
      { d: '2026-10-01', count: 4 },
      { d: '2026-10-04', count: 6 },
    ]
    const request = { kind: 'line', columns, rows } as const
    expect(listMarkLabels((await drawChart({ ...request, additive: true })).svg)).toEqual([
      '1 Oct 2026: 4',
      '2 Oct 2026: 0',
      '3 Oct 2026: 0',
      '4 Oct 2026: 6',
    ])
    expect(listMarkLabels((await drawChart({ ...request, additive: false })).svg)).toEqual(['1 Oct 2026: 4', '4 Oct 2026: 6'])
    expect((await drawChart({ ...request, additive: true, yScale: 'log' })).shown).toBe(2)
  })

  it('shows both hours from 02:00 to 03:00 when clocks are set back', async () => {
    const hours = ['2026-10-25T01:00+02:00', '2026-10-25T02:00+02:00', '2026-10-25T02:00+01:00', '2026-10-25T03:00+01:00']
    const rows = hours.map((hour, count) => ({ hour, count }))
    const { shown } = await drawChart({
      kind: 'line',
      columns: [{ name: 'hour', label: 'Hour', type: 'instant' }, COUNT],
      rows,
      additive: true,
    })
    expect(shown).toBe(4)
  })

  it('labels the slices of a donut with percentages that add up to 100.0', async () => {
    const { svg } = await drawChart(SAMPLES['donut-nps']!)
    expect(listMarkLabels(svg)).toEqual(['Promoters: 3 (50.0%)', 'Passives: 1 (16.7%)', 'Detractors: 2 (33.3%)'])
    for (const values of [
      { a: 1, b: 1, c: 1 },
      { a: 2, b: 2, c: 2, d: 1 },
      { a: 1, b: 999_999 },
    ]) {
      const percents = listMarkLabels((await drawChart(counts(values, { kind: 'donut' }))).svg).map((label) =>
        Number(/\(([\d.]+)%\)/.exec(label)![1]),
      )
      expect(percents.reduce((sum, percent) => sum + Math.round(percent * 10), 0)).toBe(1000)
    }
  })

  it('merges donut slices and line series into Other, so that at most six are shown', async () => {
    expect(await drawChart(counts({ a: 9, b: 8, c: 7, d: 6, e: 5, f: 4, g: 3 }, { kind: 'donut' }))).toMatchObject({ shown: 6, merged: 2 })
    const rows = Array.from({ length: 8 }, (_, index) => ({ d: '2026-10-01', s: `s${index}`, count: index + 1 }))
    const request = {
      kind: 'line',
      columns: [{ name: 'd', label: 'Day', type: 'day' }, { name: 's', label: 'S', type: 'code' }, COUNT],
      rows,
    } as const
    expect(await drawChart({ ...request, additive: true })).toMatchObject({
      shown: 6,
      merged: 3,
      sums: expect.arrayContaining([{ series: 'Other', sum: 6 }]),
    })
    await expect(drawChart({ ...request, additive: false })).rejects.toThrow('line draws at most 6 values of s, and there are 8')
  })

  it.each<[string, ChartRequest]>([
    [
      'donut needs values ≥ 0; min is -89.00',
      bars(
        [
          { productCode: 'a', net: eur('-89.00') },
          { productCode: 'b', net: eur('3.00') },
        ],
        { kind: 'donut' },
      ),
    ],
    ['donut needs values that can be added up', bars(REVENUE_ROWS, { kind: 'donut', additive: false })],
    ['stackedBar needs values that can be added up', bars(REVENUE_ROWS, { kind: 'stackedBar', additive: false })],
    ['funnel needs values ≥ 0; min is -2', counts({ a: 3, b: -2 }, { kind: 'funnel' })],
    [
      'stackedArea needs values ≥ 0; min is -1',
      {
        kind: 'stackedArea',
        columns: [{ name: 'd', label: 'D', type: 'day' }, COUNT],
        rows: [{ d: '2026-10-01', count: -1 }],
        additive: true,
      },
    ],
    [
      'log needs values > 0; min is 0',
      {
        kind: 'line',
        columns: [{ name: 'd', label: 'D', type: 'day' }, COUNT],
        rows: [{ d: '2026-10-01', count: 0 }],
        additive: true,
        yScale: 'log',
      },
    ],
    ['bar starts at 0, which a log scale does not have', counts({ a: 1 }, { yScale: 'log' })],
    ['line needs a date or an ordered key; productCode is neither', counts({ a: 1 }, { kind: 'line' })],
    ['heatmap needs 2 keys', counts({ a: 1 }, { kind: 'heatmap' })],
    ['scatter needs 2 numbers', counts({ a: 1 }, { kind: 'scatter' })],
    [
      'bar needs a number',
      { kind: 'bar', columns: [PRODUCT, { name: 'status', label: 'Status', type: 'enum' }], rows: [], additive: true },
    ],
    [
      'net is in EUR and USD',
      bars([
        { productCode: 'a', net: eur('1.00') },
        { productCode: 'b', net: { amount: '1.00', currency: 'USD' } },
      ]),
    ],
    [
      '"a" has several rows',
      bars([
        { productCode: 'a', net: eur('1.00') },
        { productCode: 'a', net: eur('2.00') },
      ]),
    ],
    ['figure shows 1 value, and there are 2 rows', counts({ a: 1, b: 2 }, { kind: 'figure' })],
    ['the rows have no column "z"', counts({ a: 1 }, { x: 'z' })],
  ])('rejects an unsuitable chart request with the error: %s', async (message, request) => {
    await expect(drawChart(request)).rejects.toThrow(message)
  })

  it.each(CHART_KINDS)('draws the chart kind %s without rows, with one row and with zeros', async (kind) => {
    const columns =
      kind === 'heatmap' || kind === 'scatter'
        ? [{ name: 'd', label: 'D', type: 'integer' }, { name: 'e', label: 'E', type: kind === 'scatter' ? 'integer' : 'code' }, COUNT]
        : [{ name: 'd', label: 'D', type: 'day' }, COUNT]
    const row = (count: number) => ({
      d: kind === 'heatmap' || kind === 'scatter' ? 1 : '2026-10-01',
      e: kind === 'scatter' ? 2 : 'x',
      count,
    })
    const request = { kind, columns, additive: true } as const
    expect((await drawChart({ ...request, rows: [] })).svg).toContain('role="img"')
    for (const count of [1, 0]) expect((await drawChart({ ...request, rows: [row(count)] })).shown).toBe(1)
  })

  it('draws charts in the smallest, largest, widest and highest size, with at most 1 MB per image', async () => {
    const samples = Object.values(SAMPLES)
    for (const [at, [width, height]] of EXTREME_SIZES.entries())
      for (const request of chooseForSoak(
        samples,
        samples.filter((_, n) => n % EXTREME_SIZES.length === at),
      )) {
        const { svg, renderPng } = await drawChart({ ...request, width, height })
        expect(svg).toMatch(new RegExp(`^<svg [^>]*width="${width}" height="${height}"`))
        expect((await renderPng()).length).toBeLessThanOrEqual(1_000_000)
      }
  })

  it('draws a chart in the language and number format of the requested locale', async () => {
    const { altText, table } = await drawChart(bars(manyProducts(40), { locale: 'de' }))
    expect(altText).toMatch(/^Balkendiagramm: Net nach Product\. .*Summe: 25\.075,00\s€\.$/)
    expect(table.rows.at(-1)).toMatchObject({ productCode: 'Andere' })
  })

  it("describes how a chart's single figure differs from its comparison value", async () => {
    const { altText } = await drawChart(SAMPLES['figure']!)
    expect(altText).toContain('+182 (+16.5%) compared with last week')
  })
})
