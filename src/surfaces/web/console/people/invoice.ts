import { renderInvoicePdf } from '../../../../domains/orders/invoice-pdf.ts'
import { findOrderInvoice } from '../../../../domains/orders/named-invoices.ts'
import { findOrder } from '../../../../domains/orders/orders.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { sendDocumentFile } from '../../registration/documents.ts'
import type { WebServices } from '../../web.ts'
import { createConsoleRouter, requirePermission } from '../frame.tsx'
import { getParticipantPageContext, CONSOLE_PARTICIPANT_PATH } from './participant-page.ts'

/**
 * `…/participants/<id>/invoices/<number>.pdf`: an invoice or credit note of the participant. Needs personal.read because it contains an
 * address.
 */
export function participantInvoiceRoutes(web: WebServices) {
  return createConsoleRouter(web).get(`${CONSOLE_PARTICIPANT_PATH}/invoices/:file{.+\\.pdf}`, async (c) => {
    const at = await getParticipantPageContext(web, c, 'registration.read')
    requirePermission(at.event.name, at.permissions, 'personal.read')
    const order = await findOrder(at.reading, { participantId: at.row.id })
    const found = order && (await findOrderInvoice(at.reading, order.id, c.req.param('file').replace(/\.pdf$/, '')))
    const pdf = found ? await renderInvoicePdf(at.reading, found.id) : null
    if (!pdf) throw notFound('This participant has no such invoice')
    return sendDocumentFile(c, pdf)
  })
}
