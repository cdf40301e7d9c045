import { pauseOrEndReportDelivery } from '../../../../domains/reports/designed/deliveries/stop.ts'
import { type ParameterValues, resolveParameterValues } from '../../../../domains/reports/designed/parameters.ts'
import { runReportForPage, type ReportWidgetView } from '../../../../domains/reports/designed/read-report.ts'
import { findReportDelivery, getVisibleDesignedReport } from '../../../../domains/reports/designed/reports.ts'
import { listRuns } from '../../../../domains/reports/runs/runs.ts'
import type { ReportDeliveryRow, DesignedReportRow } from '../../../../domains/reports/designed/tables.ts'
import { cleanText } from '../../../../kernel/clean-text.ts'
import { getDatabaseTime } from '../../../../kernel/database-time.ts'
import { AppError } from '../../../../kernel/errors.ts'
import { formatInstantWithTimeZone } from '../../../../kernel/language/format.ts'
import { LinkButton } from '../../components/forms.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { EmptyState, Notice, StatusLabel } from '../../components/parts.tsx'
import type { FormErrors } from '../../fields.ts'
import { getCsrfToken, type WebContext, type WebServices } from '../../web.ts'
import { runEventChange, CONSOLE_EVENT_PATH, type EventPageContext, getEventPageContext } from '../event/event-page.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { ReportDeliveryCard } from './delivery-card.tsx'
import { DownloadButtons } from './download-buttons.tsx'
import { ParameterForm, readReportParameterValues } from './parameter-form.tsx'
import { ReportRunTable } from './run-table.tsx'
import { ReportGrid } from './widgets.tsx'

const LIST_PATH = `${CONSOLE_EVENT_PATH}/reports`
const PATH = `${LIST_PATH}/:report{[a-z0-9][a-z0-9-]*}`

interface ReportPage extends EventPageContext {
  here: string
  report: DesignedReportRow
  delivery: ReportDeliveryRow | null
}

async function getReportPage(web: WebServices, c: WebContext, see: 'reports.read' | 'reports.write'): Promise<ReportPage> {
  const at = await getEventPageContext(web, c, see)
  const report = await getVisibleDesignedReport(at.reading, cleanText(c.req.param('report') ?? '', 63))
  return { ...at, report, delivery: await findReportDelivery(at.reading, report.id), here: `${at.base}/reports/${report.code}` }
}

interface Shown {
  values: ParameterValues
  asOf: Date | null
  widgets: ReportWidgetView[]
  formErrors: FormErrors | null
}

/** Runs the report with the values in the URL. Invalid values are shown in the form. */
async function showReport({ reading, report }: ReportPage, query: Readonly<Record<string, string>>): Promise<Shown> {
  try {
    const values = resolveParameterValues(report.parameters, readReportParameterValues(report.parameters, query))
    return { values, ...(await runReportForPage(reading, report, values)), formErrors: null }
  } catch (error) {
    if (!(error instanceof AppError) || (error.code !== 'invalid_arguments' && error.code !== 'limit_exceeded')) throw error
    const { fields } = error.details
    return {
      values: {},
      asOf: null,
      widgets: [],
      formErrors: fields ? { errors: fields.map(({ path, message }) => ({ path, message })) } : { message: error.message },
    }
  }
}

/** `…/reports/<code>`: a designed report with its parameters and the schedule of its delivery. */
export function designedReportPages(web: WebServices) {
  return createConsoleRouter(web)
    .get(PATH, async (c) => sendReport(web, c, await getReportPage(web, c, 'reports.read')))
    .post(`${PATH}/delivery`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = await getReportPage(web, c, 'reports.write')
      const { code } = at.report
      if (form['act'] === 'end') await runEventChange(web, at, 'end_report_delivery', (ctx) => pauseOrEndReportDelivery(ctx, code, 'end'))
      else await runEventChange(web, at, 'pause_report_delivery', (ctx) => pauseOrEndReportDelivery(ctx, code, 'pause'))
      return c.redirect(`${at.here}?done=saved`, 303)
    })
}

async function sendReport(web: WebServices, c: WebContext, at: ReportPage) {
  const query = c.req.query()
  const shown = await showReport(at, query)
  const { report } = at
  const csrf = getCsrfToken(web, c)
  const runs = await listRuns(at.reading, { reportCode: report.code, limit: 5 })
  const page = renderContentPage(
    {
      title: report.name,
      text: [
        report.description,
        shown.asOf && `As of ${formatInstantWithTimeZone('en-GB', shown.asOf, at.event.timezone)} (${at.event.timezone})`,
      ]
        .filter(Boolean)
        .join(' · '),
      crumbs: [
        { href: at.base, label: at.event.name },
        { href: `${at.base}/reports`, label: 'Reports' },
      ],
      actions: (
        <>
          {report.visibility === 'private' ? <StatusLabel>private</StatusLabel> : null}
          <LinkButton href="#delivery">Delivery</LinkButton>
          <DownloadButtons at={at} code={report.code} query={query} csrf={csrf} />
        </>
      ),
      formErrors: shown.formErrors,
    },
    <>
      <ReportContent at={at} shown={shown} query={query} />
      <ReportDeliveryCard
        report={report}
        delivery={at.delivery}
        now={await getDatabaseTime(at.reading)}
        timezone={at.event.timezone}
        action={at.permissions.has('reports.write') ? `${at.here}/delivery` : null}
        csrf={csrf}
      />
      {runs.length > 0 ? <ReportRunTable at={at} runs={runs} csrf={csrf} /> : null}
    </>,
  )
  return sendConsolePage(web, c, getNavigationPosition(at, 'reports'), page)
}

/** The parameter form of a report, and the report's widgets for the current parameter values. */
function ReportContent({ at, shown, query }: { at: ReportPage; shown: Shown; query: Readonly<Record<string, string>> }) {
  const { report } = at
  const { values, widgets, formErrors } = shown
  return (
    <>
      {report.status === 'archived' ? <Notice>This report is archived.</Notice> : null}
      {report.parameters.length > 0 ? (
        <ParameterForm choices={{}} action={at.here} parameters={report.parameters} values={values} query={query} formErrors={formErrors} />
      ) : null}
      {report.widgets.length === 0 ? (
        <EmptyState title="This report is empty" ask={`Add a table of registrations by day to the report ${report.code}.`} />
      ) : (
        <ReportGrid widgets={widgets} />
      )}
    </>
  )
}
