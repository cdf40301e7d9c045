import { Hono } from 'hono'
import { hearNotice } from '../../domains/payments/notices.ts'
import { databaseTime } from '../../kernel/database-time.ts'
import { readBody } from '../http/read-body.ts'
import type { Road } from '../road.ts'
import type { WebEnv } from '../web/web.ts'

const MAX_BYTES = 1024 * 1024

/** `/api/payments/<processor>/webhook`: what a card processor tells by itself, as it was sent, because its signature is over the bytes. */
export function paymentWebhooks({ database, queue, cards, log }: Road) {
  return new Hono<WebEnv>().post('/api/payments/:provider/webhook', async (c) => {
    const provider = cards.named(c.req.param('provider'))
    if (!provider) return c.notFound()
    const body = await readBody(c.env.incoming, MAX_BYTES)
    const at = await databaseTime({ db: database.read })
    const notice = body === null ? null : provider.verifyWebhook(body, c.req.header('stripe-signature') ?? '', at)
    if (!notice) return c.json({ error: 'The signature does not fit' }, 400)
    const ours = await database.transact((db) => hearNotice(db, queue, provider.name, notice))
    if (!ours && (notice.chargeId ?? notice.refundId ?? notice.setupId) !== null)
      log.error('a card processor told of a charge that is not ours', { name: `${provider.name} ${notice.type}` })
    return c.json({ received: true })
  })
}
