import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { notFound, preconditionFailed } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { hashToken } from '../../kernel/secrets.ts'
import { createIncompleteRegistration } from '../registration/begin.ts'
import { assertFlowOpen } from '../registration/flows/assert-flow-open.ts'
import { toGroupPayer } from '../registration/participant-group.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { getParticipant, hasVerifiedEmailOrFinishedSql, updateParticipant } from '../registration/participant-rows.ts'
import { type RegistrationContext, getFlow, loadEventSnapshot } from '../registration/event-snapshot.ts'
import { addRegistrationToGroup, assertCanJoin } from './add-member.ts'
import { addAdmins } from './admins.ts'
import { type GroupScope, type GroupRow, lockGroup, lockJoinableGroup } from './groups.ts'
import type { GroupRole } from './invitees.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { GROUP_INVITE_STATES } from './states.ts'

export interface GroupInvite {
  id: string
  groupId: string
  status: 'queued' | 'sent'
  email: string
  name: string | null
  role: GroupRole
}

export interface AcceptedInvite {
  role: GroupRole
  group: GroupRow
  email: string
  /** The registration that joined the group; null for admins, who need not attend. */
  participant: ParticipantRow | null
}

/** Finds the open invitation of a link. Throws for invitations that were resent, used, revoked or expired. */
export async function findGroupInvite(ctx: GroupScope, token: string): Promise<GroupInvite> {
  const { rows } = await sql<GroupInvite & { over: boolean }>`
    select i.id, i.group_id as "groupId", i.status, i.email, i.name, i.role, i.expires_at <= lanyard_now() as over
    from group_invites i where i.tenant_id = ${ctx.tenantId} and i.event_id = ${ctx.event.id} and i.token_hash = ${hashToken(token)}
      and i.status in ('queued', 'sent')`.execute(ctx.db)
  const [invite] = rows
  if (!invite) throw notFound('This invitation is no longer valid: a newer one was sent, or it was used or withdrawn')
  if (invite.over) throw preconditionFailed('This invitation has expired. Ask the person who invited you for a new one.')
  return invite
}

interface AcceptOptions {
  /** The registration of the invited address that joins the group. If omitted, a new registration is started. */
  participantId?: string | undefined
  /** The visitor's language, in which emails to the visitor are written. */
  locale?: string
}

/**
 * Accepts an invitation. A member or leader takes a seat immediately, and continues with the group's flow or with an existing
 * registration. Invitations reserve no seats, so a full group is refused here.
 */
export async function acceptInvite(ctx: RegistrationContext, token: string, accepting: AcceptOptions = {}): Promise<AcceptedInvite> {
  const { groupId } = await findGroupInvite(ctx, token)
  // Lock the group first and read the invitation again, because it may have been used or revoked meanwhile.
  const group = await lockGroup(ctx, groupId)
  const invite = await findGroupInvite(ctx, token)
  const participant = invite.role === 'admin' ? await becomeAdmin(ctx, group, invite) : await becomeMember(ctx, invite, accepting)
  await closeInvite(ctx, invite, 'accepted', participant?.id ?? null)
  return { role: invite.role, group, email: invite.email, participant }
}

/** Declines an invitation, so that the link stops working. The group's managers see the status `declined`. */
export async function declineInvite(ctx: RegistrationContext, token: string): Promise<void> {
  const { groupId } = await findGroupInvite(ctx, token)
  await lockGroup(ctx, groupId)
  await closeInvite(ctx, await findGroupInvite(ctx, token), 'declined', null)
}

async function closeInvite(
  ctx: RegistrationContext,
  { role, ...invite }: GroupInvite,
  status: 'accepted' | 'declined',
  participantId: string | null,
): Promise<void> {
  await changeRecordState(ctx, GROUP_INVITE_STATES, invite, status, { columns: { participant_id: participantId }, audited: { role } })
}

async function becomeAdmin(ctx: RegistrationContext, { id }: GroupRow, { email, name }: GroupInvite): Promise<null> {
  await addAdmins(ctx, id, [{ email, name: name ?? email }])
  return null
}

async function becomeMember(ctx: RegistrationContext, invite: GroupInvite, accepting: AcceptOptions): Promise<ParticipantRow> {
  const own = await listRegistrationsByEmail(ctx, invite.email)
  const existingMember = own.find((row) => row.group_id === invite.groupId)
  const member = existingMember ?? (await joinByInvite(ctx, invite, own, accepting))
  if (invite.role === 'member' || member.group_leader) return member
  recordChange(ctx, { kind: 'participant', id: member.id, before: { groupLeader: false }, after: { groupLeader: true } })
  // The participant is read again, because joining the group has changed their tags.
  return updateParticipant(ctx, await getParticipant(ctx, member.id), { group_leader: true })
}

/**
 * Lists the registrations of the invited address. Opening the link proves access to its mailbox, so showing them is safe. Guests are
 * excluded, because they belong to their host, and so are registrations that unknown visitors have only started with this address.
 */
export const listRegistrationsByEmail = (ctx: GroupScope, email: string): Promise<ParticipantRow[]> =>
  eventDb(ctx)
    .selectFrom('participants')
    .selectAll()
    .where('email_norm', '=', foldEmailCase(email))
    .where('status', '<>', 'cancelled')
    .where('host_id', 'is', null)
    .where('is_test_data', '=', ctx.event.testMode)
    .where(hasVerifiedEmailOrFinishedSql)
    .orderBy('id')
    .limit(MAX_REGISTRATIONS_PER_EMAIL)
    .execute()

const MAX_REGISTRATIONS_PER_EMAIL = 20

async function joinByInvite(
  ctx: RegistrationContext,
  { groupId, email }: GroupInvite,
  own: readonly ParticipantRow[],
  accepting: AcceptOptions,
): Promise<ParticipantRow> {
  const snapshot = await loadEventSnapshot(ctx)
  const group = await lockJoinableGroup(ctx, groupId)
  const { participantId, locale } = accepting
  if (participantId !== undefined) {
    const row = own.find(({ id }) => id === participantId)
    if (!row) throw notFound(`No registration ${participantId} of ${email} at this event`)
    await assertCanJoin(ctx, row)
    return addRegistrationToGroup(ctx, snapshot, row, group)
  }
  const flow = getFlow(snapshot, group.flow_slug)
  assertFlowOpen(flow, snapshot)
  return createIncompleteRegistration(ctx, {
    snapshot,
    flow,
    // The invitation was sent to this address, so the address is verified.
    answers: { '@participant.email': email, ...(locale === undefined ? {} : { '@participant.language': locale }) },
    manualTags: [],
    source: 'group',
    group: toGroupPayer(group),
  })
}
