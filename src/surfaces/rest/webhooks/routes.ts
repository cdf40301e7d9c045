import { Hono } from 'hono'
import { createEndpoint, rethrowAsUrlArgumentError } from '../../../domains/webhooks/create.ts'
import { deleteEndpoint, editEndpoint, renewSigningSecret } from '../../../domains/webhooks/edits.ts'
import { getEndpoint, listEndpoints, lockEndpoint, toWebhookEndpoint } from '../../../domains/webhooks/endpoints.ts'
import { replayMessage, replayMessagesInRange } from '../../../domains/webhooks/replay.ts'
import { decryptSigningSecret } from '../../../domains/webhooks/secrets.ts'
import { createTestMessage } from '../../../domains/webhooks/test-message.ts'
import type { Context } from '../../../kernel/context.ts'
import type { AppServices } from '../../services.ts'
import { sendTestWebhook } from '../../worker/send-test-webhook.ts'
import { respondJson, isNotModified, respondNotModified } from '../respond.ts'
import { commitApiAccountChange, buildApiAccountContext } from '../changes.ts'
import { computeTextEtag } from '../etags.ts'
import { parseQueryParameters } from '../query.ts'
import { readRequestBody } from '../read-request-body.ts'
import type { RestContext, RestEnv } from '../site.ts'
import { NewWebhook, ReplayRange, WebhookEdit } from './body.ts'
import { renderDeliveryLog } from './log.ts'
import { computeWebhookEtag, readExpectedRevision } from './revisions.ts'

const NO_STORE = { 'cache-control': 'no-store', vary: 'Authorization' }

/** `/v1/webhooks…`: manages the account's webhooks, their delivery log and replays. */
export function createWebhookRoutes(services: AppServices): Hono<RestEnv> {
  const reading = (c: RestContext) => buildApiAccountContext(services, c, services.database.read)
  const checkAddress = (url: string | undefined) =>
    url === undefined ? undefined : services.fetcher.check(url, { httpsOnly: true }).catch(rethrowAsUrlArgumentError)

  /** Returns the webhook with its signing secret: once, and again only for a repeated request with the same idempotency key. */
  async function withSecret(c: RestContext, id: string, status: 200 | 201): Promise<Response> {
    const { tenantId, id: accountId } = c.get('account')
    const row = await getEndpoint({ tenantId, db: services.database.write }, accountId, id)
    const secret = decryptSigningSecret(services.keys, { tenantId, endpointId: id }, row.secrets[0]!)
    const location = status === 201 ? { location: `${services.baseUrl}/v1/webhooks/${id}` } : {}
    return c.json({ ...toWebhookEndpoint(row), secret: secret?.reveal() ?? null }, status, { ...NO_STORE, ...location })
  }

  return new Hono<RestEnv>()
    .get('/v1/webhooks', async (c) => {
      parseQueryParameters(c.req.url, [])
      const webhooks = await listEndpoints(reading(c), [c.get('account').id])
      const json = JSON.stringify({ data: webhooks, pageInfo: { nextCursor: null, hasMore: false } })
      return isNotModified(c, computeTextEtag(json))
        ? respondNotModified(c, computeTextEtag(json))
        : respondJson(c, computeTextEtag(json), json)
    })
    .post('/v1/webhooks', async (c) => {
      const sent = await readRequestBody(c, NewWebhook)
      await checkAddress(sent.url)
      const create = async (ctx: Context) => ({ id: (await createEndpoint(ctx, c.get('account'), sent)).endpoint.id })
      const { id } = await commitApiAccountChange(services, c, { name: 'create_webhook', sent, run: create })
      return withSecret(c, id, 201)
    })
    .get('/v1/webhooks/:id', async (c) => {
      parseQueryParameters(c.req.url, [])
      const webhook = toWebhookEndpoint(await getEndpoint(reading(c), c.get('account').id, c.req.param('id')))
      const [json, etag] = [JSON.stringify(webhook), computeWebhookEtag(webhook)]
      return isNotModified(c, etag) ? respondNotModified(c, etag) : respondJson(c, etag, json)
    })
    .patch('/v1/webhooks/:id', async (c) => {
      const { revision, ...sent } = await readRequestBody(c, WebhookEdit)
      const ifRevision = readExpectedRevision(c.req.header('if-match'), revision)
      await checkAddress(sent.url)
      const run = (ctx: Context) => editEndpoint(ctx, c.get('account'), c.req.param('id'), { ...sent, ifRevision })
      const webhook = await commitApiAccountChange(services, c, { name: 'update_webhook', sent: { ...sent, ifRevision }, run })
      return c.json(webhook, 200, { ...NO_STORE, etag: computeWebhookEtag(webhook) })
    })
    .delete('/v1/webhooks/:id', async (c) => {
      const run = (ctx: Context) => deleteEndpoint(ctx, c.get('account'), c.req.param('id'))
      await commitApiAccountChange(services, c, { name: 'delete_webhook', sent: null, run })
      return c.body(null, 204, NO_STORE)
    })
    .post('/v1/webhooks/:id/secret', async (c) => {
      const id = c.req.param('id')
      const run = async (ctx: Context) => ({ id: (await renewSigningSecret(ctx, c.get('account'), id)).endpoint.id })
      await commitApiAccountChange(services, c, { name: 'renew_webhook_secret', sent: null, run })
      return withSecret(c, id, 200)
    })
    .post('/v1/webhooks/:id/test', async (c) => {
      const [endpointId, { tenantId, id: accountId }] = [c.req.param('id'), c.get('account')]
      const run = async (ctx: Context) => createTestMessage(ctx, await lockEndpoint(ctx, accountId, endpointId))
      const { messageId } = await commitApiAccountChange(services, c, { name: 'test_webhook', sent: null, run })
      return c.json(await sendTestWebhook(services, { tenantId, endpointId, messageId }), 200, NO_STORE)
    })
    .get('/v1/webhooks/:id/deliveries', async (c) => {
      await getEndpoint(reading(c), c.get('account').id, c.req.param('id'))
      const json = await renderDeliveryLog(services, c, c.req.param('id'))
      return isNotModified(c, computeTextEtag(json))
        ? respondNotModified(c, computeTextEtag(json))
        : respondJson(c, computeTextEtag(json), json)
    })
    .post('/v1/webhooks/:id/deliveries/:messageId/replay', async (c) => {
      const messageId = c.req.param('messageId')
      const run = async (ctx: Context) => {
        await replayMessage(ctx, await lockEndpoint(ctx, c.get('account').id, c.req.param('id')), messageId)
        return { replayed: 1 }
      }
      return c.json(await commitApiAccountChange(services, c, { name: 'replay_webhook', sent: { messageId }, run }), 202, NO_STORE)
    })
    .post('/v1/webhooks/:id/replay', async (c) => {
      const range = await readRequestBody(c, ReplayRange)
      const run = async (ctx: Context) => replayMessagesInRange(ctx, await lockEndpoint(ctx, c.get('account').id, c.req.param('id')), range)
      return c.json(await commitApiAccountChange(services, c, { name: 'replay_webhook', sent: range, run }), 202, NO_STORE)
    })
}
