import { CompiledQuery } from 'kysely'
import { createClientAccount } from '../domains/access/client-accounts.ts'
import type { Attempt } from '../domains/webhooks/attempt.ts'
import { type HeldDelivery, takeDue } from '../domains/webhooks/claim.ts'
import { createEndpoint } from '../domains/webhooks/create.ts'
import { editEndpoint } from '../domains/webhooks/edits.ts'
import type { Listener } from '../domains/webhooks/endpoints.ts'
import { MOST_ATTEMPTS } from '../domains/webhooks/schedule.ts'
import { settleAttempt } from '../domains/webhooks/settle.ts'
import type { Db } from '../kernel/columns.ts'
import type { Pool } from '../kernel/ports.ts'
import { mailboxMailer } from '../platform/mailer.ts'
import { listenerOf } from '../surfaces/web/console/webhooks.tsx'
import { sendDueEmails } from '../surfaces/worker/send-emails.ts'
import type { Telling } from './registering.ts'
import { QUIET } from '../kernel/quiet-log.ts'
import { doAtClient, type Stage } from './stage.ts'

/** Who is on the other side of the story: the mailbox, and a system of the client's that hears of every registration. */
export interface Receiver {
  connect: (telling: Telling) => Promise<void>
  /** From then on nothing is told any more: the demo asks nobody outside. */
  pause: (telling: Telling) => Promise<void>
  /** Takes what is on its way at this moment of the story. */
  takeAll: (stage: Stage) => Promise<void>
}

/** More than one moment of the story ever sends. */
const AT_ONCE = 50
const ROOM = { room: AT_ONCE, roomFailing: 1 }

/** Statements that usually have a transaction of their own, in that of the story. */
const within = (db: Db): Pick<Pool, 'query'> => ({
  query: async <R>(text: string, values: readonly unknown[] = []) => {
    const { rows } = await db.executeQuery<R>(CompiledQuery.raw(text, [...values]))
    return { rows, rowCount: rows.length }
  },
})

const TAKEN: Omit<Attempt, 'ms'> = { delivered: true, status: 200, error: null, body: '{"received":true}', retryAfter: null }
const BUSY: Omit<Attempt, 'ms'> = {
  delivered: false,
  status: 503,
  error: 'The receiver answered 503',
  body: 'down for maintenance',
  retryAfter: null,
}

/** Which of its answers, counted from the first. */
const DOWN = [15, 16]

/** No request is made for any of it: mails go into the mailbox by the outbox's own hands, deliveries are settled with the answers of the story. */
export function storyReceiver(): Receiver {
  let endpoint: { listener: Listener; id: string } | null = null
  let answered = 0

  /** The receiver was down once, for as long as it takes to ask twice, and got everything in the end. */
  const answer = ({ triesLeft }: HeldDelivery): Attempt => {
    answered += 1
    const ms = 60 + ((answered * 37) % 140)
    return DOWN.includes(answered) && triesLeft === MOST_ATTEMPTS ? { ...BUSY, ms: ms + 900 } : { ...TAKEN, ms }
  }

  return {
    async connect({ stage, team, summit }) {
      const deed = { colleague: team.olga, app: 'console' as const }
      const id = await doAtClient(stage, { ...deed, tool: 'create_api_account' }, (ctx) =>
        createClientAccount(ctx, {
          name: 'Customer database',
          purpose: 'rest',
          contactEmail: 'it@example.org',
          rateLimitPerMinute: 120,
          events: [summit.event.code],
        }),
      )
      endpoint = await doAtClient(stage, { ...deed, tool: 'create_webhook' }, async (ctx) => {
        const listener = await listenerOf(ctx, id)
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
      await doAtClient(stage, { colleague: team.olga, app: 'console', tool: 'update_webhook' }, (ctx) =>
        editEndpoint(ctx, listener, id, { status: 'paused' }),
      )
    },
    async takeAll({ db, baseUrl }) {
      const from = `no-reply@${new URL(baseUrl).hostname}`
      await sendDueEmails({ pool: within(db), mailer: mailboxMailer(), log: QUIET, from, batch: AT_ONCE })
      if (!endpoint) return
      for (let taken = await takeDue(db, ROOM); taken.length > 0; taken = await takeDue(db, ROOM))
        for (const held of taken) await settleAttempt(db, held, answer(held))
    },
  }
}
