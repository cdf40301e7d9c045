import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { hashToken, newToken } from '../../kernel/secrets.ts'
import { formatInstant } from '../../kernel/time.ts'
import { mayEmailMailbox } from '../messages/mailbox-limit.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { type GroupRow, lockGroup, countSeatsLeft } from './groups.ts'
import { type GroupInvitationEmail, sendInvitation, previewInvitation } from './invitation-email.ts'
import { type PendingGroupInvite, readInviteEligibility, type GroupInviteSkipReason } from './invite-eligibility.ts'
import { type GroupRole, type GroupInvitee, listInviteesByRole } from './invitees.ts'
import { checkStateChange } from '../../kernel/states.ts'
import { GROUP_INVITE_STATES } from './states.ts'

interface InviteRequest {
  groupCode: string
  roles?: readonly GroupRole[] | undefined
  emails?: readonly { email: string; role: GroupRole; name?: string | undefined }[] | undefined
  message?: string | undefined
  resend: boolean
}

const INVITE_TTL_DAYS = 30

/**
 * Emails a personal link to everyone who is not a member and has no open invitation. Invitations may exceed the free seats: seats go to
 * those who accept first.
 */
export async function sendInvites(ctx: RegistrationContext, { groupCode, roles, emails, message, resend }: InviteRequest) {
  if ((roles === undefined) === (emails === undefined)) {
    throw invalidArguments([{ path: 'emails', message: 'pass either roles or emails' }])
  }
  const group = await lockGroup(ctx, groupCode)
  if (group.status === 'closed')
    throw preconditionFailed(`Group ${group.code} is closed. Open it with update_managed_group before inviting.`)
  const invitees = removeDuplicates(
    emails?.map((one) => ({ ...one, name: one.name ?? null })) ?? (await listInviteesByRole(ctx, group.id, roles!)),
  )
  const eligibilityOf = await readInviteEligibility(ctx, group.id, invitees)
  const skipped = new Map<GroupInviteSkipReason, number>()
  const { rows } = await sql<{ until: Date }>`select lanyard_now() + make_interval(days => ${INVITE_TTL_DAYS}) as until`.execute(ctx.db)
  const expiresAt = rows[0]!.until
  const queued: GroupInvitee[] = []
  for (const invitee of invitees) {
    const { reason, open } = eligibilityOf(invitee, resend)
    if (reason !== null) {
      skipped.set(reason, (skipped.get(reason) ?? 0) + 1)
      continue
    }
    const invitation = { group, ...invitee, message: message ?? null, expiresAt }
    if (queued.length === 0) await previewFirst(ctx, invitation)
    await saveAndSendInvite(ctx, invitation, open)
    queued.push(invitee)
  }
  return {
    queued: queued.length,
    skipped: [...skipped].map(([reason, count]) => ({ reason, count })),
    invites: queued.map(({ email, role }) => ({ email, role, expiresAt: formatInstant(expiresAt) })),
    warnings: await listSeatWarnings(ctx, group),
  }
}

/** Removes duplicate invitees, so that an address that is named twice in one role gets one invitation. */
const removeDuplicates = (invitees: readonly GroupInvitee[]): GroupInvitee[] => [
  ...new Map(invitees.map((invitee) => [`${invitee.role} ${foldEmailCase(invitee.email)}`, invitee])).values(),
]

/** Shows the first email in the result of a dry run. */
async function previewFirst(ctx: RegistrationContext, invitation: GroupInvitationEmail): Promise<void> {
  const preview = await previewInvitation(ctx, invitation)
  if (preview) ctx.effects.add('changes', 'first invitation', { subject: preview.subject, html: preview.html })
}

/** Creates an invitation, or gives the open one a new token, which invalidates the link sent before. */
async function saveAndSendInvite(
  ctx: RegistrationContext,
  invitation: GroupInvitationEmail,
  open: PendingGroupInvite | null,
): Promise<void> {
  const { group, email, name, role, expiresAt } = invitation
  // Above the email limit nothing is sent and an earlier link stays valid. The unchanged response does not reveal this.
  const mayEmail = ctx.actor.kind !== 'participant' || (await mayEmailMailbox(ctx, 'groupInvitation', email))
  if (!mayEmail && open) return
  const token = newToken('lgi_')
  const id = open?.id ?? newId()
  const sentCount = (open?.sent_count ?? 0) + 1
  const columns = { token_hash: hashToken(token), expires_at: expiresAt, status: 'queued' as const, sent_count: sentCount, sent_at: null }
  if (open) {
    checkStateChange(GROUP_INVITE_STATES, open, columns)
    await eventDb(ctx)
      .updateTable('group_invites')
      .set({ ...columns, ...(name === null ? {} : { name }) })
      .where('id', '=', id)
      .execute()
  } else {
    await ctx.db
      .insertInto('group_invites')
      .values({ ...columns, tenant_id: ctx.tenantId, event_id: ctx.event.id, id, group_id: group.id, email, name, role })
      .execute()
  }
  recordChange(ctx, { kind: 'groupInvite', id, after: { group: group.code, email, role, sentCount } })
  if (mayEmail) await sendInvitation(ctx, invitation, { inviteId: id, token, sentCount })
}

async function listSeatWarnings(ctx: RegistrationContext, group: GroupRow): Promise<string[]> {
  const { open } = await eventDb(ctx)
    .selectFrom('group_invites')
    .select(sql<number>`count(*)`.as('open'))
    .where('group_id', '=', group.id)
    .where('status', 'in', ['queued', 'sent'])
    .where('expires_at', '>', sql<Date>`lanyard_now()`)
    .where('role', '<>', 'admin')
    .executeTakeFirstOrThrow()
  const seats = countSeatsLeft(group)
  return open > seats
    ? [`${open} invitations are open for ${seats} free seats. Invitees who accept after the group is full are refused.`]
    : []
}
