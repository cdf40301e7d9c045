import { type ClientAccount, listClientAccounts, lockClientAccount } from '../../../domains/access/client-accounts.ts'
import { listEvents } from '../../../domains/tenancy/events.ts'
import { createEndpoint, refuseAddress } from '../../../domains/webhooks/create.ts'
import { type Endpoint, type Listener, listEndpoints } from '../../../domains/webhooks/endpoints.ts'
import { readKinds } from '../../../domains/webhooks/kinds.ts'
import type { ClientContext } from '../../../kernel/context.ts'
import { cleanName } from '../../../kernel/outside-text.ts'
import type { Secret } from '../../../kernel/secrets.ts'
import { LinkButton } from '../components/forms.tsx'
import { Heading } from '../components/layout.tsx'
import { Badge, Card, Empty, Notice, Table, Time } from '../components/parts.tsx'
import { attempt, type Refused } from '../fields.ts'
import { everyValue } from '../form-values.ts'
import { handOver } from '../shown-once.ts'
import { csrfFor, type FormValues, type Web, type WebContext } from '../web.ts'
import { atClient, type AtClient, changingAt } from './at-client.ts'
import { changeAt, consolePages, formOf, frame } from './frame.tsx'
import { NewWebhookForm, webhookLabel } from './webhook-form.tsx'

/** An endpoint as the people of one client see it. */
export interface ShownWebhook extends Endpoint {
  account: ClientAccount
}

/** Those of the accounts that reach this client, unless they listen to another one only. */
export async function webhooksAt(at: AtClient): Promise<ShownWebhook[]> {
  const accounts = new Map((await listClientAccounts(at.reading)).map((account) => [account.id, account]))
  const endpoints = await listEndpoints(at.reading, [...accounts.keys()])
  return endpoints
    .filter(({ clientCode }) => clientCode === null || clientCode === at.client.code)
    .map((endpoint) => ({ ...endpoint, account: accounts.get(endpoint.accountId)! }))
}

/** Whose endpoint is changed, if whoever changes it may change the account. */
export async function listenerOf(ctx: ClientContext, accountId: string): Promise<Listener> {
  const { id, allowed_tenants, allowed_clients, allowed_events } = await lockClientAccount(ctx, accountId)
  return { id, allowedTenants: allowed_tenants, allowedClients: allowed_clients, allowedEvents: allowed_events }
}

const TONES = { active: 'success', paused: 'warning', disabled: 'danger' } as const

export const WebhookState = ({ webhook: { status, failingSince } }: { webhook: Endpoint }) =>
  status === 'active' && failingSince !== null ? <Badge tone="warning">failing</Badge> : <Badge tone={TONES[status]}>{status}</Badge>

const StateAndWhy = ({ webhook }: { webhook: Endpoint }) => (
  <>
    <WebhookState webhook={webhook} />
    {webhook.disabledReason === null ? null : <span class="muted"> by Lanyard: {webhook.disabledReason}</span>}
  </>
)

export const kindsInWords = ({ kinds }: Endpoint) =>
  kinds[0] === '*' ? 'all kinds' : kinds.length === 1 ? kinds[0]! : `${kinds.length} kinds`

export const placeInWords = ({ eventCode, clientCode }: Endpoint) => eventCode ?? clientCode ?? 'all that the account covers'

const dateOf = (instant: string | null) => (instant === null ? null : new Date(instant))

/** Long addresses are told by where they lead. */
export const shortAddress = (url: string) => {
  const { host, pathname } = new URL(url)
  return `${host}${pathname.length > 40 ? `${pathname.slice(0, 39)}…` : pathname}`
}

