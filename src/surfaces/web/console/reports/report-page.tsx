import { getRunnableReport } from '../../../../domains/reports/find-report.ts'
import { readReportPage, type ReportPage } from '../../../../domains/reports/runs/report-page.ts'
import { type ParameterValues, resolveParameterValues } from '../../../../domains/reports/designed/parameters.ts'
import { listRuns } from '../../../../domains/reports/runs/runs.ts'
import type { RunnableReport } from '../../../../domains/reports/runnable.ts'
import { STANDARD_REPORTS } from '../../../../domains/reports/standard/index.ts'
import { AppError } from '../../../../kernel/errors.ts'
import { formatInstantWithTimeZone } from '../../../../kernel/language/format.ts'
import runReport from '../../../../toolsets/reports/run-report.ts'
import { renderContentPage } from '../../components/page.tsx'
import { Card, EmptyState, Pagination } from '../../components/parts.tsx'
import { renderChangePreviewPage } from '../../components/preview-then-confirm.tsx'
import type { FormErrors } from '../../fields.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import { CONSOLE_EVENT_PATH, type EventPageContext, getEventPageContext } from '../event/event-page.ts'
import { buildListPath, buildListCursorScope } from '../filters.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { callEventTool, CONFIRM_BUTTON, runFormToolCall } from '../tool-call.ts'
import { DOWNLOAD_FORMATS, DownloadButtons, listHiddenParameterFields } from './download-buttons.tsx'
import { listParameterChoices } from './parameter-choices.ts'
import { ParameterForm, readReportParameterValues } from './parameter-form.tsx'
import { ReportResults } from './report-results.tsx'
import { FILE_FORMAT_NAMES, ReportRunTable } from './run-table.tsx'

const ROWS_PER_PAGE = 50
const SHOWN_RUNS = 5
const PATH = `${CONSOLE_EVENT_PATH}/reports/:report{[a-z0-9][a-z0-9-]*}`

interface ShownReport {
  values: ParameterValues
  page: ReportPage | null
  formErrors: FormErrors | null
}

const toFormErrors = ({ message, details: { fields } }: AppError): FormErrors =>
  fields ? { errors: fields.map(({ path, message: text }) => ({ path, message: text })) } : { message }

const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError && error.code !== 'forbidden' && error.code !== 'internal' && error.code !== 'not_found'

/** Lists the labels of the report's required parameters. */
const listRequired = ({ parameters }: RunnableReport) =>
  parameters.flatMap(({ required, default: initial, label }) => (required && initial === undefined ? [label] : []))

/** Runs a report with the values in the URL. A report with required parameters waits until they are given. */
async function readRows(at: EventPageContext, report: RunnableReport, query: Readonly<Record<string, string>>): Promise<ShownReport> {
  const given = readReportParameterValues(report.parameters, query)
  const isAsked = Object.keys(given).length > 0
  const isWaiting = !isAsked && listRequired(report).length > 0
  if (isWaiting) return { values: {}, page: null, formErrors: null }
  const { cursor } = query
  const cursorScope = buildListCursorScope(
    at.session.userId,
    `report ${report.code} of ${at.event.id}`,
    Object.fromEntries(listHiddenParameterFields(query)),
  )
  try {
    const values = resolveParameterValues(report.parameters, given)
    const request = { values, options: { locale: 'en-GB' }, limit: ROWS_PER_PAGE, cursor }
    return { values, page: await readReportPage({ ...at.reading, cursorScope }, report, request), formErrors: null }
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { values: {}, page: null, formErrors: toFormErrors(error) }
  }
}

