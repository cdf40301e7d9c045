import { formatValue, isNumeric } from '../../../../domains/reports/files/values.ts'
import { getRunnableReport } from '../../../../domains/reports/find-report.ts'
import { readReportPage, type ReportPage, type ShownTable, type ShownWidget } from '../../../../domains/reports/runs/report-page.ts'
import { readValues } from '../../../../domains/reports/designed/parameters.ts'
import { listRuns } from '../../../../domains/reports/runs/runs.ts'
import type { RunnableReport } from '../../../../domains/reports/runnable.ts'
import { AppError } from '../../../../kernel/errors.ts'
import { formatMoment } from '../../../../kernel/language/format.ts'
import runReport from '../../../../toolsets/reports/run-report.ts'
import { Actions, Button, ErrorSummary, Form } from '../../components/forms.tsx'
import { contentPage } from '../../components/page.tsx'
import { Card, EmptyState, Notice, Pagination } from '../../components/parts.tsx'
import { previewThenConfirm } from '../../components/preview-then-confirm.tsx'
import { csrfFor, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import { EVENT_PATH, type EventPageContext, getEventPage } from '../event/event-page.ts'
import { buildListPath, cursorScopeFor } from '../filters.ts'
import { consolePages, getForm, placeAt, sendConsolePage } from '../frame.tsx'
import { callEventTool, CONFIRM, runFormCall } from '../tool-call.ts'
import { ParameterFields, readParameterForm } from './parameters.tsx'
import { FORMAT_NAMES, RunTable } from './run-table.tsx'

const FILE_FORMATS = ['csv', 'xlsx', 'pdf'] as const
const ROWS_PER_PAGE = 50

const ResultTable = ({ at, title, table }: { at: EventPageContext; title: string; table: Omit<ShownTable, 'checks'> }) => {
  const shown = { locale: 'en-GB', timezone: at.event.timezone }
  const hasTotals = Object.keys(table.totals).length > 0
  return (
    <div class="table-wrap" tabindex={0} role="region" aria-label={title}>
      <table class="table">
        <caption class="hidden">{title}</caption>
        <thead>
          <tr>
            {table.columns.map((column) => (
              <th scope="col" class={isNumeric(column) ? 'number' : undefined}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row) => (
            <tr>
              {table.columns.map((column) => (
                <td class={isNumeric(column) ? 'number' : undefined} dir="auto">
                  {formatValue(row[column.name], column, shown)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {hasTotals ? (
          <tfoot>
            <tr>
              {table.columns.map((column, index) => {
                const text = formatValue(table.totals[column.name], column, shown)
                return index === 0 ? (
                  <th scope="row">{text || 'Total'}</th>
                ) : (
                  <td class={isNumeric(column) ? 'number' : undefined}>{text}</td>
                )
              })}
            </tr>
          </tfoot>
        ) : null}
      </table>
    </div>
  )
}

const WidgetCard = ({ at, widget }: { at: EventPageContext; widget: ShownWidget }) => (
  <Card title={widget.id}>
    {widget.problem ? <Notice tone="warning">{widget.problem}</Notice> : null}
    {widget.figure ? <p>{widget.figure}</p> : null}
    {widget.text ? <p dir="auto">{widget.text}</p> : null}
    {widget.chart ? <p>{widget.chart}</p> : null}
    {widget.columns && widget.rows ? (
      <ResultTable at={at} title={widget.id} table={{ columns: widget.columns, rows: widget.rows, totals: widget.totals ?? {} }} />
    ) : null}
  </Card>
)

const Results = ({ at, report, page }: { at: EventPageContext; report: RunnableReport; page: ReportPage }) => (
  <>
    {page.withheld.length > 0 ? <Notice>Left out, because your role may not see them: {page.withheld.join(', ')}.</Notice> : null}
    {page.note ? <Notice>{page.note}</Notice> : null}
    {page.columns.length > 0 && page.rows.length === 0 ? (
      <Card>
        <EmptyState title="No rows">
          <p>Nothing matches these parameters.</p>
        </EmptyState>
      </Card>
    ) : null}
    {page.rows.length > 0 ? (
      <Card title={report.name} pad={false}>
        <ResultTable at={at} title={report.name} table={page} />
      </Card>
    ) : null}
    {page.widgets?.map((widget) => (
      <WidgetCard at={at} widget={widget} />
    ))}
    {page.checks.length > 0 ? (
      <Card title="Checks">
        <ul>
          {page.checks.map(({ name, ok }) => (
            <li>
              {name}: {ok ? 'correct' : 'does not match'}
            </li>
          ))}
        </ul>
      </Card>
    ) : null}
  </>
)

/** `…/reports/<code>`: one report with its parameters, its rows, and downloads. */
export function reportPages(web: WebServices) {
  const path = `${EVENT_PATH}/reports/:code{[a-z0-9][a-z0-9-]*}`

  async function show(c: WebContext, at: EventPageContext, code: string, form: FormValues, refused?: AppError) {
    const report = await getRunnableReport(at.reading, code)
    const here = `${at.base}/reports/${report.code}`
    const result = refused ?? (await readRows(c, at, report, form))
    const error = result instanceof AppError ? result : null
    const page = result instanceof AppError ? null : result
    const csrf = csrfFor(web, c)
    const runs = await listRuns(at.reading, { reportCode: report.code, limit: 5 })
    const filter = Object.fromEntries(report.parameters.map(({ name }) => [name, form[name]]))
    const shown = contentPage(
      {
        title: `${report.name} · ${at.event.name}`,
        heading: report.name,
        text: page ? `${report.description} As of ${formatMoment('en-GB', new Date(page.asOf), at.event.timezone)}.` : report.description,
        crumbs: [{ href: `${at.base}/reports`, label: 'Reports' }],
        formErrors: error?.details.fields
          ? { errors: error.details.fields.map((e) => ({ ...e, path: e.path.replace(/^parameters[./]/, '') })) }
          : null,
      },
      <>
        {error && !error.details.fields ? <ErrorSummary message={error.message} /> : null}
        {report.parameters.length > 0 ? (
          <Card title="Parameters">
            <form method="get" action={here} class="stack">
              <ParameterFields parameters={report.parameters} form={form} errors={error?.details.fields ?? []} />
              <Actions>
                <Button tone="primary">Run</Button>
              </Actions>
            </form>
          </Card>
        ) : null}
        <Card title="Download">
          <Form action={`${here}/run`} csrf={csrf}>
            {Object.entries(filter).map(([name, value]) => (value ? <input type="hidden" name={name} value={value} /> : null))}
            <Actions>
              {FILE_FORMATS.map((format) => (
                <Button name="format" value={format}>
                  {FORMAT_NAMES[format]}
                </Button>
              ))}
            </Actions>
          </Form>
        </Card>
        {page ? <Results at={at} report={report} page={page} /> : null}
        {page?.nextCursor ? (
          <Pagination
            next={buildListPath(here, filter, page.nextCursor)}
            first={c.req.query('cursor') ? buildListPath(here, filter) : null}
          />
        ) : null}
        {runs.length > 0 ? <RunTable at={at} runs={runs} csrf={csrf} /> : null}
      </>,
    )
    return sendConsolePage(web, c, placeAt(at, 'reports'), error ? { ...shown, status: 400 } : shown)
  }

  /** The rows of the report, or why they cannot be shown. A report with required parameters waits for them. */
  async function readRows(
    c: WebContext,
    at: EventPageContext,
    report: RunnableReport,
    form: FormValues,
  ): Promise<ReportPage | AppError | null> {
    const isAsked = report.parameters.some(({ name }) => form[name])
    if (!isAsked && report.parameters.some(({ required, default: initial }) => required && initial === undefined)) return null
    const cursorScope = cursorScopeFor(at.session.userId, `report ${report.code} of ${at.event.id}`, form)
    try {
      const values = readValues(report.parameters, readParameterForm(report.parameters, form))
      const request = { values, options: { locale: 'en-GB' }, limit: ROWS_PER_PAGE, cursor: c.req.query('cursor') }
      return await readReportPage({ ...at.reading, cursorScope }, report, request)
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'forbidden' || error.code === 'internal') throw error
      return error
    }
  }

  return consolePages(web)
    .get(path, async (c) => {
      const at = await getEventPage(web, c, 'reports.read')
      return show(c, at, c.req.param('code'), c.req.query())
    })
    .post(`${path}/run`, async (c) => {
      const form = await getForm(web, c)
      const at = await getEventPage(web, c, 'reports.read')
      const report = await getRunnableReport(at.reading, c.req.param('code'))
      const format = FILE_FORMATS.find((one) => one === form['format']) ?? 'csv'
      const args = { report: report.code, parameters: readParameterForm(report.parameters, form), format }
      try {
        if (form['do'] !== CONFIRM.value) await callEventTool(web, at, runReport, args)
        else {
          const called = await runFormCall(web, at, {
            tool: runReport,
            args,
            form,
            fields: ['format', ...report.parameters.map(({ name }) => name)],
          })
          if ('refused' in called) return await show(c, at, report.code, form, called.refused)
          if (!('done' in called)) return await confirm(c, at, report, form, format)
        }
        return c.redirect(`${at.base}/reports?notice=run-started`, 303)
      } catch (error) {
        if (!(error instanceof AppError) || error.code === 'forbidden' || error.code === 'internal') throw error
        return error.details.reason === 'unconfirmed' ? confirm(c, at, report, form, format) : show(c, at, report.code, form, error)
      }
    })

  /** Shows what a file with personal data would contain, and asks for confirmation. */
  async function confirm(c: WebContext, at: EventPageContext, report: RunnableReport, form: FormValues, format: string) {
    const args = { report: report.code, parameters: readParameterForm(report.parameters, form), format }
    const fields = ['format', ...report.parameters.map(({ name }) => name)]
    const called = await runFormCall<{ rows: number; personal: string[] }>(web, at, {
      tool: runReport,
      args,
      form: { ...form, do: 'check' },
      fields,
    })
    if ('refused' in called) return show(c, at, report.code, form, called.refused)
    if (!('checked' in called)) return c.redirect(`${at.base}/reports`, 303)
    const { result, hidden } = called.checked
    const kept = Object.fromEntries(fields.flatMap((name) => (form[name] ? [[name, form[name]]] : [])))
    const page = previewThenConfirm({
      title: `${report.name}, ${FORMAT_NAMES[format]}`,
      crumbs: [{ href: `${at.base}/reports/${report.code}`, label: report.name }],
      action: `${at.base}/reports/${report.code}/run`,
      csrf: csrfFor(web, c),
      hidden: { ...kept, ...hidden, format },
      effects: `The file has ${result.rows.toLocaleString('en')} rows with personal data: ${result.personal.join(', ')}. You are responsible for it once it is downloaded. It is deleted here after 7 days.`,
      submit: 'Create the file',
      submitAs: CONFIRM,
      tone: 'primary',
      back: { href: `${at.base}/reports/${report.code}`, label: 'Back' },
    })
    return sendConsolePage(web, c, placeAt(at, 'reports'), page)
  }
}
