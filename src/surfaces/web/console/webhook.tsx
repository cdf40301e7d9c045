import { DELIVERY_STATUSES, countDeliveries, listDeliveries } from '../../../domains/webhooks/deliveries.ts'
import { deleteEndpoint, editEndpoint, renewSigningSecret } from '../../../domains/webhooks/edits.ts'
import { type WebhookAccount, lockEndpoint } from '../../../domains/webhooks/endpoints.ts'
import { replayMessage } from '../../../domains/webhooks/replay.ts'
import { createTestMessage } from '../../../domains/webhooks/test-message.ts'
import { canChangeApiAccount } from '../../../domains/access/client-accounts.ts'
import type { ClientContext } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { type WebhookTestResult, sendTestWebhook } from '../../worker/send-test-webhook.ts'
import { renderContentPage } from '../components/page.tsx'
import { Notice } from '../components/parts.tsx'
import { catchFormErrors, type FormErrors } from '../fields.ts'
import { passSecretToPage, takeSecretForPage } from '../one-time-secrets.ts'
import { getCsrfToken, type FormValues, type WebServices, type WebContext } from '../web.ts'
import { type ConfirmQuestion, sendConfirmPage, isConfirmed } from './confirm-page.tsx'
import { getClientPageContext, type ClientPageContext, getClientPageContextForChange } from './client-page.ts'
import { readListQuery } from './filters.ts'
import { runClientChange, createConsoleRouter, requireConsoleForm, sendConsolePage } from './frame.tsx'
import { getNavigationPosition } from './navigation.ts'
import {
  WebhookDeliveryCounts,
  WebhookDeliveryLog,
  NewWebhookSecretCard,
  WebhookTestResultNotice,
  WebhookActions,
  WebhookDetailsCard,
} from './webhook-cards.tsx'
import { formatWebhookScope, lockWebhookAccount, readEventNamesByCode, shortenUrl, listClientWebhooks } from './webhooks.tsx'
import { getWebhookFieldLabel } from './webhook-form.tsx'

const DELETE_QUESTION = {
  title: 'Delete this webhook?',
  text: 'Pending deliveries are cancelled and the delivery log is deleted. A new webhook will have a new secret.',
  button: 'Delete',
}

const RENEW_QUESTION = {
  title: 'Renew secret?',
  text: 'The new secret is shown once, on the next page. Messages are signed with both secrets for 24 hours, so that you can update the receiver.',
  button: 'Renew',
}

