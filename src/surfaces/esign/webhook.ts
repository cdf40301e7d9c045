import { Hono } from 'hono'
import { handleDocuSignNotification } from '../../domains/signing/docusign.ts'
import { readBody } from '../http/read-body.ts'
import type { AppServices } from '../services.ts'
import type { WebEnv } from '../web/web.ts'

const MAX_BYTES = 5 * 1024 * 1024

/**
 * `/api/esign/docusign/webhook`: notifications of DocuSign Connect. The raw body is needed, because the signature covers its bytes. The
 * handler reads the current state from DocuSign, so late, repeated or reordered notifications do no harm.
 */
export function createEsignWebhookRoutes({ database, queue, esign, log }: AppServices) {
  return new Hono<WebEnv>().post('/api/esign/docusign/webhook', async (c) => {
    const provider = esign?.docusign
    if (!provider) return c.notFound()
    const body = await readBody(c.env.incoming, MAX_BYTES)
    const notice = body === null ? null : provider.verifyWebhook(body, c.req.header('x-docusign-signature-1') ?? '')
    if (!notice) return c.json({ error: 'Invalid signature' }, 401)
    const isOurs = await database.transact((db) => handleDocuSignNotification({ db, queue }, notice))
    if (!isOurs) log.warn('DocuSign reported an envelope that is not ours', { name: 'docusign' })
    return c.json({ received: true })
  })
}
