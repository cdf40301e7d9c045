import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { AppError, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { maskEmail } from '../../kernel/mask-email.ts'
import { matchesWords } from '../../kernel/search.ts'
import { addressOf, sendCancellation, sendConfirmation } from './confirmation.ts'
import { resolveParticipant } from './named-participant.ts'
import type { ParticipantRow } from './participant-shape.ts'
import type { AtEvent } from './scene.ts'

const SOURCE = 'resend'
const MOST_A_DAY = 5
const DAY_SECONDS = 86_400

interface Request {
  participantId: string
  emailCode?: string | undefined
}

/** Sends somebody the mail about their registration once more, as things are now. */
export const resendConfirmation = async (ctx: AtEvent, { participantId, emailCode }: Request) =>
  resendTo(ctx, await resolveParticipant(ctx, participantId, { includeTestData: true }), emailCode)

/** By whomever it is asked for, it goes to the saved address, and as often as a day allows. */
export async function resendTo(ctx: AtEvent, row: ParticipantRow, emailCode: string | undefined) {
  await refuseTooMany(ctx, row)
  await refuseBounced(ctx, await addressOf(ctx, row))
  const send = row.status === 'cancelled' && emailCode !== undefined ? sendCancellation : sendConfirmation
  const sent = await send(ctx, row.id, { emailCode, again: { sourceKind: SOURCE, recipientKey: newId() } })
  if (!sent)
    throw preconditionFailed(
      `This event has turned that email off: ${byPerson(ctx) ? 'ask the organizer' : 'enable it, or choose another one by its emailCode'}`,
    )
  recordChange(ctx, { kind: 'participant', id: row.id, after: { emailed: sent.emailCode ?? 'built-in' } })
  return { queued: row.is_test_data ? 0 : 1, to: maskEmail(sent.to), emailCode: sent.emailCode, subject: sent.subject }
}

/** What only organizers can mend is no advice for the person. */
const byPerson = ({ actor }: AtEvent) => actor.kind === 'participant'

/** Counted under the lock of the registration, so that of many calls at once no more go through. */
async function refuseTooMany(ctx: AtEvent, { id }: ParticipantRow): Promise<void> {
  await ctx.db
    .selectFrom('participants')
    .select('id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const { rows } = await sql<{ count: number; wait: number | null }>`
    select count(*)::int as count, ceil(${DAY_SECONDS} - extract(epoch from lanyard_now() - min(queued_at)))::int as wait from messages
    where tenant_id = ${ctx.tenantId} and source_kind = ${SOURCE} and source_id = ${id} and resend_of is null
      and queued_at > lanyard_now() - make_interval(secs => ${DAY_SECONDS})`.execute(ctx.db)
  const { count, wait } = rows[0]!
  if (count < MOST_A_DAY) return
  throw new AppError(
    'limit_exceeded',
    `This person was sent ${MOST_A_DAY} such emails in the last 24 hours, which is as many as a day allows`,
    {
      retryAfterSeconds: Math.max(1, wait ?? DAY_SECONDS),
    },
  )
}

/** The last mail to the address that was settled came back: the next one would too. */
async function refuseBounced(ctx: AtEvent, email: string): Promise<void> {
  const { rows } = await sql<{ status: string }>`
    select status from messages
    where tenant_id = ${ctx.tenantId} and ${matchesWords(sql`messages.searched`, email)} and lower(to_address) = lower(${email})
      and status in ('sent', 'delivered', 'bounced')
    order by id desc limit 1`.execute(ctx.db)
  if (rows[0]?.status === 'bounced')
    throw preconditionFailed(
      `Mail to ${maskEmail(email)} comes back — ${byPerson(ctx) ? 'ask the organizer to correct the address' : 'edit the email first (edit_participant)'}`,
    )
}