async function showReport(
  web: WebServices,
  c: WebContext,
  at: EventPageContext,
  report: RunnableReport,
  query: FormValues,
  refused?: AppError,
) {
  const { values, page, formErrors } = refused
    ? { values: {}, page: null, formErrors: toFormErrors(refused) }
    : await readRows(at, report, query)
  const here = `${at.base}/reports/${report.code}`
  const choices = await listParameterChoices(at, report.parameters)
  const runs = await listRuns(at.reading, { reportCode: report.code, limit: SHOWN_RUNS })
  const filter = Object.fromEntries(listHiddenParameterFields(query))
  const csrf = getCsrfToken(web, c)
  const asOf = page ? ` As of ${formatInstantWithTimeZone('en-GB', new Date(page.asOf), at.event.timezone)} (${at.event.timezone}).` : ''
  const shown = renderContentPage(
    {
      title: `${report.name} · ${at.event.name}`,
      heading: report.name,
      text: `${report.description}${asOf}`,
      crumbs: [
        { href: at.base, label: at.event.name },
        { href: `${at.base}/reports`, label: 'Reports' },
      ],
      actions: <DownloadButtons at={at} code={report.code} query={query} csrf={csrf} />,
      formErrors,
    },
    <>
      {report.parameters.length > 0 ? (
        <ParameterForm
          action={here}
          parameters={report.parameters}
          values={values}
          choices={choices}
          query={query}
          formErrors={formErrors}
        />
      ) : null}
      {page ? <ReportResults at={at} name={report.name} page={page} /> : null}
      {page || formErrors ? null : (
        <Card>
          <EmptyState title={`Fill in: ${listRequired(report).join(', ')}`}>
            <p>This report needs these values. Then press Show.</p>
          </EmptyState>
        </Card>
      )}
      {page?.nextCursor ? (
        <Pagination next={buildListPath(here, filter, page.nextCursor)} first={query['cursor'] ? buildListPath(here, filter) : null} />
      ) : null}
      {runs.length > 0 ? <ReportRunTable at={at} runs={runs} csrf={csrf} /> : null}
    </>,
  )
  return sendConsolePage(web, c, getNavigationPosition(at, 'reports'), refused ? { ...shown, status: 400 } : shown)
}

/** Builds the call of `run_report` that a download button makes. */
function readDownload(report: RunnableReport, form: FormValues) {
  const format = DOWNLOAD_FORMATS.find((one) => one === form['format']) ?? 'csv'
  const args = { report: report.code, parameters: readReportParameterValues(report.parameters, form), format }
  return { format, args, fields: ['format', ...listHiddenParameterFields(form).map(([name]) => name)] }
}

/** Before creating a file with personal data, shows its number of rows and its personal columns, and asks for confirmation. */
async function showConfirmation(web: WebServices, c: WebContext, at: EventPageContext, report: RunnableReport, form: FormValues) {
  const { format, args, fields } = readDownload(report, form)
  const called = await runFormToolCall<{ rowCount: number; personal: string[] }>(web, at, {
    tool: runReport,
    args,
    form: { ...form, do: 'check' },
    fields,
  })
  if ('refused' in called) return showReport(web, c, at, report, form, called.refused)
  if (!('checked' in called)) return c.redirect(`${at.base}/reports`, 303)
  const { result, hidden } = called.checked
  const back = `${at.base}/reports/${report.code}`
  const page = renderChangePreviewPage({
    title: `${report.name}, ${FILE_FORMAT_NAMES[format]}`,
    crumbs: [{ href: back, label: report.name }],
    action: `${back}/run`,
    csrf: getCsrfToken(web, c),
    hidden: { ...Object.fromEntries(listHiddenParameterFields(form)), ...hidden, format },
    effects: `The file has ${result.rowCount.toLocaleString('en')} rows with personal data: ${result.personal.join(', ')}. It is deleted here after 7 days.`,
    submit: 'Create the file',
    submitAs: CONFIRM_BUTTON,
    tone: 'primary',
    back: { href: back, label: 'Back' },
  })
  return sendConsolePage(web, c, getNavigationPosition(at, 'reports'), page)
}

async function createFile(web: WebServices, c: WebContext, at: EventPageContext, report: RunnableReport, form: FormValues) {
  const { args, fields } = readDownload(report, form)
  try {
    if (form['do'] === CONFIRM_BUTTON.value) {
      const called = await runFormToolCall(web, at, { tool: runReport, args, form, fields })
      if ('refused' in called) return await showReport(web, c, at, report, form, called.refused)
      if (!('done' in called)) return await showConfirmation(web, c, at, report, form)
    } else await callEventTool(web, at, runReport, args)
    return c.redirect(`${at.base}/reports?done=run-started`, 303)
  } catch (error) {
    if (!isRefusal(error)) throw error
    if (error.details.reason === 'unconfirmed') return showConfirmation(web, c, at, report, form)
    return showReport(web, c, at, report, form, error)
  }
}

/** `…/reports/<code>`: a standard report with its parameters and rows. Files of all reports are created here. */
export function reportPages(web: WebServices) {
  return createConsoleRouter(web)
    .get(PATH, async (c, next) => {
      const report = STANDARD_REPORTS.get(c.req.param('report'))
      if (!report) return next()
      return showReport(web, c, await getEventPageContext(web, c, 'reports.read'), report, c.req.query())
    })
    .post(`${PATH}/run`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = await getEventPageContext(web, c, 'reports.read')
      return createFile(web, c, at, await getRunnableReport(at.reading, c.req.param('report')), form)
    })
}
