import { createApiAccount } from '../../src/domains/access/api-accounts.ts'
import { createEndpoint, type NewEndpoint } from '../../src/domains/webhooks/create.ts'
import { parseMessageKinds } from '../../src/domains/webhooks/kinds.ts'
import { commitChange } from '../../src/kernel/commit-change.ts'
import { newContext } from '../../src/kernel/new-context.ts'
import { createFetcher } from '../../src/platform/guarded-fetch.ts'
import { createWebhookSender } from '../../src/surfaces/worker/send-webhooks.ts'
import type { EventHandle, World } from './world.ts'

export interface WebhookSubscription {
  accountId: string
  endpointId: string
  secret: string
}

interface Options extends Partial<NewEndpoint> {
  accountId?: string
  onlyEvents?: readonly EventHandle[]
}

const ACTOR = { kind: 'apiAccount' as const, id: 'crm', name: 'CRM', app: { id: null, name: 'REST' } }

/** Creates an API account with access to the client, or only to the given events, and one webhook endpoint. */
export async function createWebhookSubscription(
  world: World,
  at: EventHandle,
  { accountId, onlyEvents, kinds, url = '', ...more }: Options,
): Promise<WebhookSubscription> {
  const { tenantId, tenantCode, clientCode } = at
  const allowedClients = onlyEvents ? [] : [{ tenantCode, clientCode }]
  const allowedEvents = (onlyEvents ?? []).map((event) => ({ tenantCode, clientCode: event.clientCode, eventCode: event.eventCode }))
  const id =
    accountId ??
    (await createApiAccount(world.database.write, {
      tenantId,
      name: 'CRM',
      canActAsParticipantAgent: false,
      restAccess: true,
      allowedClients,
      allowedEvents,
      contactEmail: 'crm@example.org',
    }))
  const { endpoint, secret } = await commitChange(
    world.database,
    { name: 'create_webhook' },
    (db) => newContext(world.services, { tenantId, tenantCode, actor: ACTOR, cursorScope: '' }, db),
    (ctx) =>
      createEndpoint(
        ctx,
        { id, allowedTenants: [], allowedClients, allowedEvents },
        { url, kinds: parseMessageKinds(kinds ?? '*'), ...more },
      ),
  )
  return { accountId: id, endpointId: endpoint.id, secret: secret.reveal() }
}

/** The guarded fetcher with loopback allowed, as an operator would allow an internal host. */
export const allowLoopbackReceivers = (world: World): void => void (world.services.fetcher = createFetcher({ allowedHosts: ['127.0.0.1'] }))

/** Delivers messages until none is due. Returns the number of attempts. */
export async function deliverDueMessages(world: World): Promise<number> {
  const sender = createWebhookSender(world.services)
  let attempts = 0
  for (let started = 1; started > 0;) {
    started = await sender.beginDue()
    attempts += started
    await sender.settled()
  }
  return attempts
}

/** The delivery log of an endpoint. */
export const listEndpointDeliveries = async (world: World, endpointId: string) =>
  (
    await world.database.pool.query<{
      kind: string
      status: string
      attempts: number
      tries_left: number
      wait: number
      message_id: string
    }>(
      `select kind, status, attempts, tries_left, message_id, extract(epoch from next_attempt_at - lanyard_now())::float8 as wait
       from webhook_deliveries where endpoint_id = $1 order by created_at, message_id`,
      [endpointId],
    )
  ).rows
