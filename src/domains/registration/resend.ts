import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { isParticipant } from '../../kernel/context.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { AppError, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { maskEmail } from '../../kernel/mask-email.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { buildWordMatchCondition } from '../../kernel/search.ts'
import { getParticipantEmailAddress, sendCancellationEmail, sendRegistrationStatusEmail } from './confirmation.ts'
import { resolveParticipant } from './find/resolve-participant.ts'
import type { ParticipantRow } from './participant-shape.ts'
import type { RegistrationContext } from './event-snapshot.ts'

const SOURCE = 'resend'
const MAX_RESENDS_PER_DAY = 5
const DAY_SECONDS = 86_400

interface Request {
  participantId: string
  emailCode?: string | undefined
}

/** Sends the email about a registration again, with current data. */
export const resendConfirmation = async (ctx: RegistrationContext, { participantId, emailCode }: Request) =>
  resendRegistrationEmail(ctx, await resolveParticipant(ctx, participantId, { includeTestData: true }), emailCode)

/**
 * Sends the email about a registration again. Organizers and participants have the same limits: only to the stored address, and a maximum
 * number per day.
 */
export async function resendRegistrationEmail(ctx: RegistrationContext, row: ParticipantRow, emailCode: string | undefined) {
  await assertBelowDailyLimit(ctx, row)
  await assertNotBounced(ctx, await getParticipantEmailAddress(ctx, row))
  const send = row.status === 'cancelled' && emailCode !== undefined ? sendCancellationEmail : sendRegistrationStatusEmail
  const sent = await send(ctx, row.id, { emailCode, again: { sourceKind: SOURCE, recipientKey: newId() } })
  if (!sent)
    throw preconditionFailed(
      `This event has disabled that email: ${isParticipant(ctx) ? 'ask the organizer' : 'enable it, or choose another one by its emailCode'}`,
    )
  recordChange(ctx, { kind: 'participant', id: row.id, after: { emailed: sent.emailCode ?? 'built-in' } })
  return { queued: row.is_test_data ? 0 : 1, to: maskEmail(sent.to), emailCode: sent.emailCode, subject: sent.subject }
}

/** Throws if the daily limit of resent emails is reached. The registration is locked, so that concurrent calls cannot exceed the limit. */
async function assertBelowDailyLimit(ctx: RegistrationContext, { id }: ParticipantRow): Promise<void> {
  await eventDb(ctx).selectFrom('participants').select('id').where('id', '=', id).forNoKeyUpdate().executeTakeFirstOrThrow()
  const { rows } = await sql<{ count: number; wait: number | null }>`
    select count(*)::int as count, ceil(${DAY_SECONDS} - extract(epoch from lanyard_now() - min(queued_at)))::int as wait from messages
    where tenant_id = ${ctx.tenantId} and source_kind = ${SOURCE} and source_id = ${id} and resend_of is null
      and queued_at > lanyard_now() - make_interval(secs => ${DAY_SECONDS})`.execute(ctx.db)
  const { count, wait } = rows[0]!
  if (count < MAX_RESENDS_PER_DAY) return
  throw new AppError(
    'limit_exceeded',
    `This person was sent ${MAX_RESENDS_PER_DAY} such emails in the last 24 hours, which is the daily limit`,
    {
      retryAfterSeconds: Math.max(1, wait ?? DAY_SECONDS),
    },
  )
}

/** Throws if the last email to this address bounced, because the next one would bounce too. */
async function assertNotBounced(ctx: RegistrationContext, email: string): Promise<void> {
  const { rows } = await sql<{ status: string }>`
    select status from messages
    where tenant_id = ${ctx.tenantId} and ${buildWordMatchCondition(sql`messages.searched`, email)} and lanyard_fold_email(to_address) = ${foldEmailCase(email)}
      and status in ('sent', 'delivered', 'bounced')
    order by id desc limit 1`.execute(ctx.db)
  if (rows[0]?.status === 'bounced')
    throw preconditionFailed(
      `Email to ${maskEmail(email)} bounces — ${isParticipant(ctx) ? 'ask the organizer to correct the address' : 'edit the email first (edit_participant)'}`,
    )
}
