import type { EventContext, ResultImage } from '../../../kernel/context.ts'
import type { Chart } from '../../charts/chart.ts'
import { MAX_PICTURE_BYTES } from '../../drawing/picture.ts'
import { runWithQueryLimit } from '../../figures/query/limit-queries.ts'
import { runInSnapshot } from '../../figures/query/snapshot.ts'
import { describeChartColumn, type PlotRequest, readChartData } from './read-plot.ts'

/** The maximum number of rows that are returned next to the picture. */
const MAX_SHOWN_ROWS = 200

/** Draws the result of a query on this event as a chart and adds the picture to the result of the call. */
export async function drawDataPlot(ctx: EventContext, { format, ...request }: PlotRequest & { format: 'png' | 'svg' }) {
  const { chart, rows, asOf } = await runWithQueryLimit(ctx, () =>
    runInSnapshot(ctx, 'plot_data', (snapshot) => readChartData(snapshot, request)),
  )
  const drawn = await chart()
  ctx.pictures.push(await toImage(drawn, format))
  const shown = drawn.table.rows.slice(0, MAX_SHOWN_ROWS)
  return {
    columns: drawn.table.columns.map((column) => describeChartColumn(rows.columns, column)),
    rows: shown,
    asOf,
    ...(rows.overlapping ? { overlapping: rows.overlapping } : {}),
    ...(rows.suppressed ? { suppressed: rows.suppressed } : {}),
    ...(request.includeTestData ? { withTestData: true as const } : {}),
    ...describeRows(shown.length, drawn.table.rows.length, rows.hasGaps === true),
    sums: [...drawn.sums],
    chart: { kind: drawn.kind, title: drawn.title, altText: drawn.altText, shown: drawn.shown, merged: drawn.merged },
    vegaLite: drawn.vegaLite,
  }
}

function describeRows(shown: number, all: number, hasGaps: boolean): { note?: string } {
  const notes = [
    ...(shown < all ? [`The first ${shown} of ${all} drawn rows; sums are of all`] : []),
    ...(hasGaps ? ['Periods without rows are drawn as 0 and not listed'] : []),
  ]
  return notes.length > 0 ? { note: notes.join('. ') } : {}
}

const toImage = async ({ svg, renderPng }: Chart, format: 'png' | 'svg'): Promise<ResultImage> =>
  format === 'png'
    ? { mimeType: 'image/png', data: await renderPng(MAX_PICTURE_BYTES) }
    : { mimeType: 'image/svg+xml', data: Buffer.from(svg) }
