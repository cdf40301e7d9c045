import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { notFound, preconditionFailed } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { hashToken } from '../../kernel/secrets.ts'
import { beginRegistration } from '../registration/begin.ts'
import { assertFlowOpen } from '../registration/assert-flow-open.ts'
import { toGroupPayer } from '../registration/participant-group.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { getParticipant, updateParticipant } from '../registration/participant-rows.ts'
import { type EventScope, getFlow, loadEventSnapshot } from '../registration/event-snapshot.ts'
import { joinGroup, refuseOfOthers } from './add-member.ts'
import { addAdmins } from './admins.ts'
import { type AtGroups, type GroupRow, lockGroup, lockGroupToJoin } from './groups.ts'
import type { GroupRole } from './invitees.ts'

export interface Invite {
  id: string
  groupId: string
  email: string
  name: string | null
  role: GroupRole
}

export interface Accepted {
  role: GroupRole
  group: GroupRow
  email: string
  /** Null for admins, who need not attend. */
  participant: ParticipantRow | null
}

/** The invite that a link opens. One that was sent again, used, withdrawn or is too old opens nothing. */
export async function findInvite(ctx: AtGroups, token: string): Promise<Invite> {
  const { rows } = await sql<Invite & { over: boolean }>`
    select i.id, i.group_id as "groupId", i.email, i.name, i.role, i.expires_at <= lanyard_now() as over
    from group_invites i where i.tenant_id = ${ctx.tenantId} and i.event_id = ${ctx.event.id} and i.token_hash = ${hashToken(token)}
      and i.status in ('queued', 'sent')`.execute(ctx.db)
  const [invite] = rows
  if (!invite) throw notFound('This invitation is no longer valid: a newer one was sent, or it was used or withdrawn')
  if (invite.over) throw preconditionFailed('This invitation has expired — ask whoever invited you for another one')
  return invite
}

interface Accepting {
  /** Of the registrations that the address has, the one they join with; a new one is begun when left out. */
  participantId?: string | undefined
  /** The visitor's: mails to them are written in it. */
  locale?: string
}

/**
 * Takes an invitation up. Whoever comes as a member or leader has a seat from now on, and goes on with the group's flow or with the registration
 * they have already; whether there is a seat is decided here and not when they were asked.
 */
export async function acceptInvite(ctx: EventScope, token: string, accepting: Accepting = {}): Promise<Accepted> {
  const { groupId } = await findInvite(ctx, token)
  // The group is locked before anything is decided, and the invite read again behind it.
  const group = await lockGroup(ctx, groupId)
  const invite = await findInvite(ctx, token)
  const participant = invite.role === 'admin' ? await becomeAdmin(ctx, group, invite) : await becomeMember(ctx, invite, accepting)
  await close(ctx, invite, 'accepted', participant?.id ?? null)
  return { role: invite.role, group, email: invite.email, participant }
}

/** Says no: the link opens nothing any more, and whoever invited sees it. */
export async function declineInvite(ctx: EventScope, token: string): Promise<void> {
  const { groupId } = await findInvite(ctx, token)
  await lockGroup(ctx, groupId)
  await close(ctx, await findInvite(ctx, token), 'declined', null)
}

async function close(ctx: EventScope, { id, role }: Invite, status: 'accepted' | 'declined', participantId: string | null): Promise<void> {
  await eventDb(ctx)
    .updateTable('group_invites')
    .set({ status, participant_id: participantId })
    .where('id', '=', id)
    .execute()
  recordChange(ctx, { kind: 'groupInvite', id, after: { status, role } })
}

async function becomeAdmin(ctx: EventScope, { id }: GroupRow, { email, name }: Invite): Promise<null> {
  await addAdmins(ctx, id, [{ email, name: name ?? email }])
  return null
}

async function becomeMember(ctx: EventScope, invite: Invite, accepting: Accepting): Promise<ParticipantRow> {
  const own = await registrationsOf(ctx, invite.email)
  const inside = own.find((row) => row.group_id === invite.groupId)
  const member = inside ?? (await join(ctx, invite, own, accepting))
  if (invite.role === 'member' || member.group_leader) return member
  recordChange(ctx, { kind: 'participant', id: member.id, before: { groupLeader: false }, after: { groupLeader: true } })
  // Read again: their tags have followed from what they joined and bought.
  return updateParticipant(ctx, await getParticipant(ctx, member.id), { group_leader: true })
}

/** What the address of an invite has registered: the link went there, so whoever opens it may know. Guests come with their host. */
export const registrationsOf = (ctx: AtGroups, email: string): Promise<ParticipantRow[]> =>
  eventDb(ctx)
    .selectFrom('participants')
    .selectAll()
    .where('email_norm', '=', email.toLowerCase())
    .where('status', '<>', 'cancelled')
    .where('host_id', 'is', null)
    .where('is_test_data', '=', ctx.event.testMode)
    .orderBy('id')
    .limit(MOST_OF_ONE_ADDRESS)
    .execute()

const MOST_OF_ONE_ADDRESS = 20

async function join(
  ctx: EventScope,
  { groupId, email }: Invite,
  own: readonly ParticipantRow[],
  accepting: Accepting,
): Promise<ParticipantRow> {
  const snapshot = await loadEventSnapshot(ctx)
  const group = await lockGroupToJoin(ctx, groupId)
  const { participantId, locale } = accepting
  if (participantId !== undefined) {
    const row = own.find(({ id }) => id === participantId)
    if (!row) throw notFound(`No registration ${participantId} of ${email} here`)
    await refuseOfOthers(ctx, row)
    return joinGroup(ctx, snapshot, row, group)
  }
  const flow = getFlow(snapshot, group.flow_slug)
  assertFlowOpen(flow, snapshot)
  return beginRegistration(ctx, {
    snapshot,
    flow,
    // The link went to this address: whoever opens it has it.
    answers: { '@participant.email': email, ...(locale === undefined ? {} : { '@participant.language': locale }) },
    manualTags: [],
    source: 'group',
    group: toGroupPayer(group),
  })
}