const WebhookTable = ({ at, webhooks }: { at: AtClient; webhooks: ShownWebhook[] }) => (
  <Table
    caption="Webhooks"
    rows={webhooks}
    columns={[
      { label: 'Address', lead: true, cell: (w) => <a href={`${at.base}/webhooks/${w.id}`}>{shortAddress(w.url)}</a> },
      { label: 'Account', cell: (w) => w.account.name },
      { label: 'Told', short: true, cell: (w) => <span title={w.kinds.join(', ')}>{kindsInWords(w)}</span> },
      { label: 'Of', cell: placeInWords },
      { label: 'State', cell: (w) => <StateAndWhy webhook={w} /> },
      { label: 'Last taken', cell: (w) => <Time at={dateOf(w.lastSuccessAt)} /> },
    ]}
  />
)

/** `/console/clients/:code/webhooks`: where other software is told of what happens here. */
export function webhookPages(web: Web) {
  const path = '/console/clients/:code/webhooks'

  async function newPage(c: WebContext, at: AtClient, form: FormValues, refused: Refused | null = null) {
    const accounts = (await listClientAccounts(at.reading)).filter(
      ({ active, purpose }) => active && (purpose === 'rest' || purpose === 'both'),
    )
    const events = await listEvents(at.reading, { limit: 100 })
    return frame(
      web,
      c,
      { title: 'New webhook', current: `${at.base}/webhooks`, client: at.client, status: refused ? 400 : 200 },
      accounts.length === 0 ? (
        <Card>
          <Empty title="An API account is needed first">
            <p>
              A webhook tells an account what it may read over REST. <a href={`${at.base}/accounts/new`}>Make one</a>, then come back.
            </p>
          </Empty>
        </Card>
      ) : (
        <NewWebhookForm
          at={at}
          csrf={csrfFor(web, c)}
          form={form}
          refused={refused ?? {}}
          accounts={accounts}
          events={events.items.map(({ summary }) => ({ code: summary.code, name: summary.name }))}
        />
      ),
    )
  }

  return consolePages(web)
    .get(path, async (c) => {
      const at = atClient(web, c)
      const webhooks = await webhooksAt(at)
      return frame(
        web,
        c,
        { title: 'Webhooks', current: `${at.base}/webhooks`, client: at.client },
        <>
          <Heading title="Webhooks" text={`Other software that is told what happens at ${at.client.name}`}>
            {at.mayChange ? (
              <LinkButton href={`${at.base}/webhooks/new`} tone="primary">
                New webhook
              </LinkButton>
            ) : null}
          </Heading>
          {at.mayChange ? null : <Notice>You can see the webhooks. Changing them needs the clients.admin permission.</Notice>}
          <Card pad={false}>
            {webhooks.length > 0 ? (
              <WebhookTable at={at} webhooks={webhooks} />
            ) : (
              <Empty title="No webhooks yet">
                <p>A webhook sends a signed message to an address of yours whenever something changes, so that nobody has to ask.</p>
              </Empty>
            )}
          </Card>
        </>,
      )
    })
    .get(`${path}/new`, (c) => newPage(c, changingAt(web, c), {}))
    .post(path, async (c) => {
      const form = await formOf(web, c)
      const at = changingAt(web, c)
      let made: { id: string; secret: Secret } | null = null
      const refused = await attempt(async () => {
        const url = (form['url'] ?? '').trim()
        const kinds = readKinds(form['all'] === 'yes' ? '*' : everyValue(form, 'kinds'))
        await web.road.fetcher.check(url, { httpsOnly: true }).catch(refuseAddress)
        const asked = { url, kinds, eventCode: form['eventCode'] || null, clientCode: form['eventCode'] ? at.client.code : null }
        const { endpoint, secret } = await changeAt(web, at.session, { client: at.client, action: 'create_webhook' }, async (ctx) =>
          createEndpoint(ctx, await listenerOf(ctx, form['account'] ?? ''), {
            ...asked,
            description: cleanName(form['description'] ?? ''),
          }),
        )
        made = { id: endpoint.id, secret }
      }, webhookLabel)
      if (refused || !made) return newPage(c, at, form, refused)
      const { id, secret } = made as { id: string; secret: Secret }
      handOver(web, c, id, secret)
      return c.redirect(`${at.base}/webhooks/${id}`, 303)
    })
}
