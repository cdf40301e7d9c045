import { z } from 'zod'
import { toOneLine, count, keepNullInResult, list, locale, name, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { CHART_KINDS, CHART_THEMES, Y_SCALES } from '../../domains/charts/chart.ts'
import { queryArguments, queryResultFields } from '../../domains/figures/query/arguments.ts'
import { drawDataPlot } from '../../domains/reports/plots/plot-data.ts'

const { columns, rows, asOf, overlapping, suppressed, withTestData, note } = queryResultFields

// Title and text alternative have no length limit, because they are composed of several labels.
const ChartShape = object({
  kind: oneOf(CHART_KINDS),
  title: z.string(),
  altText: z.string(),
  shown: count(),
  merged: count(),
})
const SumShape = object({ series: keepNullInResult(text().nullable()), sum: z.unknown() })

export default eventTool({
  name: 'plot_data',
  title: 'Draw a chart',
  description:
    'Draw a chart, graph or picture of any figures of an event, for slides: where the money comes from by ticket type, bars, lines over time, shares, heat maps, funnels, one big number. Takes the query of query_data, which answers with numbers alone. Returns the picture, the drawn rows and a text alternative.',
  effect: 'read',
  toleratesLag: true,
  permission: 'reports.read',
  input: {
    ...queryArguments,
    chart: oneOf(CHART_KINDS),
    field: text(120).optional(),
    x: text(120).optional(),
    y: text(120).optional(),
    series: text(120).optional(),
    title: name(200).optional(),
    theme: oneOf(CHART_THEMES).default('light'),
    format: oneOf(['png', 'svg']).default('png'),
    width: count(320, 2000).optional(),
    height: count(200, 2000).optional(),
    locale: locale().optional(),
    yScale: oneOf(Y_SCALES).optional(),
  },
  output: {
    columns,
    rows,
    asOf,
    overlapping,
    suppressed,
    withTestData,
    note,
    sums: list(toOneLine(SumShape, 'series, sum')),
    chart: toOneLine(ChartShape, 'kind, title, altText, shown, merged (into Other)'),
    vegaLite: z.record(z.string(), z.unknown()),
  },
  run: drawDataPlot,
})
