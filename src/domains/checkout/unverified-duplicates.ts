import { sql } from 'kysely'
import { z } from 'zod'
import type { EventContext } from '../../kernel/context.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { defineJob, enqueueJob } from '../../kernel/jobs.ts'
import { sendCancellationEmail } from '../registration/confirmation.ts'
import { cancelRegistration } from '../registration/edit/cancel.ts'
import { type RegistrationContext, loadEventSnapshot } from '../registration/event-snapshot.ts'
import { getParticipant } from '../registration/participant-rows.ts'

/**
 * SQL condition: the registration `u` was finished without verifying the email address, and the same person has finished a verified one. A
 * registration with a payment is excluded, because money must not be refunded without a decision of its owner or the organizer.
 */
const isSuperseded = sql<boolean>`u.email_unverified and u.status in ('complete', 'waitlisted') and not u.is_test_data and u.host_id is null
  and exists (
    select from participants v
    where v.tenant_id = u.tenant_id and v.event_id = u.event_id and v.name_norm = u.name_norm and v.email_norm = u.email_norm
      and v.host_id is null and v.status in ('complete', 'waitlisted') and not v.is_test_data and not v.email_unverified)
  and not exists (
    select from orders o
    where o.tenant_id = u.tenant_id and o.event_id = u.event_id and o.participant_id = u.id and (o.paid <> 0 or o.unapplied <> 0))
  and not exists (
    select from charges c
    where c.tenant_id = u.tenant_id and c.event_id = u.event_id and c.participant_id = u.id and c.status <> 'failed')`

/**
 * Starts a job that cancels unpaid registrations with this email address that were finished without verifying it, if the same person has
 * finished a verified registration. Registrations that an unverified visitor can still open in the browser are kept, so that the
 * cancellation does not reveal the verified registration. Called when the address is verified and when a verified registration is finished.
 */
export async function cancelUnverifiedDuplicates(ctx: RegistrationContext, email: string | null): Promise<void> {
  if (email === null) return
  const { rows } = await sql<{ id: string }>`
    select u.id from participants u
    where u.tenant_id = ${ctx.tenantId} and u.event_id = ${ctx.event.id} and u.email_norm = ${foldEmailCase(email)} and ${isSuperseded}
      and not exists (
        select from person_sessions s
        where s.tenant_id = u.tenant_id and s.event_id = u.event_id and not s.verified and s.expires_at > lanyard_now()
          and u.id = any(s.participant_ids))
    order by u.id`.execute(ctx.db)
  const participantIds = rows.map(({ id }) => id)
  if (participantIds.length > 0) await enqueueJob(ctx, cancelUnverifiedDuplicatesJob, { participantIds }, { eventId: ctx.event.id })
}

/**
 * The background job that cancels registrations in favour of the verified one of the same person. Each is cancelled in its own transaction.
 */
export const cancelUnverifiedDuplicatesJob = defineJob({
  name: 'cancel_unverified_duplicates',
  scope: 'event',
  input: z.object({ participantIds: z.array(z.string()) }),
  async run(job, { participantIds }) {
    let cancelled = 0
    for (const id of participantIds) cancelled += await job.step((ctx: EventContext) => cancelIfSuperseded(ctx, id))
    return { cancelled }
  },
})

async function cancelIfSuperseded(ctx: EventContext, id: string): Promise<number> {
  const { rows } = await sql`
    select 1 from participants u
    where u.tenant_id = ${ctx.tenantId} and u.event_id = ${ctx.event.id} and u.id = ${id} and ${isSuperseded}`.execute(ctx.db)
  if (rows.length === 0) return 0
  const reason = 'the owner of the email address has another registration'
  await cancelRegistration(ctx, await loadEventSnapshot(ctx), await getParticipant(ctx, id), { rule: { by: 'full' }, reason })
  await sendCancellationEmail(ctx, id)
  return 1
}
