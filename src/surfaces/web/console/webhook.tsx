import { DELIVERY_STATUSES, listDeliveries } from '../../../domains/webhooks/deliveries.ts'
import { deleteEndpoint, editEndpoint, renewSecret } from '../../../domains/webhooks/edits.ts'
import { type Listener, lockEndpoint } from '../../../domains/webhooks/endpoints.ts'
import { replayMessage } from '../../../domains/webhooks/replay.ts'
import { writeTrial } from '../../../domains/webhooks/trial.ts'
import { mayChangeAccount } from '../../../domains/access/client-accounts.ts'
import type { ClientContext } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { type Tried, tryWebhook } from '../../worker/try-webhook.ts'
import { ErrorSummary } from '../components/forms.tsx'
import { Heading } from '../components/layout.tsx'
import { Notice } from '../components/parts.tsx'
import { attempt, type Refused } from '../fields.ts'
import { handOver, takeOver } from '../shown-once.ts'
import { csrfFor, type FormValues, type Web, type WebContext } from '../web.ts'
import { askFirst, isSure } from './ask-first.tsx'
import { atClient, type AtClient, changingAt } from './at-client.ts'
import { filterOf, pagesAround, scopeOf } from './filters.ts'
import { changeAt, consolePages, formOf, frame } from './frame.tsx'
import { Log, NewSecret, TriedNotice, WebhookActions, WebhookFacts } from './webhook-cards.tsx'
import { listenerOf, shortAddress, webhooksAt } from './webhooks.tsx'
import { webhookLabel } from './webhook-form.tsx'

const DELETING = {
  title: 'Delete this webhook?',
  text: 'What was on its way is dropped, and its log is gone with it. A new one has a new secret.',
  button: 'Delete',
}

const RENEWING = {
  title: 'Renew the secret?',
  text: 'A new secret is shown once on the next page. The old one signs along for 24 hours, so that the receiver can change in peace.',
  button: 'Renew',
}

/** `/console/clients/:code/webhooks/:webhook`: one webhook, what it was told and what it answered. */
export function webhookPage(web: Web) {
  const path = '/console/clients/:code/webhooks/:webhook{[0-9a-f]{24}}'
  const idIn = (c: WebContext) => c.req.param('webhook') ?? ''
  const hereAt = (c: WebContext, at: AtClient) => `${at.base}/webhooks/${idIn(c)}`

  async function found(c: WebContext, at: AtClient) {
    const webhook = (await webhooksAt(at)).find(({ id }) => id === idIn(c))
    if (!webhook) throw notFound(`No such webhook at ${at.client.name}`)
    return webhook
  }

  async function page(
    c: WebContext,
    at: AtClient,
    { refused = null, tried = null }: { refused?: Refused | null; tried?: Tried | null } = {},
  ) {
    const webhook = await found(c, at)
    const filter = filterOf(c, ['status', 'kind'])
    const status = DELIVERY_STATUSES.find((one) => one === filter.status)
    const cursor = c.req.query('cursor') || undefined
    const ctx = { ...at.reading, cursorScope: scopeOf(at.session.userId, `webhook ${webhook.id}`, filter) }
    const { items, nextCursor } = await listDeliveries(ctx, webhook.id, { status, kind: filter.kind, limit: 25, cursor })
    const secret = takeOver(web, c, webhook.id)
    const here = hereAt(c, at)
    const mayChange = at.mayChange && mayChangeAccount(at.reading, webhook.account)
    const csrf = csrfFor(web, c)
    return frame(
      web,
      c,
      { title: shortAddress(webhook.url), current: `${at.base}/webhooks`, client: at.client, status: refused ? 400 : 200 },
      <>
        <Heading
          title={shortAddress(webhook.url)}
          text={webhook.description || `Webhook ${webhook.id}`}
          crumbs={[{ href: `${at.base}/webhooks`, label: 'Webhooks' }]}
        />
        <ErrorSummary {...refused} />
        {tried ? <TriedNotice tried={tried} /> : null}
        {secret ? <NewSecret secret={secret} /> : null}
        {at.mayChange && !mayChange ? (
          <Notice>
            Its account covers {webhook.account.alsoCovers.join(', ')} too. Changing it needs the clients.admin permission there as well.
          </Notice>
        ) : null}
        <WebhookFacts webhook={webhook} accountHref={`${at.base}/accounts/${webhook.accountId}`} />
        {mayChange ? <WebhookActions webhook={webhook} csrf={csrf} here={here} /> : null}
        <Log
          deliveries={items}
          filter={{ status, kind: filter.kind }}
          replay={mayChange && webhook.status === 'active' ? { csrf, action: `${here}/replay` } : null}
          here={here}
          pages={pagesAround(here, filter, cursor, nextCursor)}
        />
      </>,
    )
  }

  /** Makes the change at the webhook's account and goes on; a refusal is shown on its page. */
  const changing =
    <T,>(
      action: string,
      run: (ctx: ClientContext, listener: Listener, c: WebContext, form: FormValues) => Promise<T>,
      go: (c: WebContext, at: AtClient, changed: T) => Response | Promise<Response>,
      question?: { title: string; text: string; button: string },
    ) =>
    async (c: WebContext) => {
      const form = await formOf(web, c)
      const at = changingAt(web, c)
      const { accountId } = await found(c, at)
      if (question && !isSure(form))
        return askFirst(web, c, form, { ...question, back: hereAt(c, at), current: `${at.base}/webhooks`, client: at.client })
      let changed: { result: T } | null = null
      const refused = await attempt(async () => {
        const result = await changeAt(web, at.session, { client: at.client, action }, async (ctx) =>
          run(ctx, await listenerOf(ctx, accountId), c, form),
        )
        changed = { result }
      }, webhookLabel)
      if (refused || !changed) return page(c, at, { refused })
      return go(c, at, (changed as { result: T }).result)
    }

  const back = (done: string) => (c: WebContext, at: AtClient) => c.redirect(`${hereAt(c, at)}?done=${done}`, 303)

  return consolePages(web)
    .get(path, (c) => page(c, atClient(web, c)))
    .post(
      `${path}/test`,
      changing(
        'test_webhook',
        async (ctx, listener, c) => writeTrial(ctx, await lockEndpoint(ctx, listener.id, idIn(c))),
        async (c, at, { messageId }) =>
          page(c, at, { tried: await tryWebhook(web.road, { tenantId: at.reading.tenantId, endpointId: idIn(c), messageId }) }),
      ),
    )
    .post(
      `${path}/status`,
      changing(
        'update_webhook',
        (ctx, listener, c, form) => editEndpoint(ctx, listener, idIn(c), { status: form['status'] === 'active' ? 'active' : 'paused' }),
        back('saved'),
      ),
    )
    .post(
      `${path}/secret`,
      changing(
        'renew_webhook_secret',
        async (ctx, listener, c) => (await renewSecret(ctx, listener, idIn(c))).secret,
        (c, at, secret) => {
          handOver(web, c, idIn(c), secret)
          return c.redirect(hereAt(c, at), 303)
        },
        RENEWING,
      ),
    )
    .post(
      `${path}/replay`,
      changing(
        'replay_webhook',
        async (ctx, listener, c, form) => replayMessage(ctx, await lockEndpoint(ctx, listener.id, idIn(c)), form['message'] ?? ''),
        back('again'),
      ),
    )
    .post(
      `${path}/delete`,
      changing(
        'delete_webhook',
        (ctx, listener, c) => deleteEndpoint(ctx, listener, idIn(c)),
        (c, at) => c.redirect(`${at.base}/webhooks?done=deleted`, 303),
        DELETING,
      ),
    )
}
