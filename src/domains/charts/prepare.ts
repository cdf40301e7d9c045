import { cleanName } from '../../kernel/clean-text.ts'
import { formatCountryName, formatNumber } from '../../kernel/language/format.ts'
import { type Translator, chooseTranslator } from '../../kernel/language/translator.ts'
import {
  type ChartColumn,
  type ChartRequest,
  type ChartRow,
  type ChartTheme,
  type ChartValue,
  DEFAULT_CHART_HEIGHT,
  DEFAULT_CHART_WIDTH,
} from './chart.ts'
import { isMoney, isNumericChartColumn, type ChartMeasure, createChartMeasure, createUnsuitableDataError } from './measures.ts'
import { formatTimeAxisMoment, parseTimeAxisMoment, getPeriodPrecision } from './periods.ts'
import { PALETTES } from './theme.ts'

/** A chart request whose missing options have their default values, with the colors and texts for its theme and language. */
export interface PreparedChart extends Omit<ChartRequest, 'title' | 'theme' | 'width' | 'height' | 'locale'> {
  title: string | undefined
  width: number
  height: number
  theme: ChartTheme
  palette: (typeof PALETTES)[ChartTheme]
  locale: string
  say: Translator['say']
}

export function prepareChart(request: ChartRequest): PreparedChart {
  const { locale, say } = chooseTranslator(request.locale ?? 'en')
  const theme = request.theme ?? 'light'
  const title = request.title === undefined ? undefined : cleanName(request.title)
  return {
    ...request,
    title: title === '' ? undefined : title,
    width: request.width ?? DEFAULT_CHART_WIDTH,
    height: request.height ?? DEFAULT_CHART_HEIGHT,
    theme,
    palette: PALETTES[theme],
    locale,
    say,
  }
}

/**
 * Lists the columns that a chart can use. Id columns are left out, because every row has a different id. The column `suppressed`, which
 * marks a row of merged small groups, is left out too.
 */
const listColumns = ({ columns }: PreparedChart) => columns.filter(({ type, name }) => type !== 'id' && name !== 'suppressed')

export function getColumn({ columns, kind }: PreparedChart, name: string): ChartColumn {
  const column = columns.find((one) => one.name === name)
  if (!column)
    throw createUnsuitableDataError(
      `${kind}: the rows have no column ${JSON.stringify(cleanName(name))}; they have ${columns.map((one) => one.name).join(', ')}`,
    )
  return column
}

/** Returns the key column, such as the months on the x axis: the one that the chart request names, otherwise the first column. */
export function chooseKeyColumn(chart: PreparedChart): ChartColumn {
  if (chart.x !== undefined) return getColumn(chart, chart.x)
  const [first, ...rest] = listColumns(chart)
  if (!first || rest.length === 0) throw createUnsuitableDataError(`${chart.kind} needs a key and a value; name a field in groupBy`)
  return first
}

/** Returns the numeric column that the chart shows: the one that the chart request names, otherwise the first that is not in `others`. */
export function chooseMeasureColumn(chart: PreparedChart, ...others: readonly (ChartColumn | undefined)[]): ChartMeasure {
  const named = chart.y === undefined ? undefined : getColumn(chart, chart.y)
  const column = named ?? listColumns(chart).find((one) => isNumericChartColumn(one) && !others.some((other) => other?.name === one.name))
  if (!column) throw createUnsuitableDataError(`${chart.kind} needs a number; add an aggregate or a metric`)
  return createChartMeasure(column, chart.rows, chart.locale)
}

/**
 * Returns the column whose values become the series of the chart: the one that the chart request names, otherwise the first unused column
 * that is not numeric; undefined if there is none.
 */
export function chooseSeriesColumn(chart: PreparedChart, key: ChartColumn, measure: ChartColumn): ChartColumn | undefined {
  if (chart.series !== undefined) return getColumn(chart, chart.series)
  return listColumns(chart).find((one) => one.name !== key.name && one.name !== measure.name && !isNumericChartColumn(one))
}

/**
 * Whether a column contains dates or periods. Periods such as months are text in results, and recognized by a column name such as
 * `completedAt:month`.
 */
const isDated = ({ type, name }: ChartColumn, hasPeriod: boolean) => type === 'day' || type === 'instant' || hasPeriod || name.includes(':')

/** Formats a value by which rows are grouped, such as a month or a product, for display. */
export function formatGroupKey({ locale, say, period, x }: PreparedChart, column: ChartColumn, row: ChartRow): string {
  if (row['suppressed'] === true && row[column.name] == null) return say('chart.suppressed')
  const value: ChartValue = row[column.name] ?? null
  if (value === null) return say('chart.notSet')
  if (typeof value === 'boolean') return say(value ? 'yes' : 'no')
  if (typeof value === 'number') return formatNumber(locale, value)
  if (isMoney(value)) return `${value.amount} ${value.currency}`
  if (typeof value !== 'string') return cleanName(value.join(', '))
  if (column.type === 'country') return formatCountryName(locale, cleanName(value))
  const moment = isDated(column, period !== undefined && column.name === x) ? parseTimeAxisMoment(value) : null
  return moment
    ? formatTimeAxisMoment(locale, moment, getPeriodPrecision(period ?? moment.period), true)
    : cleanName(value) || say('chart.notSet')
}

/** Returns the requested title of the chart, or a generated one such as "Net by product". */
export function chooseTitle({ title, say }: PreparedChart, measure: string, key?: string, series?: string): string {
  if (title !== undefined) return title
  if (key === undefined) return measure
  return series === undefined ? say('chart.by', { measure, key }) : say('chart.bySeries', { measure, key, series })
}
