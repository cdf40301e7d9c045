import { Hono } from 'hono'
import { decryptInvoiceLink } from '../../domains/orders/invoice-links.ts'
import { renderInvoicePdf } from '../../domains/orders/invoice-pdf.ts'
import { acceptsHtml, sendExpiredPage } from '../web/error-pages.tsx'
import type { WebServices, WebEnv } from '../web/web.ts'
import { buildContentDispositionHeaders } from './disposition.ts'

/**
 * `/invoices/<encrypted invoice id>.pdf`: an invoice for anyone with a valid link. The PDF is generated on request, so it shows the current
 * balance.
 */
export function createInvoicePages(web: WebServices) {
  const { services } = web
  return new Hono<WebEnv>().get('/invoices/:name{[\\w.-]{20,1000}\\.pdf}', async (c) => {
    const db = services.database.read
    const opened = await decryptInvoiceLink({ db, keys: services.keys }, c.req.param('name').slice(0, -'.pdf'.length))
    if (opened === null) return c.notFound()
    if (opened === 'expired') return acceptsHtml(c) ? sendExpiredPage(web, c) : c.json({ error: 'The link has expired' }, 410)
    const pdf = await renderInvoicePdf({ ...opened, db }, opened.invoiceId)
    if (pdf === null) return c.notFound()
    const headers = new Headers({
      ...buildContentDispositionHeaders(pdf, c.req.query('download') !== undefined),
      'content-type': pdf.mime,
      'content-length': String(pdf.content.length),
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
    })
    return new Response(c.req.method === 'HEAD' ? null : new Uint8Array(pdf.content), { status: 200, headers })
  })
}
