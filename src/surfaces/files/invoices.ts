import { Hono } from 'hono'
import { openInvoiceLink } from '../../domains/orders/invoice-links.ts'
import { invoicePdf } from '../../domains/orders/invoice-pdf.ts'
import { forPeople, showExpired } from '../web/lost.tsx'
import type { Web, WebEnv } from '../web/web.ts'
import { dispositionOf } from './disposition.ts'

/** `/invoices/<sealed>.pdf`: an invoice for whoever has a link that we made. It is written when asked for, so it says what is owed now. */
export function invoicePages(web: Web) {
  const { road } = web
  return new Hono<WebEnv>().get('/invoices/:name{[\\w.-]{20,1000}\\.pdf}', async (c) => {
    const db = road.database.read
    const opened = await openInvoiceLink({ db, keys: road.keys }, c.req.param('name').slice(0, -'.pdf'.length))
    if (opened === null) return c.notFound()
    if (opened === 'expired') return forPeople(c) ? showExpired(web, c) : c.json({ error: 'The link has expired' }, 410)
    const pdf = await invoicePdf({ ...opened, db }, opened.invoiceId)
    if (pdf === null) return c.notFound()
    const headers = new Headers({
      ...dispositionOf(pdf, c.req.query('download') !== undefined),
      'content-type': pdf.mime,
      'content-length': String(pdf.content.length),
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
    })
    return new Response(c.req.method === 'HEAD' ? null : new Uint8Array(pdf.content), { status: 200, headers })
  })
}
