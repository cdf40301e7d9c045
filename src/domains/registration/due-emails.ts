import { sql } from 'kysely'
import { runAfterCommit } from '../../kernel/commit-change.ts'
import type { RecurringTask } from '../../kernel/recurring.ts'
import {
  getParticipantEmailAddress,
  sendCancellationEmail,
  sendRegistrationStatusEmail,
  sendSubstitutedParticipantEmail,
  sendSubstitutionEmail,
} from './confirmation.ts'
import type { RegistrationContext } from './event-snapshot.ts'
import { getParticipant } from './participant-rows.ts'
import type { ParticipantRow } from './participant-shape.ts'

interface RegistrationEmail {
  /** Whether the registration must be cancelled at the time of sending. If false, the email is not sent about a cancelled registration. */
  isAboutCancelled: boolean
  send: (ctx: RegistrationContext, participantId: string) => Promise<unknown>
}

const EMAILS = {
  confirmation: { isAboutCancelled: false, send: sendRegistrationStatusEmail },
  cancellation: { isAboutCancelled: true, send: sendCancellationEmail },
  substitution: { isAboutCancelled: false, send: (ctx, id) => sendSubstitutionEmail(ctx, id, { isMissing: false }) },
  incompleteSubstitution: { isAboutCancelled: false, send: (ctx, id) => sendSubstitutionEmail(ctx, id, { isMissing: true }) },
  passedOn: { isAboutCancelled: true, send: sendSubstitutedParticipantEmail },
} as const satisfies Record<string, RegistrationEmail>

export type RegistrationEmailKind = keyof typeof EMAILS

type Recipient = Pick<ParticipantRow, 'id' | 'is_test_data'>
type AddressedRecipient = Recipient & Parameters<typeof getParticipantEmailAddress>[1]

/**
 * Requests an email about a changed registration. The email and its invoices are created after the change is committed, because other
 * callers wait for the locks of the change.
 */
export async function scheduleRegistrationEmail(
  ctx: RegistrationContext,
  { id, is_test_data }: Recipient,
  kind: RegistrationEmailKind,
): Promise<void> {
  await ctx.db
    .insertInto('due_registration_emails')
    .values({ tenant_id: ctx.tenantId, event_id: ctx.event.id, participant_id: id, kind, is_test_data })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'event_id', 'participant_id', 'kind']).doUpdateSet({ due_at: sql<Date>`lanyard_now()` }),
    )
    .execute()
  await runAfterCommit(ctx, (later) => sendDueEmail(later, { participantId: id, kind }))
}

/**
 * Requests the cancellation email for a cancelled registration, otherwise the confirmation email. Throws if the participant has no email
 * address.
 */
export async function scheduleStatusEmail(
  ctx: RegistrationContext,
  participant: AddressedRecipient & Pick<ParticipantRow, 'status'>,
): Promise<void> {
  await getParticipantEmailAddress(ctx, participant)
  await scheduleRegistrationEmail(ctx, participant, participant.status === 'cancelled' ? 'cancellation' : 'confirmation')
}

/**
 * Requests the emails to the two participants of a substitution: the new participant, including whether answers are missing, and the former
 * participant.
 */
export async function scheduleSubstitutionEmails(
  ctx: RegistrationContext,
  { from, to, isMissing }: { from: string; to: string; isMissing: boolean },
): Promise<void> {
  const recipients: [string, RegistrationEmailKind][] = [
    [to, isMissing ? 'incompleteSubstitution' : 'substitution'],
    [from, 'passedOn'],
  ]
  for (const [id, kind] of recipients) {
    const row = await getParticipant(ctx, id)
    if (row.email === null && row.host_id === null) continue
    await getParticipantEmailAddress(ctx, row)
    await scheduleRegistrationEmail(ctx, row, kind)
  }
}

/** Sends an email unless another process has sent it already or the registration's status has changed since it was requested. */
async function sendDueEmail(ctx: RegistrationContext, { participantId, kind }: Pick<DueEmail, 'participantId' | 'kind'>): Promise<void> {
  const { rows } = await sql`
    delete from due_registration_emails
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and participant_id = ${participantId} and kind = ${kind}
    returning 1`.execute(ctx.db)
  if (rows.length === 0) return
  const { isAboutCancelled, send }: RegistrationEmail = EMAILS[kind]
  const { status } = await getParticipant(ctx, participantId)
  if ((status === 'cancelled') === isAboutCancelled) await send(ctx, participantId)
}

const MAX_PER_RUN = 200

interface DueEmail {
  tenantId: number
  eventId: string
  participantId: string
  kind: RegistrationEmailKind
}

/** The recurring task that sends emails about registrations whose first attempt failed or was interrupted. */
export const sendDueRegistrationEmails: RecurringTask = {
  name: 'confirmations',
  schedule: { everySeconds: 60 },
  async run({ transact, commitEach }) {
    const due = await transact(async (db) => {
      const { rows } = await sql<DueEmail>`
        select tenant_id as "tenantId", event_id as "eventId", participant_id as "participantId", kind from due_registration_emails
        where due_at < lanyard_now() - interval '1 minute' order by due_at limit ${MAX_PER_RUN}`.execute(db)
      return rows
    })
    const tryLater = ({ tenantId, eventId, participantId, kind }: DueEmail) =>
      transact((db) =>
        sql`update due_registration_emails set due_at = lanyard_now() + interval '10 minutes'
          where tenant_id = ${tenantId} and event_id = ${eventId} and participant_id = ${participantId} and kind = ${kind}`.execute(db),
      )
    await commitEach(due, sendDueEmail, tryLater)
  },
}