/** `/console/clients/:code/webhooks/:webhook`: one webhook and its deliveries. */
export function webhookDetailPages(web: WebServices) {
  const path = '/console/clients/:code/webhooks/:webhook{[0-9a-f]{24}}'
  const webhookId = (c: WebContext) => c.req.param('webhook') ?? ''
  const webhookPath = (c: WebContext, at: ClientPageContext) => `${at.base}/webhooks/${webhookId(c)}`

  async function getWebhook(c: WebContext, at: ClientPageContext) {
    const webhook = (await listClientWebhooks(at)).find(({ id }) => id === webhookId(c))
    if (!webhook) throw notFound(`This webhook does not exist at ${at.client.name}`)
    return webhook
  }

  async function page(
    c: WebContext,
    at: ClientPageContext,
    { formErrors = null, tried = null }: { formErrors?: FormErrors | null; tried?: WebhookTestResult | null } = {},
  ) {
    const webhook = await getWebhook(c, at)
    const { filter, cursor, cursorScope, pageLinks } = readListQuery(c, `webhook ${webhook.id}`, ['status', 'kind'])
    const status = DELIVERY_STATUSES.find((one) => one === filter.status)
    const request = { status, kind: filter.kind, limit: 25, cursor }
    const { items, nextCursor } = await listDeliveries({ ...at.reading, cursorScope }, webhook.id, request)
    const secret = takeSecretForPage(web, c, webhook.id)
    const here = webhookPath(c, at)
    const mayChange = at.mayChange && canChangeApiAccount(at.reading, webhook.account)
    const csrf = getCsrfToken(web, c)
    const scope = formatWebhookScope(webhook, at, await readEventNamesByCode(at))
    const shown = renderContentPage(
      {
        title: shortenUrl(webhook.url),
        text: webhook.description || `Webhook of ${at.client.name}`,
        crumbs: [{ href: `${at.base}/webhooks`, label: 'Webhooks' }],
        formErrors,
      },
      <>
        {tried ? <WebhookTestResultNotice tried={tried} /> : null}
        {secret ? <NewWebhookSecretCard secret={secret} /> : null}
        {at.mayChange && !mayChange ? (
          <Notice>
            The account of this webhook also covers {webhook.account.alsoCovers.join(', ')}. Only administrators of all of them can change
            it.
          </Notice>
        ) : null}
        <WebhookDeliveryCounts counts={await countDeliveries(at.reading, webhook.id)} webhook={webhook} here={here} />
        <div class="grid halves">
          {/* The actions come before the details, so that they are visible on a phone without scrolling. */}
          {mayChange ? <WebhookActions webhook={webhook} csrf={csrf} here={here} /> : null}
          <WebhookDetailsCard webhook={webhook} scope={scope} accountHref={`${at.base}/accounts/${webhook.accountId}`} />
        </div>
        <WebhookDeliveryLog
          deliveries={items}
          filter={{ status, kind: filter.kind }}
          replay={mayChange && webhook.status === 'active' ? { csrf, action: `${here}/replay` } : null}
          here={here}
          pages={pageLinks(here, nextCursor)}
        />
      </>,
    )
    return sendConsolePage(web, c, getNavigationPosition(at, 'webhooks'), shown)
  }

  /**
   * Handles a form: locks the webhook's API account, runs the change, and responds with the page or redirect that `go` returns. Errors are
   * shown on the webhook's page.
   */
  const changing =
    <T,>(
      action: string,
      run: (ctx: ClientContext, listener: WebhookAccount, c: WebContext, form: FormValues) => Promise<T>,
      go: (c: WebContext, at: ClientPageContext, changed: T) => Response | Promise<Response>,
      question?: ConfirmQuestion,
    ) =>
    async (c: WebContext) => {
      const form = await requireConsoleForm(web, c)
      const at = getClientPageContextForChange(web, c)
      const { accountId } = await getWebhook(c, at)
      if (question && !isConfirmed(form))
        return sendConfirmPage(web, c, form, { ...question, ...getNavigationPosition(at, 'webhooks'), back: webhookPath(c, at) })
      let changed: { result: T } | null = null
      const formErrors = await catchFormErrors(async () => {
        const result = await runClientChange(web, at.session, { client: at.client, action }, async (ctx) =>
          run(ctx, await lockWebhookAccount(ctx, accountId), c, form),
        )
        changed = { result }
      }, getWebhookFieldLabel)
      if (formErrors || !changed) return page(c, at, { formErrors })
      return go(c, at, (changed as { result: T }).result)
    }

  const back = (done: string) => (c: WebContext, at: ClientPageContext) => c.redirect(`${webhookPath(c, at)}?done=${done}`, 303)

  return createConsoleRouter(web)
    .get(path, (c) => page(c, getClientPageContext(web, c)))
    .post(
      `${path}/test`,
      changing(
        'test_webhook',
        async (ctx, listener, c) => createTestMessage(ctx, await lockEndpoint(ctx, listener.id, webhookId(c))),
        async (c, at, { messageId }) =>
          page(c, at, {
            tried: await sendTestWebhook(web.services, { tenantId: at.reading.tenantId, endpointId: webhookId(c), messageId }),
          }),
      ),
    )
    .post(
      `${path}/status`,
      changing(
        'update_webhook',
        (ctx, listener, c, form) =>
          editEndpoint(ctx, listener, webhookId(c), { status: form['status'] === 'active' ? 'active' : 'paused' }),
        back('saved'),
      ),
    )
    .post(
      `${path}/secret`,
      changing(
        'renew_webhook_secret',
        async (ctx, listener, c) => (await renewSigningSecret(ctx, listener, webhookId(c))).secret,
        (c, at, secret) => {
          passSecretToPage(web, c, webhookId(c), secret)
          return c.redirect(webhookPath(c, at), 303)
        },
        RENEW_QUESTION,
      ),
    )
    .post(
      `${path}/replay`,
      changing(
        'replay_webhook',
        async (ctx, listener, c, form) => replayMessage(ctx, await lockEndpoint(ctx, listener.id, webhookId(c)), form['message'] ?? ''),
        back('again'),
      ),
    )
    .post(
      `${path}/delete`,
      changing(
        'delete_webhook',
        (ctx, listener, c) => deleteEndpoint(ctx, listener, webhookId(c)),
        (c, at) => c.redirect(`${at.base}/webhooks?done=deleted`, 303),
        DELETE_QUESTION,
      ),
    )
}
