import { Readable } from 'node:stream'
import { listMoneyMovements, type MoneyMovement } from '../../../../domains/orders/overview/movements.ts'
import { listOpenInvoices, type OpenInvoice, readCurrentDayAtEvent } from '../../../../domains/orders/overview/open-invoices.ts'
import type { ReportColumn, ReportRow } from '../../../../domains/figures/report-table.ts'
import { renderReportFile } from '../../../../domains/reports/files/render.ts'
import { recordChange } from '../../../../kernel/audit.ts'
import type { EventContext } from '../../../../kernel/context.ts'
import { getDatabaseTime } from '../../../../kernel/database-time.ts'
import { toDayInZone } from '../../../../kernel/time.ts'
import runReport from '../../../../toolsets/reports/run-report.ts'
import { buildContentDispositionHeaders } from '../../../files/disposition.ts'
import type { WebContext, WebServices } from '../../web.ts'
import { runEventChange, type EventPageContext, CONSOLE_EVENT_PATH, getEventPageContext } from '../event/event-page.ts'
import { buildListCursorScope, type ListFilterValues, readFormFilter } from '../filters.ts'
import { createConsoleRouter, requireConsoleForm } from '../frame.tsx'
import { callEventTool } from '../tool-call.ts'
import { MONEY_EXPORT_OPTIONS } from './export-card.tsx'
import { toMoneyMovementFilter } from './movement-filters.ts'

const PAGE_ROWS = 500

const FORMATS = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const
type ExportFormat = keyof typeof FORMATS

const column = (name: string, label: string, type: ReportColumn['type'] = 'text'): ReportColumn => ({
  name,
  label,
  type,
  class: 'identity',
})

const MOVEMENT_COLUMNS = [
  column('date', 'Date', 'day'),
  column('kind', 'Kind'),
  column('receipt', 'Receipt'),
  column('payer', 'Payer'),
  column('organisation', 'Organisation'),
  column('orders', 'Orders'),
  column('invoices', 'Invoices'),
  column('method', 'Method'),
  column('reference', 'Reference'),
  column('amount', 'Amount', 'money'),
]
const INVOICE_COLUMNS = [
  column('invoice', 'Invoice'),
  column('order', 'Order'),
  column('payer', 'Payer'),
  column('organisation', 'Organisation'),
  column('issued', 'Issued', 'day'),
  column('due', 'Due', 'day'),
  column('daysOverdue', 'Days overdue', 'integer'),
  column('total', 'Total', 'money'),
  column('open', 'Open', 'money'),
]

/**
 * Converts a payment or refund to a row of the export. Bank references are personal data, so they are exported only with the permission
 * personal.export.
 */
const toMovementRow = ({ permissions, event }: EventPageContext, one: MoneyMovement): ReportRow => ({
  date: toDayInZone(event.timezone, one.at),
  kind: one.kind,
  receipt: one.receiptNumber,
  payer: one.payer.name,
  organisation: one.payer.organisation ?? '',
  orders: one.orderNumbers.join(' '),
  invoices: one.invoiceNumbers.join(' '),
  method: one.method,
  reference: permissions.has('personal.export') ? (one.reference ?? '') : '',
  amount: one.amount,
})

const toInvoiceRow = ({ event }: EventPageContext, one: OpenInvoice): ReportRow => ({
  invoice: one.number,
  order: one.orderNumber,
  payer: one.payer.name,
  organisation: one.payer.organisation ?? '',
  issued: toDayInZone(event.timezone, one.issuedAt),
  due: one.dueOn,
  daysOverdue: one.daysOverdue,
  total: one.total,
  open: one.balance,
})

interface RowPage {
  rows: ReportRow[]
  next: string | null
}

