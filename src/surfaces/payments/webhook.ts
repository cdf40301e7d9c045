import { Hono } from 'hono'
import { handleProcessorNotification } from '../../domains/payments/notices.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { readBody } from '../http/read-body.ts'
import type { AppServices } from '../services.ts'
import type { WebEnv } from '../web/web.ts'

const MAX_BYTES = 1024 * 1024

/**
 * `/api/payments/<processor>/webhook`: notifications of a payment processor. The raw body is needed, because the signature covers its
 * bytes.
 */
export function createPaymentWebhookRoutes({ database, queue, cards, log }: AppServices) {
  return new Hono<WebEnv>().post('/api/payments/:provider/webhook', async (c) => {
    const provider = cards.byName(c.req.param('provider'))
    if (!provider) return c.notFound()
    const body = await readBody(c.env.incoming, MAX_BYTES)
    const at = await getDatabaseTime({ db: database.read })
    const notice = body === null ? null : provider.verifyWebhook(body, c.req.header('stripe-signature') ?? '', at)
    if (!notice) return c.json({ error: 'Invalid signature' }, 400)
    const ours = await database.transact((db) => handleProcessorNotification(db, queue, provider.name, notice))
    if (!ours && (notice.chargeId ?? notice.refundId ?? notice.setupId) !== null)
      log.error('a payment processor reported a charge that is not ours', { name: `${provider.name} ${notice.type}` })
    return c.json({ received: true })
  })
}
