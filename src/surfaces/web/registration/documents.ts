import { badgeAttachment } from '../../../domains/messages/event-mail/badge.ts'
import { invoicePdf } from '../../../domains/orders/invoice-pdf.ts'
import { findInvoiceOn } from '../../../domains/orders/named-invoices.ts'
import { findOrderOf } from '../../../domains/orders/orders.ts'
import { toOrderRecord } from '../../../domains/orders/order-record.ts'
import { getOwnRegistration } from '../../../domains/registration/own-registration.ts'
import { mailsTo } from '../../../domains/registration/participant-past.ts'
import type { Attachment } from '../../../kernel/mail-attachments.ts'
import { dispositionOf } from '../../files/disposition.ts'
import { eventPagesOf, whenAndWhere } from '../event/frame.tsx'
import { AT_EVENT } from '../event/place.ts'
import { showMissing } from '../lost.tsx'
import type { Web, WebContext } from '../web.ts'
import { asRegistrant, forOwner, type Own } from './own.tsx'
import { ownCalendar } from './own-calendar.ts'

const AT = `${AT_EVENT}/registration`

/** A document of somebody's own: kept by nobody on the way. */
export function hand(c: WebContext, { name, mime, content }: Attachment): Response {
  const headers = new Headers({
    ...dispositionOf({ name, mime }, c.req.query('download') !== undefined),
    'content-type': mime,
    'cache-control': 'private, no-store',
    'referrer-policy': 'no-referrer',
  })
  return new Response(new Uint8Array(content), { status: 200, headers })
}

/** Invoices, calendar, badge and everything that is kept about them: for the person whose they are. */
export function ownDocumentPages(web: Web) {
  const invoice = async (c: WebContext, { ctx, row }: Own): Promise<Response> => {
    const number = c.req.param('file')!.replace(/\.pdf$/, '')
    const order = await findOrderOf(ctx, { participantId: row.id })
    const found = order && (await findInvoiceOn(ctx, order.id, number))
    const pdf = found ? await invoicePdf(ctx, found.id) : null
    return pdf ? hand(c, pdf) : showMissing(web, c)
  }
  const calendar = async (c: WebContext, { ctx, place, row }: Own): Promise<Response> => hand(c, await ownCalendar(ctx, place, row))
  const badge = async (c: WebContext, { row }: Own): Promise<Response> =>
    row.badge_id && row.status === 'complete' ? hand(c, await badgeAttachment(row.badge_id)) : showMissing(web, c)
  const everything = async (c: WebContext, own: Own): Promise<Response> => {
    const { ctx, row, place } = own
    const order = await findOrderOf(ctx, { participantId: row.id })
    const told = {
      event: { name: place.config.details.name, when: whenAndWhere(place) },
      registration: await getOwnRegistration(asRegistrant(own)),
      ...(order ? { order: await toOrderRecord(ctx, order) } : {}),
      emails: await mailsTo(ctx, row),
    }
    return hand(c, { name: 'my-registration.json', mime: 'application/json', content: Buffer.from(JSON.stringify(told, null, 2)) })
  }
  return eventPagesOf(web)
    .get(`${AT}/invoices/:file{.+\\.pdf}`, forOwner(web, invoice))
    .get(`${AT}/calendar.ics`, forOwner(web, calendar))
    .get(`${AT}/badge.png`, forOwner(web, badge))
    .get(`${AT}/data.json`, forOwner(web, everything))
}
