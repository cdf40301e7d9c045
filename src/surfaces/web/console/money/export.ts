import { listOpenInvoices, type OpenInvoice, readToday } from '../../../../domains/orders/overview/open-invoices.ts'
import { listMovements, type Movement } from '../../../../domains/orders/overview/movements.ts'
import { formatCsvLine } from '../../../../domains/sheets/csv.ts'
import { recordChange } from '../../../../kernel/audit.ts'
import { dayIn } from '../../../../kernel/time.ts'
import type { WebServices } from '../../web.ts'
import { csvDownload } from '../csv-download.ts'
import { changeEvent, type EventPageContext, EVENT_PATH, getEventPage } from '../event/event-page.ts'
import { cursorScopeFor, readFormFilter } from '../filters.ts'
import { consolePages, getForm } from '../frame.tsx'
import { EXPORTS } from './export-card.tsx'
import { toMovementFilter } from './movement-filters.ts'

const PAGE_ROWS = 500

const MOVEMENT_HEADER = [
  'Date',
  'Kind',
  'Receipt',
  'Payer',
  'Organisation',
  'Orders',
  'Invoices',
  'Method',
  'Reference',
  'Amount',
  'Currency',
]
const INVOICE_HEADER = ['Invoice', 'Order', 'Payer', 'Organisation', 'Issued', 'Due', 'Days overdue', 'Total', 'Open', 'Currency']

interface CsvPage {
  lines: string
  next: string | null
}

/** Bank references are personal data, so they are exported only with the permission personal.export. */
const movementLine = ({ permissions, event }: EventPageContext, one: Movement) =>
  formatCsvLine([
    dayIn(event.timezone, one.at),
    one.kind,
    one.receiptNumber,
    one.payer.name,
    one.payer.organisation ?? '',
    one.orderNumbers.join(' '),
    one.invoiceNumbers.join(' '),
    one.method,
    permissions.has('personal.export') ? (one.reference ?? '') : '',
    one.amount.amount,
    one.amount.currency,
  ])

const invoiceLine = ({ event }: EventPageContext, one: OpenInvoice) =>
  formatCsvLine([
    one.number,
    one.orderNumber,
    one.payer.name,
    one.payer.organisation ?? '',
    dayIn(event.timezone, one.issuedAt),
    one.dueOn,
    String(one.daysOverdue),
    one.total.amount,
    one.balance.amount,
    one.balance.currency,
  ])

/** `…/money/export`: payments and refunds, or open invoices, as CSV. The export is recorded in the audit log. */
export function moneyExport(web: WebServices) {
  return consolePages(web).post(`${EVENT_PATH}/money/export`, async (c) => {
    const form = await getForm(web, c)
    const at = await getEventPage(web, c, 'registration.read')
    const asked = readFormFilter(form, ['contents', 'search', 'method', 'kind', 'from', 'until', 'test'])
    const contents = EXPORTS.find(({ value }) => value === asked.contents)?.value ?? 'movements'
    const reading = { ...at.reading, cursorScope: cursorScopeFor(at.session.userId, `money export of ${at.event.id}`, {}) }
    const filter = toMovementFilter(asked, await readToday(reading))
    const { isTestData } = filter
    const read = async (cursor: string | undefined): Promise<CsvPage> => {
      if (contents === 'invoices') {
        const { invoices, nextCursor } = await listOpenInvoices(reading, { age: 'open', isTestData, limit: PAGE_ROWS, cursor })
        return { lines: invoices.map((one) => invoiceLine(at, one)).join(''), next: nextCursor }
      }
      const { movements, nextCursor } = await listMovements(reading, { ...filter, limit: PAGE_ROWS, cursor })
      return { lines: movements.map((one) => movementLine(at, one)).join(''), next: nextCursor }
    }
    // The first page is read before the response starts, so that an error produces an error page instead of half a file.
    const first = await read(undefined)
    await changeEvent(web, at, 'export_money', async (changing) => {
      recordChange(changing, { kind: 'event', id: at.event.id, after: { exported: { ...asked, contents } } })
    })
    async function* lines() {
      yield formatCsvLine(contents === 'invoices' ? INVOICE_HEADER : MOVEMENT_HEADER)
      for (let page = first; ; page = await read(page.next!)) {
        yield page.lines
        if (page.next === null) return
      }
    }
    return csvDownload(c, `${contents === 'invoices' ? 'open-invoices' : 'payments'}-${at.event.code}`, lines())
  })
}