/** Opens the table to export: its columns, and its rows page by page. */
async function openTable(at: EventPageContext, reading: EventContext, contents: 'movements' | 'invoices', asked: ListFilterValues) {
  const filter = toMoneyMovementFilter(asked, await readCurrentDayAtEvent(reading))
  if (contents === 'invoices') {
    const read = async (cursor?: string): Promise<RowPage> => {
      const request = { age: 'open', isTestData: filter.isTestData, limit: PAGE_ROWS, cursor } as const
      const { invoices, nextCursor } = await listOpenInvoices(reading, request)
      return { rows: invoices.map((one) => toInvoiceRow(at, one)), next: nextCursor }
    }
    return { code: 'open-invoices', title: 'Open invoices', columns: INVOICE_COLUMNS, read }
  }
  const read = async (cursor?: string): Promise<RowPage> => {
    const { movements, nextCursor } = await listMoneyMovements(reading, { ...filter, limit: PAGE_ROWS, cursor })
    return { rows: movements.map((one) => toMovementRow(at, one)), next: nextCursor }
  }
  return { code: 'payments', title: 'Payments and refunds', columns: MOVEMENT_COLUMNS, read }
}

async function sendTable(
  web: WebServices,
  c: WebContext,
  at: EventPageContext,
  { contents, format, asked }: { contents: 'movements' | 'invoices'; format: ExportFormat; asked: ListFilterValues },
): Promise<Response> {
  const reading = { ...at.reading, cursorScope: buildListCursorScope(at.session.userId, `money export of ${at.event.id}`, {}) }
  const { code, title, columns, read } = await openTable(at, reading, contents, asked)
  // The first page is read before the response starts, so that an error produces an error page instead of half a file.
  const first = await read()
  await runEventChange(web, at, 'export_money', async (changing) => {
    recordChange(changing, { kind: 'event', id: at.event.id, after: { exported: { ...asked, contents, format } } })
  })
  async function* rows() {
    for (let page = first; ; page = await read(page.next!)) {
      yield* page.rows
      if (page.next === null) return
    }
  }
  const facts = {
    report: { code, name: title },
    event: at.event,
    asOf: await getDatabaseTime(reading),
    parameters: [],
    requestedBy: at.session.actor.name,
    containsPersonal: true,
    locale: 'en-GB',
  }
  const table = { title, columns, rows: rows(), totals: () => ({}), checks: () => [] }
  const { name, content } = await renderReportFile(format, facts, [{ kind: 'table', table }])
  return c.body(Readable.toWeb(content) as ReadableStream<Uint8Array>, 200, {
    ...buildContentDispositionHeaders({ name, mime: FORMATS[format] }, true),
    'content-type': FORMATS[format],
    'cache-control': 'no-store',
  })
}

/** Starts the export of the accounting journal as a report run, because it is a report with several tables. */
async function startJournal(
  web: WebServices,
  c: WebContext,
  at: EventPageContext,
  format: ExportFormat,
  { from, until }: ListFilterValues,
) {
  const parameters = { ...(from ? { from } : {}), ...(until ? { until } : {}) }
  await callEventTool(web, at, runReport, { report: 'accounting-ledger', parameters, format })
  return c.redirect(`${at.base}/reports?done=run-started`, 303)
}

/** `…/money/export`: payments and refunds, open invoices, or the accounting journal, as CSV or Excel. Recorded in the audit log. */
export function moneyExportRoutes(web: WebServices) {
  return createConsoleRouter(web).post(`${CONSOLE_EVENT_PATH}/money/export`, async (c) => {
    const form = await requireConsoleForm(web, c)
    const at = await getEventPageContext(web, c, 'registration.read')
    const asked = readFormFilter(form, ['contents', 'search', 'method', 'kind', 'from', 'until', 'test'])
    const contents = MONEY_EXPORT_OPTIONS.find(({ value }) => value === asked.contents)?.value ?? 'movements'
    const format = form['format'] === 'xlsx' ? 'xlsx' : 'csv'
    return contents === 'journal' ? startJournal(web, c, at, format, asked) : sendTable(web, c, at, { contents, format, asked })
  })
}
