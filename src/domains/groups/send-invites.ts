import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { hashToken, newToken } from '../../kernel/secrets.ts'
import { formatInstant } from '../../kernel/time.ts'
import type { EventScope } from '../registration/event-snapshot.ts'
import { type GroupRow, lockGroup, seatsLeft } from './groups.ts'
import { type Invitation, mailInvitation, previewInvitation } from './invitation-mail.ts'
import { type OpenInvite, readStanding, type SkipReason } from './invite-standing.ts'
import { type GroupRole, type Invitee, inviteesOfRoles } from './invitees.ts'

interface Sending {
  groupCode: string
  roles?: readonly GroupRole[] | undefined
  emails?: readonly { email: string; role: GroupRole; name?: string | undefined }[] | undefined
  message?: string | undefined
  resend: boolean
}

const DAYS = 30

/** Mails a personal link to everybody who is neither in already nor asked already. More may be asked than there are seats: the first who accept have them. */
export async function sendInvites(ctx: EventScope, { groupCode, roles, emails, message, resend }: Sending) {
  if ((roles === undefined) === (emails === undefined)) {
    throw invalidArguments([{ path: 'emails', message: 'give roles or emails, and not both' }])
  }
  const group = await lockGroup(ctx, groupCode)
  if (group.status === 'closed')
    throw preconditionFailed(`Group ${group.code} is closed: open it with update_managed_group before inviting`)
  const invitees = once(emails?.map((one) => ({ ...one, name: one.name ?? null })) ?? (await inviteesOfRoles(ctx, group.id, roles!)))
  const standing = await readStanding(ctx, group.id, invitees)
  const skipped = new Map<SkipReason, number>()
  const { rows } = await sql<{ until: Date }>`select lanyard_now() + make_interval(days => ${DAYS}) as until`.execute(ctx.db)
  const expiresAt = rows[0]!.until
  const queued: Invitee[] = []
  for (const invitee of invitees) {
    const { reason, open } = standing(invitee, resend)
    if (reason !== null) {
      skipped.set(reason, (skipped.get(reason) ?? 0) + 1)
      continue
    }
    const invitation = { group, ...invitee, message: message ?? null, expiresAt }
    if (queued.length === 0) await showOne(ctx, invitation)
    await invite(ctx, invitation, invitee.role, open)
    queued.push(invitee)
  }
  return {
    queued: queued.length,
    skipped: [...skipped].map(([reason, count]) => ({ reason, count })),
    invites: queued.map(({ email, role }) => ({ email, role, expiresAt: formatInstant(expiresAt) })),
    warnings: await seatWarnings(ctx, group),
  }
}

/** Whoever is named twice in one role is one recipient. */
const once = (invitees: readonly Invitee[]): Invitee[] => [
  ...new Map(invitees.map((invitee) => [`${invitee.role} ${invitee.email.toLowerCase()}`, invitee])).values(),
]

/** What a dry run shows of the mail. */
async function showOne(ctx: EventScope, invitation: Invitation): Promise<void> {
  const mail = await previewInvitation(ctx, invitation)
  if (mail) ctx.effects.add('changes', 'first invitation', { subject: mail.subject, html: mail.html })
}

/** A new invite, or the open one with a new token: the link that was mailed before opens nothing any more. */
async function invite(ctx: EventScope, invitation: Invitation, role: GroupRole, open: OpenInvite | null): Promise<void> {
  const { group, email, name, expiresAt } = invitation
  const token = newToken('lgi_')
  const id = open?.id ?? newId()
  const sentCount = (open?.sent_count ?? 0) + 1
  const columns = { token_hash: hashToken(token), expires_at: expiresAt, status: 'queued' as const, sent_count: sentCount, sent_at: null }
  if (open) {
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
  await mailInvitation(ctx, invitation, { inviteId: id, token, sentCount })
}

async function seatWarnings(ctx: EventScope, group: GroupRow): Promise<string[]> {
  const { open } = await eventDb(ctx)
    .selectFrom('group_invites')
    .select(sql<number>`count(*)`.as('open'))
    .where('group_id', '=', group.id)
    .where('status', 'in', ['queued', 'sent'])
    .where('expires_at', '>', sql<Date>`lanyard_now()`)
    .where('role', '<>', 'admin')
    .executeTakeFirstOrThrow()
  const seats = seatsLeft(group)
  return open > seats ? [`${open} invitations are open for ${seats} free seats: who accepts last finds the group full`] : []
}
