import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { groupWidgetsIntoBands } from '../../../../domains/reports/designed/layout.ts'
import type { ShownColumn, ShownTable, ReportWidgetView } from '../../../../domains/reports/designed/read-report.ts'
import { Notice } from '../../components/parts.tsx'
import { addDarkChartColours } from './chart-colours.ts'

const ALIGN_CLASSES = { left: undefined, right: 'number', center: 'center' } as const

const Cell = ({ text, column: { label, align }, head = false }: { text: string; column: ShownColumn; head?: boolean }) =>
  head ? (
    <th scope="row" class={ALIGN_CLASSES[align]} dir="auto">
      {text}
    </th>
  ) : (
    <td data-label={label} class={ALIGN_CLASSES[align]} dir="auto">
      {text}
    </td>
  )

const TableRow = ({ texts, columns }: { texts: readonly string[]; columns: ShownTable['columns'] }) => (
  <tr>
    {texts.map((text, at) => (
      <Cell text={text} column={columns[at]!} head={at === 0} />
    ))}
  </tr>
)

const WidgetTable = ({ table: { title, columns, rows, totals, hasMore } }: { table: ShownTable }) => {
  if (rows.length === 0) return <p class="muted">No rows.</p>
  const label = title || 'Table'
  return (
    <>
      <div class="table-wrap" tabindex={0} role="region" aria-label={label}>
        <table class="table folds whole-words">
          <caption class="hidden">{label}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <th scope="col" class={ALIGN_CLASSES[column.align]} dir="auto">
                  {column.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((texts) => (
              <TableRow texts={texts} columns={columns} />
            ))}
          </tbody>
          {totals ? (
            <tfoot>
              <TableRow texts={totals.map((text, at) => (at === 0 && text === '' ? 'Total' : text))} columns={columns} />
            </tfoot>
          ) : null}
        </table>
      </div>
      {hasMore ? <p class="muted small">The first {rows.length} rows. Run the report as a file for all of them.</p> : null}
    </>
  )
}

const TREND_SIGNS = { up: '▲', down: '▼' } as const

const FigureBody = ({ figure: { title, value, note, trend } }: { figure: NonNullable<ReportWidgetView['figure']> }) => (
  <>
    <h2 dir="auto">{title}</h2>
    <p class="report-figure">
      <strong>{value}</strong>
      {note ? (
        <span class={trend ? `trend ${trend}` : 'trend'}>
          {trend ? <span aria-hidden="true">{TREND_SIGNS[trend]} </span> : null}
          {note}
        </span>
      ) : null}
    </p>
  </>
)

const ChartBody = ({ chart, table }: { chart: NonNullable<ReportWidgetView['chart']>; table: ShownTable | undefined }) => (
  <>
    <div class="report-chart" role="region" tabindex={0} aria-label={chart.title || 'Chart'}>
      {raw(addDarkChartColours(chart.svg))}
    </div>
    {table ? (
      <details>
        <summary>Numbers as a table</summary>
        <WidgetTable table={table} />
      </details>
    ) : null}
  </>
)

/** The table of a widget, and the other tables of a standard report with their titles. */
const TablesBody = ({ table, more }: { table: ShownTable; more: readonly ShownTable[] }) => (
  <>
    <WidgetTable table={table} />
    {more.map((one) => (
      <>
        <h3 dir="auto">{one.title}</h3>
        <WidgetTable table={one} />
      </>
    ))}
  </>
)

function bodyOf({ widget, figure, chart, table, more = [], html, picture, problem }: ReportWidgetView): Child {
  if (problem) return <Notice tone="warning">{problem}</Notice>
  if (figure) return <FigureBody figure={figure} />
  if (chart) return <ChartBody chart={chart} table={table} />
  if (table) return <TablesBody table={table} more={more} />
  // The HTML was sanitized when it was created: only headings, bold text, lists and links, every text escaped.
  if (html !== undefined) return <div class="report-text">{raw(html)}</div>
  if (widget.type === 'image')
    return picture ? (
      <img class="report-picture" src={picture} alt={widget.alt} />
    ) : (
      <p class="muted">The picture was deleted from the library: {widget.alt}</p>
    )
  return null
}

const WidgetNotes = ({ withheld, ignoresFilter }: ReportWidgetView) => (
  <>
    {withheld.length > 0 ? <p class="muted small">Left out, because your role does not allow it: {withheld.join(', ')}.</p> : null}
    {ignoresFilter ? <p class="muted small">The filter of the report does not apply here.</p> : null}
  </>
)

const CARDS: readonly string[] = ['figure', 'table', 'pivot', 'chart', 'standard', 'image']

const WidgetBox = ({ shown, place }: { shown: ReportWidgetView; place: string }) => {
  const { widget, figure, chart, table } = shown
  // A chart has no separate heading, because its picture shows the title.
  const title = widget.title ?? chart?.title ?? table?.title
  if (widget.type === 'divider' || widget.type === 'pageBreak')
    return <hr class={`report-widget ${place}${widget.type === 'pageBreak' ? ' page-break' : ''}`} />
  const isCard = CARDS.includes(widget.type) || shown.problem !== undefined
  return (
    <section class={`report-widget ${place}${isCard ? ' boxed' : ''}`}>
      {title && !figure ? (
        <h2 dir="auto" class={chart ? 'hidden' : undefined}>
          {title}
        </h2>
      ) : null}
      {bodyOf(shown)}
      <WidgetNotes {...shown} />
    </section>
  )
}

/** The widgets of a report on a grid of twelve columns; on phones one below the other. */
export const ReportGrid = ({ widgets }: { widgets: readonly ReportWidgetView[] }) => (
  <div class="report">
    {groupWidgetsIntoBands(widgets).map((band) => (
      <div class="report-band">
        {band.map(({ item, column, width, row, height }) => (
          <WidgetBox shown={item} place={`gx${column} gw${width} gy${row} gh${height}`} />
        ))}
      </div>
    ))}
  </div>
)
