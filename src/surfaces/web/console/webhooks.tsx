import { type ClientApiAccount, listClientApiAccounts, lockClientApiAccount } from '../../../domains/access/client-accounts.ts'
import { listEvents } from '../../../domains/tenancy/events.ts'
import { createEndpoint, rethrowAsUrlArgumentError } from '../../../domains/webhooks/create.ts'
import { type WebhookEndpoint, type WebhookAccount, listEndpoints } from '../../../domains/webhooks/endpoints.ts'
import { parseMessageKinds } from '../../../domains/webhooks/kinds.ts'
import type { ClientContext } from '../../../kernel/context.ts'
import { cleanName } from '../../../kernel/clean-text.ts'
import type { Secret } from '../../../kernel/secrets.ts'
import { LinkButton } from '../components/forms.tsx'
import { renderListPage } from '../components/list-page.tsx'
import { renderContentPage } from '../components/page.tsx'
import { StatusDot, Card, EmptyState, Notice, type TableColumn, TimestampText } from '../components/parts.tsx'
import { catchFormErrors, type FormErrors } from '../fields.ts'
import { listFieldValues } from '../form-values.ts'
import { passSecretToPage } from '../one-time-secrets.ts'
import { getCsrfToken, type FormValues, type WebServices, type WebContext } from '../web.ts'
import { getClientPageContext, type ClientPageContext, getClientPageContextForChange } from './client-page.ts'
import { runClientChange, createConsoleRouter, requireConsoleForm, sendConsolePage } from './frame.tsx'
import { getNavigationPosition } from './navigation.ts'
import { renderNewWebhookPage, getWebhookFieldLabel } from './webhook-form.tsx'

/** A webhook endpoint with its API account. */
export interface WebhookWithAccount extends WebhookEndpoint {
  account: ClientApiAccount
}

/** The webhooks of all accounts that cover this client, without those limited to another client. */
export async function listClientWebhooks(at: ClientPageContext): Promise<WebhookWithAccount[]> {
  const accounts = new Map((await listClientApiAccounts(at.reading)).map((account) => [account.id, account]))
  const endpoints = await listEndpoints(at.reading, [...accounts.keys()])
  return endpoints
    .filter(({ clientCode }) => clientCode === null || clientCode === at.client.code)
    .map((endpoint) => ({ ...endpoint, account: accounts.get(endpoint.accountId)! }))
}

/** Locks the API account of an endpoint. Throws if the user may not change the account. */
export async function lockWebhookAccount(ctx: ClientContext, accountId: string): Promise<WebhookAccount> {
  const { id, allowed_tenants, allowed_clients, allowed_events } = await lockClientApiAccount(ctx, accountId)
  return { id, allowedTenants: allowed_tenants, allowedClients: allowed_clients, allowedEvents: allowed_events }
}

const TONES = { active: 'success', paused: 'warning', disabled: 'danger' } as const

export const WebhookStatusDot = ({ webhook: { status, failingSince } }: { webhook: WebhookEndpoint }) =>
  status === 'active' && failingSince !== null ? (
    <StatusDot tone="warning">failing</StatusDot>
  ) : (
    <StatusDot tone={TONES[status]}>{status}</StatusDot>
  )

const StatusWithReason = ({ webhook }: { webhook: WebhookEndpoint }) => (
  <>
    <WebhookStatusDot webhook={webhook} />
    {webhook.disabledReason === null ? null : <span class="muted"> by Lanyard: {webhook.disabledReason}</span>}
  </>
)

export const formatWebhookMessageTypes = ({ kinds }: WebhookEndpoint) =>
  kinds[0] === '*' ? 'all types' : kinds.length === 1 ? kinds[0]! : `${kinds.length} types`

/** Names the events that a webhook is notified about: one event, all events of a client, or all that its account can read. */
export const formatWebhookScope = ({ eventCode, clientCode, account }: WebhookWithAccount, at: ClientPageContext, events: EventNames) =>
  eventCode !== null
    ? (events.get(eventCode) ?? eventCode)
    : clientCode === null
      ? `all events of ${account.name}`
      : `all events of ${at.client.name}`

type EventNames = ReadonlyMap<string, string>

/** Reads the names of the client's events, by code. */
export const readEventNamesByCode = async (at: ClientPageContext): Promise<EventNames> =>
  new Map((await listEvents(at.reading, { limit: 100 })).items.map(({ summary }) => [summary.code, summary.name]))

const dateOf = (instant: string | null) => (instant === null ? null : new Date(instant))

