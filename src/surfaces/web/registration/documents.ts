import { type BadgeQrCode, createBadgeQrCode } from '../../../domains/configuration/badge-code.ts'
import { createBadgeAttachment, createBadgeSvg } from '../../../domains/messages/event-mail/badge.ts'
import { renderInvoicePdf } from '../../../domains/orders/invoice-pdf.ts'
import { findOrderInvoice } from '../../../domains/orders/named-invoices.ts'
import { findOrder } from '../../../domains/orders/orders.ts'
import { toOrderRecord } from '../../../domains/orders/order-record.ts'
import { getOwnRegistration } from '../../../domains/registration/own/own-registration.ts'
import { listEmailsToParticipant } from '../../../domains/registration/find/participant-history.ts'
import type { Attachment } from '../../../kernel/email-attachments.ts'
import { buildContentDispositionHeaders } from '../../files/disposition.ts'
import { createEventRouter, formatDatesAndVenue } from '../event/event-layout.tsx'
import { PUBLIC_EVENT_PATH } from '../event/event-site.ts'
import { sendNotFoundPage } from '../error-pages.tsx'
import type { WebServices, WebContext } from '../web.ts'
import { toRegistrantContext, withOwnRegistrationAccess, type OwnRegistrationAccess } from './own-access.tsx'
import { buildOwnCalendar } from './own-calendar.ts'

const AT = `${PUBLIC_EVENT_PATH}/registration`

/** Sends a personal document, which no cache may store. */
export function sendDocumentFile(c: WebContext, { name, mime, content }: Attachment): Response {
  const headers = new Headers({
    ...buildContentDispositionHeaders({ name, mime }, c.req.query('download') !== undefined),
    'content-type': mime,
    'cache-control': 'private, no-store',
    'referrer-policy': 'no-referrer',
  })
  return new Response(new Uint8Array(content), { status: 200, headers })
}

/** Invoices, calendar file, badge and data export of the signed-in participant. */
export function registrationDocumentPages(web: WebServices) {
  const invoice = async (c: WebContext, { ctx, row }: OwnRegistrationAccess): Promise<Response> => {
    const number = c.req.param('file')!.replace(/\.pdf$/, '')
    const order = await findOrder(ctx, { participantId: row.id })
    const found = order && (await findOrderInvoice(ctx, order.id, number))
    const pdf = found ? await renderInvoicePdf(ctx, found.id) : null
    return pdf ? sendDocumentFile(c, pdf) : sendNotFoundPage(web, c)
  }
  const calendar = async (c: WebContext, { ctx, site, row }: OwnRegistrationAccess): Promise<Response> =>
    sendDocumentFile(c, await buildOwnCalendar(ctx, site, row))
  const badge =
    (create: (code: BadgeQrCode) => Promise<Attachment>) =>
    async (c: WebContext, { ctx, site, row }: OwnRegistrationAccess): Promise<Response> => {
      const code = row.status === 'complete' ? createBadgeQrCode(ctx, site.config.badge, row) : null
      return code ? sendDocumentFile(c, await create(code)) : sendNotFoundPage(web, c)
    }
  const everything = async (c: WebContext, own: OwnRegistrationAccess): Promise<Response> => {
    const { ctx, row, site } = own
    const order = await findOrder(ctx, { participantId: row.id })
    const exported = {
      event: { name: site.config.details.name, when: formatDatesAndVenue(site) },
      registration: await getOwnRegistration(toRegistrantContext(own)),
      ...(order ? { order: await toOrderRecord(ctx, order) } : {}),
      emails: await listEmailsToParticipant(ctx, row),
    }
    return sendDocumentFile(c, {
      name: 'my-registration.json',
      mime: 'application/json',
      content: Buffer.from(JSON.stringify(exported, null, 2)),
    })
  }
  return createEventRouter(web)
    .get(`${AT}/invoices/:file{.+\\.pdf}`, withOwnRegistrationAccess(web, invoice))
    .get(`${AT}/calendar.ics`, withOwnRegistrationAccess(web, calendar))
    .get(`${AT}/badge.png`, withOwnRegistrationAccess(web, badge(createBadgeAttachment)))
    .get(`${AT}/badge.svg`, withOwnRegistrationAccess(web, badge(createBadgeSvg)))
    .get(`${AT}/data.json`, withOwnRegistrationAccess(web, everything))
}
