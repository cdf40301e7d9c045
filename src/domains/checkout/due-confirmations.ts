import { sql } from 'kysely'
import { runAfterCommit } from '../../kernel/commit-change.ts'
import type { RecurringTask } from '../../kernel/recurring.ts'
import { sendConfirmation } from '../registration/confirmation.ts'
import type { EventScope } from '../registration/event-snapshot.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { saveProgress } from './progress.ts'

/**
 * Requests the confirmation email of a completed registration. The email and its invoices are created after the sale is committed, because
 * other buyers wait for the sale's locks.
 */
export async function requestConfirmation(ctx: EventScope, participant: Pick<ParticipantRow, 'id' | 'is_test_data'>): Promise<void> {
  await saveProgress(ctx, participant, { confirmation_due_at: sql<Date>`lanyard_now()` })
  await runAfterCommit(ctx, (later) => sendDueConfirmation(later, participant.id))
}

/** Sends the confirmation email if it is still due. */
async function sendDueConfirmation(ctx: EventScope, participantId: string): Promise<void> {
  const { rows } = await sql`
    update registration_progress set confirmation_due_at = null
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and participant_id = ${participantId} and confirmation_due_at is not null
    returning 1`.execute(ctx.db)
  if (rows.length > 0) await sendConfirmation(ctx, participantId)
}

const MAX_PER_RUN = 200

interface DueConfirmation {
  tenantId: number
  eventId: string
  participantId: string
}

/** The recurring task that sends confirmation emails that failed, or that a stopped process did not send. */
export const sendDueConfirmations: RecurringTask = {
  name: 'confirmations',
  schedule: { everySeconds: 60 },
  async run({ transact, commitEach }) {
    const due = await transact(async (db) => {
      const { rows } = await sql<DueConfirmation>`
        select tenant_id as "tenantId", event_id as "eventId", participant_id as "participantId" from registration_progress
        where confirmation_due_at < lanyard_now() - interval '1 minute' order by confirmation_due_at limit ${MAX_PER_RUN}`.execute(db)
      return rows
    })
    const tryLater = ({ tenantId, eventId, participantId }: DueConfirmation) =>
      transact((db) =>
        sql`update registration_progress set confirmation_due_at = lanyard_now() + interval '10 minutes'
          where tenant_id = ${tenantId} and event_id = ${eventId} and participant_id = ${participantId}`.execute(db),
      )
    await commitEach(due, (ctx, { participantId }) => sendDueConfirmation(ctx, participantId), tryLater)
  },
}