/** Shortens a URL to its host and the start of its path. */
export const shortenUrl = (url: string) => {
  const { host, pathname } = new URL(url)
  return `${host}${pathname.length > 40 ? `${pathname.slice(0, 39)}…` : pathname}`
}

const webhookColumns = (at: ClientPageContext, events: EventNames): TableColumn<WebhookWithAccount>[] => [
  { label: 'Address', lead: true, cell: (w) => <a href={`${at.base}/webhooks/${w.id}`}>{shortenUrl(w.url)}</a> },
  { label: 'Account', cell: (w) => w.account.name },
  { label: 'Notifications', short: true, cell: (w) => <span title={w.kinds.join(', ')}>{formatWebhookMessageTypes(w)}</span> },
  { label: 'About', cell: (w) => <bdi>{formatWebhookScope(w, at, events)}</bdi> },
  { label: 'Status', cell: (w) => <StatusWithReason webhook={w} /> },
  { label: 'Last delivery', cell: (w) => <TimestampText at={dateOf(w.lastSuccessAt)} /> },
]

/** `/console/clients/:code/webhooks`: the webhooks of a client. */
export function webhookPages(web: WebServices) {
  const path = '/console/clients/:code/webhooks'

  async function newPage(c: WebContext, at: ClientPageContext, form: FormValues, formErrors: FormErrors | null = null) {
    const accounts = (await listClientApiAccounts(at.reading)).filter(
      ({ active, purpose }) => active && (purpose === 'rest' || purpose === 'both'),
    )
    const events = [...(await readEventNamesByCode(at))].map(([code, name]) => ({ code, name }))
    const needsAccount = (
      <Card>
        <EmptyState title="You need an API account first">
          <p>
            A webhook belongs to an API account with REST access. <a href={`${at.base}/accounts/new`}>Create an API account</a>.
          </p>
        </EmptyState>
      </Card>
    )
    const page =
      accounts.length === 0
        ? renderContentPage({ title: 'New webhook', formErrors }, needsAccount)
        : renderNewWebhookPage({ at, csrf: getCsrfToken(web, c), form, formErrors, accounts, events })
    return sendConsolePage(web, c, getNavigationPosition(at, 'webhooks'), page)
  }

  return createConsoleRouter(web)
    .get(path, async (c) => {
      const at = getClientPageContext(web, c)
      const webhooks = await listClientWebhooks(at)
      const page = renderListPage({
        title: 'Webhooks',
        text: `Notify other software about changes at ${at.client.name}.`,
        actions: at.mayChange ? (
          <LinkButton href={`${at.base}/webhooks/new`} tone="primary">
            New webhook
          </LinkButton>
        ) : null,
        before: at.mayChange ? null : <Notice>You can view these webhooks. Only administrators can change them.</Notice>,
        caption: 'Webhooks',
        columns: webhookColumns(at, await readEventNamesByCode(at)),
        rows: webhooks,
        empty: { title: 'No webhooks yet', text: 'A webhook sends a signed message to your server whenever something changes.' },
      })
      return sendConsolePage(web, c, getNavigationPosition(at, 'webhooks'), page)
    })
    .get(`${path}/new`, (c) => newPage(c, getClientPageContextForChange(web, c), {}))
    .post(path, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = getClientPageContextForChange(web, c)
      let made: { id: string; secret: Secret } | null = null
      const formErrors = await catchFormErrors(async () => {
        const url = (form['url'] ?? '').trim()
        const kinds = parseMessageKinds(form['all'] === 'yes' ? '*' : listFieldValues(form, 'kinds'))
        await web.services.fetcher.check(url, { httpsOnly: true }).catch(rethrowAsUrlArgumentError)
        const asked = { url, kinds, eventCode: form['eventCode'] || null, clientCode: form['eventCode'] ? at.client.code : null }
        const { endpoint, secret } = await runClientChange(web, at.session, { client: at.client, action: 'create_webhook' }, async (ctx) =>
          createEndpoint(ctx, await lockWebhookAccount(ctx, form['account'] ?? ''), {
            ...asked,
            description: cleanName(form['description'] ?? ''),
          }),
        )
        made = { id: endpoint.id, secret }
      }, getWebhookFieldLabel)
      if (formErrors || !made) return newPage(c, at, form, formErrors)
      const { id, secret } = made as { id: string; secret: Secret }
      passSecretToPage(web, c, id, secret)
      return c.redirect(`${at.base}/webhooks/${id}`, 303)
    })
}
