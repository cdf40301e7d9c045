import { renderInvoicePdf } from '../../../../domains/orders/invoice-pdf.ts'
import { findInvoiceByNumber } from '../../../../domains/orders/named-invoices.ts'
import { renderReceiptPdf } from '../../../../domains/orders/receipt-pdf.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { sendDocumentFile } from '../../registration/documents.ts'
import type { WebServices } from '../../web.ts'
import { CONSOLE_EVENT_PATH, getEventPageContext } from '../event/event-page.ts'
import { createConsoleRouter, requirePermission } from '../frame.tsx'

/**
 * `…/money/documents/<number>.pdf`: an invoice, credit note or receipt of the event by its number. Needs personal.read because it contains
 * an address.
 */
export function moneyDocumentRoutes(web: WebServices) {
  return createConsoleRouter(web).get(`${CONSOLE_EVENT_PATH}/money/documents/:file{.+\\.pdf}`, async (c) => {
    const at = await getEventPageContext(web, c, 'registration.read')
    requirePermission(at.event.name, at.permissions, 'personal.read')
    const number = c.req.param('file').replace(/\.pdf$/, '')
    const invoice = await findInvoiceByNumber(at.reading, number)
    const pdf = invoice ? await renderInvoicePdf(at.reading, invoice.id) : await renderReceiptPdf(at.reading, number)
    if (!pdf) throw notFound('This event has no document with this number')
    return sendDocumentFile(c, pdf)
  })
}
