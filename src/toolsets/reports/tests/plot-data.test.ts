import sharp from 'sharp'
import { describe, expect, it, vi } from 'vitest'
import { listMarkLabels } from '../../../domains/charts/tests/marks.ts'
import { deskScenario } from '../../registration/tests/desk.ts'

const desk = deskScenario()
const plot = (args: object) => desk.call('plot_data', args)
const euros = (amount: string) => ({ amount, currency: 'EUR' })

const NET_BY_PRODUCT = { entity: 'orderLine', groupBy: ['productCode'], aggregates: ['sum(net) as net'], orderBy: ['-net'] }

const answer = (args: object) => desk.olga.answer('plot_data', { eventCode: desk.event.eventCode, ...args }) as Promise<any>

async function plotSvg(args: object): Promise<string> {
  const { content } = await answer({ ...args, format: 'svg' })
  return content[1].resource.text
}

const sell = async (lines: { product: string; net: number; tax: number }[]) => {
  const anna = await desk.person({ first_name: 'Anna', last_name: 'Berg', flow_slug: 'attendee' })
  await desk.buys(anna, lines)
}

describe('plot_data', () => {
  it('draws a chart for an event without matching rows', async () => {
    const { chart, rows } = await plot({ ...NET_BY_PRODUCT, chart: 'bar' })
    expect(chart).toMatchObject({ kind: 'bar', shown: 0, merged: 0 })
    expect(rows).toEqual([])
  })

  it('draws one bar per row, and the value of the row in its label', async () => {
    await sell([
      { product: 'pass', net: 63750, tax: 12750 },
      { product: 'dinner', net: 16182, tax: 1618 },
      { product: 'workshop', net: 12749, tax: 2550 },
    ])
    const { rows, sums, chart, vegaLite } = await plot({ ...NET_BY_PRODUCT, chart: 'bar' })
    expect(rows).toEqual((await desk.call('query_data', NET_BY_PRODUCT)).rows)
    expect(sums).toEqual([{ series: null, sum: euros('926.81') }])
    expect(chart.altText).toContain('Highest: pass with €637.50. Lowest: workshop with €127.49. Total: €926.81.')
    expect(JSON.stringify(vegaLite)).not.toMatch(/pass|637|workshop/)
    expect(listMarkLabels(await plotSvg({ ...NET_BY_PRODUCT, chart: 'bar' }))).toEqual([
      'pass: €637.50',
      'dinner: €161.82',
      'workshop: €127.49',
    ])
  })

  it('returns the chart as an image block, and with format svg as an embedded resource without an image', async () => {
    const [text, image, ...more] = (await answer({ ...NET_BY_PRODUCT, chart: 'bar' })).content
    expect(text.type).toBe('text')
    expect(image).toMatchObject({ type: 'image', mimeType: 'image/png' })
    expect(Buffer.from(image.data, 'base64').subarray(1, 4).toString()).toBe('PNG')
    expect(more).toEqual([])
    const [, resource, ...others] = (await answer({ ...NET_BY_PRODUCT, chart: 'bar', format: 'svg' })).content
    expect(resource).toMatchObject({ type: 'resource', resource: { mimeType: 'image/svg+xml' } })
    expect(resource.resource.text).toMatch(/^<svg [^>]*role="img"/)
    expect(others).toEqual([])
  })

  it('renders a PNG only once per call, and not at all for an SVG', async () => {
    const encoded = vi.spyOn(sharp.prototype, 'toBuffer')
    try {
      await answer({ ...NET_BY_PRODUCT, chart: 'bar', format: 'svg' })
      expect(encoded).not.toHaveBeenCalled()
      await answer({ ...NET_BY_PRODUCT, chart: 'bar' })
      expect(encoded).toHaveBeenCalledOnce()
    } finally {
      encoded.mockRestore()
    }
  })

  it('returns a text alternative of any length if the labels of the chart are long', async () => {
    await sell([{ product: 'pass', net: 63750, tax: 12750 }])
    const title = 'Amounts of every line of every order '.repeat(5)
    const { chart } = await plot({ entity: 'orderLine', fields: ['net', 'productCode'], chart: 'boxplot', title, locale: 'de' })
    expect(chart.altText.length).toBeGreaterThan(300)
  })

  it.each([
    ['series', { ...NET_BY_PRODUCT, chart: 'donut', series: 'productCode' }],
    ['series', { ...NET_BY_PRODUCT, chart: 'funnel', series: 'productCode' }],
    ['series', { entity: 'orderLine', chart: 'histogram', field: 'net', series: 'productCode' }],
    ['series', { entity: 'orderLine', chart: 'boxplot', field: 'net', series: 'productCode' }],
    ['series', { entity: 'orderLine', chart: 'scatter', x: 'net', y: 'tax', series: 'productCode' }],
    ['series', { chart: 'figure', metrics: ['money.net'], series: 'money.net' }],
    ['yScale', { ...NET_BY_PRODUCT, chart: 'donut', yScale: 'log' }],
    ['yScale', { ...NET_BY_PRODUCT, chart: 'funnel', yScale: 'log' }],
    ['yScale', { ...NET_BY_PRODUCT, groupBy: ['productCode', 'kind'], chart: 'heatmap', yScale: 'log' }],
    ['yScale', { chart: 'figure', metrics: ['money.net'], yScale: 'log' }],
    ['x', { entity: 'orderLine', chart: 'histogram', field: 'net', x: 'tax' }],
    ['x', { chart: 'figure', metrics: ['money.net'], x: 'money.net' }],
    ['field', { entity: 'orderLine', chart: 'scatter', x: 'net', y: 'tax', field: 'total' }],
    ['field', { entity: 'orderLine', chart: 'histogram', field: 'net', y: 'tax' }],
    ['fill', { entity: 'orderLine', chart: 'histogram', field: 'net', fill: 'zero' }],
    ['calculate', { entity: 'orderLine', chart: 'scatter', x: 'net', y: 'tax', calculate: ['a = 1'] }],
  ])('refuses %s for a kind of chart that would ignore it: %j', async (path, args) => {
    expect(await desk.refused('plot_data', args)).toMatchObject({ code: 'invalid_arguments', fields: [{ path }] })
  })

  it('returns identical bytes if the same chart is drawn twice', async () => {
    await sell([{ product: 'pass', net: 63750, tax: 12750 }])
    const draw = async () => JSON.stringify((await answer({ ...NET_BY_PRODUCT, chart: 'bar' })).content[1])
    expect(await draw()).toBe(await draw())
    expect(await plotSvg({ ...NET_BY_PRODUCT, chart: 'donut' })).toBe(await plotSvg({ ...NET_BY_PRODUCT, chart: 'donut' }))
  })

  it('merges 40 products into 29 bars and a bar for the sum of the other 11', async () => {
    await sell(Array.from({ length: 40 }, (_, index) => ({ product: `extra${index}`, net: 1000 + index * 7, tax: 0 })))
    const all = (await desk.call('query_data', NET_BY_PRODUCT)).rows
    expect(all).toHaveLength(40)
    const { rows, chart } = await plot({ ...NET_BY_PRODUCT, chart: 'bar' })
    expect(chart).toMatchObject({ shown: 30, merged: 11 })
    const smallest = all.slice(29).reduce((sum: number, { net }: any) => sum + Math.round(Number(net.amount) * 100), 0)
    expect(rows.at(-1)).toEqual({ productCode: 'Other', net: euros((smallest / 100).toFixed(2)) })
    expect(rows.slice(0, 29)).toEqual(all.slice(0, 29))
    expect(listMarkLabels(await plotSvg({ ...NET_BY_PRODUCT, chart: 'bar' }))).toHaveLength(30)
    await expect(plot({ ...NET_BY_PRODUCT, aggregates: ['avg(net) as net'], chart: 'bar' })).rejects.toThrow('cannot be added up to Other')
  })

  it('draws a count for each day, and an empty chart if there are no rows', async () => {
    const query = { entity: 'participant', groupBy: ['createdAt:day'], chart: 'line' }
    expect((await plot(query)).chart).toMatchObject({ kind: 'line', shown: 0 })
    await sell([{ product: 'pass', net: 8900, tax: 0 }])
    const { rows, chart } = await plot(query)
    expect(rows).toEqual((await desk.call('query_data', { entity: 'participant', groupBy: ['createdAt:day'] })).rows)
    expect(chart).toMatchObject({ shown: 1, merged: 0 })
  })

  it('draws a long period with many series, of which the smallest are merged into Other', async () => {
    const first = Date.UTC(2024, 0, 1, 10)
    for (let title = 0; title < 12; title++)
      for (const day of [0, 850, 80 * title])
        await desk.person({ flow_slug: 'attendee', job_title: `Title ${title}`, completed_at: new Date(first + day * 86_400_000) })
    const query = { entity: 'participant', groupBy: ['completedAt:day', 'jobTitle'], chart: 'line' }
    // 12 series on 881 days are more than 10,000 groups, so empty days are drawn without a row.
    const { chart, sums, note, rows } = await plot(query)
    expect(chart).toMatchObject({ shown: 6 * 881 })
    expect(sums).toHaveLength(6)
    expect(sums.reduce((total: number, { sum }: any) => total + sum, 0)).toBe(36)
    expect(rows.reduce((total: number, { count }: any) => total + count, 0)).toBe(36)
    expect(note).toBe('Periods without rows are drawn as 0 and not listed')
    expect((await plot({ ...query, chart: 'stackedArea' })).chart).toMatchObject({ shown: 6 * 881 })
    const byWeek = await plot({ ...query, groupBy: ['completedAt:week', 'jobTitle'] })
    expect(byWeek.note).toBe('The first 200 of 756 drawn rows; sums are of all')
    await expect(plot({ ...query, groupBy: ['completedAt:hour'] })).rejects.toThrow(
      'line has more than 5,000 periods of one hour: group by a larger bucket, such as day, or filter by a shorter time',
    )
  })

  it('draws the distribution of a numeric field', async () => {
    await sell(Array.from({ length: 40 }, (_, index) => ({ product: `extra${index}`, net: 1000 + index * 7, tax: 0 })))
    const { rows, columns } = await plot({ entity: 'orderLine', field: 'net', chart: 'histogram' })
    expect(columns.map(({ name }: any) => name)).toEqual(['from', 'until', 'count'])
    expect(rows.reduce((sum: number, { count }: any) => sum + count, 0)).toBe(40)
  })

  it('refuses query results that the type of chart cannot show', async () => {
    await sell([
      { product: 'pass', net: 8900, tax: 0 },
      { product: 'dinner', net: 1000, tax: 0 },
    ])
    const losses = { ...NET_BY_PRODUCT, calculate: ['loss = net - net - net'], y: 'loss' }
    await expect(plot({ ...losses, chart: 'donut' })).rejects.toThrow('donut needs values ≥ 0; min is -89')
    await expect(plot({ ...losses, chart: 'scatter', yScale: 'log', x: 'net' })).rejects.toThrow('log needs values > 0; min is -89')
    await expect(plot({ ...NET_BY_PRODUCT, chart: 'line' })).rejects.toThrow('line needs a date or an ordered key')
    await expect(plot({ ...NET_BY_PRODUCT, chart: 'bar', y: 'gross' })).rejects.toThrow('have no column "gross"')
    await expect(plot({ ...NET_BY_PRODUCT, chart: 'figure' })).rejects.toThrow('figure shows 1 value')
  })

  it('formats the value of a metric in the language of the caller', async () => {
    const { chart, rows } = await plot({ metrics: ['money.net'], chart: 'figure', locale: 'de' })
    expect(rows).toHaveLength(1)
    expect(chart.altText).toMatch(/^Kennzahl: /)
  })

  it('refuses to draw fields that the caller may not read', async () => {
    const analyst = await desk.world.organizer({ at: desk.event, role: 'analyst' })
    const args = { eventCode: desk.event.eventCode, entity: 'participant', groupBy: ['mobilePhone'], chart: 'bar' }
    await expect(analyst.call('plot_data', args)).rejects.toThrow('Forbidden — plot_data requires the personal.read permission')
  })
})
