import { invoicePdf } from '../../../../domains/orders/invoice-pdf.ts'
import { findInvoiceOn } from '../../../../domains/orders/named-invoices.ts'
import { findOrderOf } from '../../../../domains/orders/orders.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { hand } from '../../registration/documents.ts'
import type { Web } from '../../web.ts'
import { consolePages, demandAt } from '../frame.tsx'
import { atPerson, PERSON_PATH } from './at-person.ts'

/** `…/participants/<id>/invoices/<number>.pdf`: an invoice or credit note of theirs, as they have it. Their address stands on it. */
export function personInvoices(web: Web) {
  return consolePages(web).get(`${PERSON_PATH}/invoices/:file{.+\\.pdf}`, async (c) => {
    const at = await atPerson(web, c, 'registration.read')
    demandAt(at.event.name, at.permissions, 'personal.read')
    const order = await findOrderOf(at.reading, { participantId: at.row.id })
    const found = order && (await findInvoiceOn(at.reading, order.id, c.req.param('file').replace(/\.pdf$/, '')))
    const pdf = found ? await invoicePdf(at.reading, found.id) : null
    if (!pdf) throw notFound('There is no such invoice of theirs')
    return hand(c, pdf)
  })
}
