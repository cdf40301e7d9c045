import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { notFound, preconditionFailed } from '../../kernel/errors.ts'
import { hashToken } from '../../kernel/secrets.ts'
import { addParticipant } from '../registration/add.ts'
import type { Answers } from '../registration/answers.ts'
import { asPayer } from '../registration/own-group.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { getParticipant, updateParticipant } from '../registration/people.ts'
import { type AtEvent, openScene } from '../registration/scene.ts'
import { joinGroup, NEW_MEMBER, refuseOfOthers } from './add-member.ts'
import { addAdmins } from './admins.ts'
import { type AtGroups, type GroupRow, lockGroup, lockGroupToJoin } from './groups.ts'
import type { GroupRole } from './invitees.ts'

interface Invite {
  id: string
  groupId: string
  email: string
  name: string | null
  role: GroupRole
}

export interface Accepted {
  role: GroupRole
  group: GroupRow
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

/**
 * Takes an invitation up. Whoever comes as a member or leader registers by the group's flow with these answers, or joins with the registration
 * they have already; whether there is a seat is decided here and not when they were asked.
 */
export async function acceptInvite(ctx: AtEvent, token: string, answers: Answers): Promise<Accepted> {
  const { groupId } = await findInvite(ctx, token)
  // The group is locked before anything is decided, and the invite read again behind it.
  const group = await lockGroup(ctx, groupId)
  const invite = await findInvite(ctx, token)
  const participant = invite.role === 'admin' ? await becomeAdmin(ctx, group, invite) : await becomeMember(ctx, invite, answers)
  await ctx.db
    .updateTable('group_invites')
    .set({ status: 'accepted', participant_id: participant?.id ?? null })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', invite.id)
    .execute()
  recordChange(ctx, { kind: 'groupInvite', id: invite.id, after: { status: 'accepted', role: invite.role } })
  return { role: invite.role, group, participant }
}

async function becomeAdmin(ctx: AtEvent, { id }: GroupRow, { email, name }: Invite): Promise<null> {
  await addAdmins(ctx, id, [{ email, name: name ?? email }])
  return null
}

async function becomeMember(ctx: AtEvent, invite: Invite, answers: Answers): Promise<ParticipantRow> {
  const member = (await findMember(ctx, invite)) ?? (await join(ctx, invite, answers))
  if (invite.role === 'member' || member.group_leader) return member
  recordChange(ctx, { kind: 'participant', id: member.id, before: { groupLeader: false }, after: { groupLeader: true } })
  // Read again: their tags have followed from what they joined and bought.
  return updateParticipant(ctx, await getParticipant(ctx, member.id), { group_leader: true })
}

async function findMember({ db, tenantId, event }: AtEvent, { groupId, email }: Invite): Promise<ParticipantRow | undefined> {
  return db
    .selectFrom('participants')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('group_id', '=', groupId)
    .where('email_norm', '=', email.toLowerCase())
    .orderBy('id')
    .executeTakeFirst()
}

async function join(ctx: AtEvent, { groupId, email }: Invite, answers: Answers): Promise<ParticipantRow> {
  const scene = await openScene(ctx)
  const group = await lockGroupToJoin(ctx, groupId)
  // The link went to this address: whoever opens it has it.
  const data = { ...answers, '@participant.email': email }
  const asked = { ...NEW_MEMBER, flowSlug: group.flow_slug, data, group: asPayer(group) }
  const { status, participant } = await addParticipant(ctx, asked, scene)
  if (status === 'new') return participant
  await refuseOfOthers(ctx, participant)
  return joinGroup(ctx, scene, participant, group)
}
