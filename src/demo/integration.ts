import { CompiledQuery } from 'kysely'
import { createClientApiAccount } from '../domains/access/client-accounts.ts'
import type { DeliveryAttempt } from '../domains/webhooks/attempt.ts'
import { type LeasedDelivery, leaseDueDeliveries } from '../domains/webhooks/lease-deliveries.ts'
import { createEndpoint } from '../domains/webhooks/create.ts'
import { editEndpoint } from '../domains/webhooks/edits.ts'
import type { WebhookAccount } from '../domains/webhooks/endpoints.ts'
import { MAX_DELIVERY_ATTEMPTS } from '../domains/webhooks/schedule.ts'
import { saveDeliveryAttempt } from '../domains/webhooks/save-attempt.ts'
import type { Db } from '../kernel/columns.ts'
import type { Pool } from '../kernel/ports.ts'
import { createMailboxMailer } from '../platform/mailer.ts'
import { lockWebhookAccount } from '../surfaces/web/console/webhooks.tsx'
import { sendEmailBatch } from '../surfaces/worker/send-emails.ts'
import type { DemoHistory } from './registering.ts'
import { SILENT_LOG } from '../kernel/silent-log.ts'
import { runDemoClientChange, type DemoSeedContext } from './stage.ts'

/** The receivers in the demo's history: the mailbox, and a client system that gets webhooks about registrations. */
export interface DemoMessageReceiver {
  connect: (history: DemoHistory) => Promise<void>
  /** Pauses the webhook, because a running demo must not send requests to other servers. */
  pause: (history: DemoHistory) => Promise<void>
  /** Delivers the emails and webhook messages that are due at this point of the demo's history. */
  deliverAll: (stage: DemoSeedContext) => Promise<void>
}

/** Maximum number of emails and webhook deliveries per step of the history; no step sends as many. */
const MAX_DELIVERIES = 50
const DELIVERY_LIMITS = { room: MAX_DELIVERIES, roomFailing: 1 }

/** Provides the demo's transaction as a pool, to code that usually runs its statements in a transaction of its own. */
const onTransaction = (db: Db): Pick<Pool, 'query'> => ({
  query: async <R>(text: string, values: readonly unknown[] = []) => {
    const { rows } = await db.executeQuery<R>(CompiledQuery.raw(text, [...values]))
    return { rows, rowCount: rows.length }
  },
})

const DELIVERED: Omit<DeliveryAttempt, 'ms'> = { delivered: true, status: 200, error: null, body: '{"received":true}', retryAfter: null }
const UNAVAILABLE: Omit<DeliveryAttempt, 'ms'> = {
  delivered: false,
  status: 503,
  error: 'The receiver answered 503',
  body: 'down for maintenance',
  retryAfter: null,
}

/** Ordinal numbers of the webhook deliveries whose first attempt fails. */
const FAILING_DELIVERIES = [15, 16]

/** Creates a receiver that makes no requests: emails go to the mailbox, and webhook deliveries are settled with prepared responses. */
export function createDemoMessageReceiver(): DemoMessageReceiver {
  let endpoint: { listener: WebhookAccount; id: string } | null = null
  let answered = 0

  /** Returns the receiver's response: it fails two deliveries at first and accepts their retries. */
  const answer = ({ triesLeft }: LeasedDelivery): DeliveryAttempt => {
    answered += 1
    const ms = 60 + ((answered * 37) % 140)
    return FAILING_DELIVERIES.includes(answered) && triesLeft === MAX_DELIVERY_ATTEMPTS
      ? { ...UNAVAILABLE, ms: ms + 900 }
      : { ...DELIVERED, ms }
  }

  return {
    async connect({ stage, team, summit }) {
      const deed = { colleague: team.olga, app: 'console' as const }
      const id = await runDemoClientChange(stage, { ...deed, tool: 'create_api_account' }, (ctx) =>
        createClientApiAccount(ctx, {
          name: 'Customer database',
          purpose: 'rest',
          contactEmail: 'it@example.org',
          rateLimitPerMinute: 120,
          events: [summit.event.code],
        }),
      )
      endpoint = await runDemoClientChange(stage, { ...deed, tool: 'create_webhook' }, async (ctx) => {
        const listener = await lockWebhookAccount(ctx, id)
        const made = await createEndpoint(ctx, listener, {
          url: 'https://crm.example.com/hooks/lanyard',
          kinds: ['participant.completed', 'participant.cancelled', 'payment.received'],
          clientCode: ctx.client.code,
          eventCode: summit.event.code,
          description: 'Keeps the customer database up to date',
        })
        return { listener, id: made.endpoint.id }
      })
    },
    async pause({ stage, team }) {
      const { listener, id } = endpoint!
      await runDemoClientChange(stage, { colleague: team.olga, app: 'console', tool: 'update_webhook' }, (ctx) =>
        editEndpoint(ctx, listener, id, { status: 'paused' }),
      )
    },
    async deliverAll({ db, baseUrl }) {
      const from = `no-reply@${new URL(baseUrl).hostname}`
      await sendEmailBatch({ pool: onTransaction(db), mailer: createMailboxMailer(), log: SILENT_LOG, from, batch: MAX_DELIVERIES })
      if (!endpoint) return
      for (
        let taken = await leaseDueDeliveries(db, DELIVERY_LIMITS);
        taken.length > 0;
        taken = await leaseDueDeliveries(db, DELIVERY_LIMITS)
      )
        for (const held of taken) await saveDeliveryAttempt(db, held, answer(held))
    },
  }
}
