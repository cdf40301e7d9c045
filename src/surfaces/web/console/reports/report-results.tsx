import { formatValue, isNumericColumn } from '../../../../domains/reports/files/values.ts'
import type { ReportColumn } from '../../../../domains/figures/report-table.ts'
import type { ReportPage, ReportTablePage } from '../../../../domains/reports/runs/report-page.ts'
import { Card, EmptyState, Notice } from '../../components/parts.tsx'
import type { EventPageContext } from '../event/event-page.ts'

/** Texts of at most this length, such as names and times, stay on one line. */
const MAX_LINE_CHARACTERS = 40

const classOf = (column: Pick<ReportColumn, 'type'>, text: string) =>
  isNumericColumn(column) ? 'number' : text.length <= MAX_LINE_CHARACTERS ? 'short' : undefined

const ResultTable = ({ at, title, table }: { at: EventPageContext; title: string; table: Omit<ReportTablePage, 'checks'> }) => {
  const shown = { locale: 'en-GB', timezone: at.event.timezone }
  return (
    <div class="table-wrap" tabindex={0} role="region" aria-label={title}>
      <table class="table folds whole-words">
        <caption class="hidden">{title}</caption>
        <thead>
          <tr>
            {table.columns.map((column) => (
              <th scope="col" class={isNumericColumn(column) ? 'number' : undefined}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row) => (
            <tr>
              {table.columns.map((column, index) => {
                const text = formatValue(row[column.name], column, shown)
                return (
                  <td
                    data-label={column.label}
                    class={[classOf(column, text), index === 0 && 'lead'].filter(Boolean).join(' ') || undefined}
                    dir="auto"
                  >
                    {text}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
        {Object.keys(table.totals).length > 0 ? (
          <tfoot>
            <tr>
              {table.columns.map((column, index) => {
                const text = formatValue(table.totals[column.name], column, shown)
                if (index === 0) return <th scope="row">{text || 'Total'}</th>
                return (
                  <td data-label={column.label} class={isNumericColumn(column) ? 'number' : undefined}>
                    {text}
                  </td>
                )
              })}
            </tr>
          </tfoot>
        ) : null}
      </table>
    </div>
  )
}

/**
 * Describes in words which totals of a report are compared, without the path of the metric: "Σ net = money.net" is shown as "Sum of net".
 */
const describeCheck = (name: string): string =>
  name
    .replaceAll('= Σ', '= sum of')
    .replace('Σ', 'Sum of')
    .replace(/ = [a-z]+\.\w+$/, '')

/** The tables of a standard report with totals and checks, and a note about the columns that the user's role may not see. */
export const ReportResults = ({ at, name, page }: { at: EventPageContext; name: string; page: ReportPage }) => (
  <>
    {page.withheld.length > 0 ? <Notice>Left out, because your role may not see them: {page.withheld.join(', ')}.</Notice> : null}
    {page.note && page.rows.length > 0 ? <Notice>{page.note}</Notice> : null}
    {page.rows.length > 0 ? (
      <Card title={name} pad={false}>
        <ResultTable at={at} title={name} table={page} />
      </Card>
    ) : (
      <Card>
        <EmptyState title="No rows">
          <p>{page.note ?? 'Nothing matches these parameters yet.'}</p>
        </EmptyState>
      </Card>
    )}
    {page.widgets?.map(({ id, columns = [], rows = [], totals = {} }) =>
      rows.length > 0 ? (
        <Card title={id} pad={false}>
          <ResultTable at={at} title={id} table={{ columns, rows, totals }} />
        </Card>
      ) : null,
    )}
    {page.checks.length > 0 ? (
      <Card title="Checks">
        <ul class="plain">
          {page.checks.map((check) => (
            <li>
              {describeCheck(check.name)}: {check.ok ? 'correct' : <b>does not match</b>}
            </li>
          ))}
        </ul>
      </Card>
    ) : null}
  </>
)
