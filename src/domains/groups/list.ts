import { sql } from 'kysely'
import type { z } from 'zod'
import { toOneLine, instant, money, object, oneOf, untrustedText, text, count, flag } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { toMoney } from '../../kernel/money.ts'
import { readPage } from '../../kernel/page.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { buildWordMatchCondition } from '../../kernel/search.ts'
import { formatInstant } from '../../kernel/time.ts'
import { countCappedTotal } from '../../kernel/totals.ts'
import { findOrder } from '../orders/orders.ts'
import { formatParticipantName } from '../registration/participant-shape.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { PARTICIPANT_STATUSES } from '../registration/tables.ts'
import { listAdmins, toGroupAdminResult } from './admins.ts'
import { selectGroupsWithTotals, readGroup, toGroup } from './group-shape.ts'
import { getGroup } from './groups.ts'
import { INVITE_STATES, type InviteState, buildGroupInvitesSql } from './invite-states.ts'
import { listLeaders, toMemberIdentity } from './leaders.ts'
import { GROUP_KINDS, GROUP_ROLES } from './tables.ts'

interface ListRequest {
  search?: string | undefined
  status?: 'open' | 'closed' | undefined
  kind?: (typeof GROUP_KINDS)[number] | undefined
  limit: number
  cursor?: string | undefined
}

export async function listGroups(ctx: RegistrationContext, request: ListRequest) {
  let rows = selectGroupsWithTotals(ctx)
  if (request.search) rows = rows.where(buildWordMatchCondition(sql`managed_groups.searched`, request.search))
  if (request.status) rows = rows.where('status', '=', request.status)
  if (request.kind) rows = rows.where('kind', '=', request.kind)
  const { items, ...page } = await readPage(ctx, request, {
    rows,
    order: [{ by: sql`managed_groups.code`, type: 'text', of: (row) => row.code }],
    shape: (row) => toGroup(ctx, row),
  })
  return { groups: items, ...(await countCappedTotal(ctx, rows)), ...page }
}

/**
 * Returns one group with its members, admins and invitations. Members are paged, sorted by name. The join code lets people buy on the
 * group's account, so it is shown only to users who may do so themselves.
 */
export async function describeGroup(ctx: EventContext, named: string, request: Pick<ListRequest, 'limit' | 'cursor'>) {
  const { id, room_block_id, join_code } = await getGroup(ctx, named)
  const order = await findOrder(ctx, { groupId: id })
  const { items, ...page } = await listGroupMembers(ctx, id, request)
  const group = await readGroup(ctx, id)
  const amount = (minor: number) => toMoney(minor, ctx.event.currency)
  return {
    groups: [group],
    total: 1,
    admins: (await listAdmins(ctx, id)).map(toGroupAdminResult),
    leaders: (await listLeaders(ctx, id)).map(toMemberIdentity),
    members: items,
    invites: await listGroupInvites(ctx, id),
    order: order && { number: order.number, total: amount(order.total), paid: amount(order.paid), balance: amount(order.balance) },
    roomBlockId: room_block_id,
    ...(ctx.permissions.has('registration.write') ? { joinCode: join_code } : {}),
    ...page,
  }
}

export const ListedAdminShape = toOneLine(
  object({ email: text(), name: text(), lastSignInAt: instant().nullable() }),
  'email, name, lastSignInAt',
)

const MemberIdentity = object({ participantId: text(), name: untrustedText(), email: untrustedText().nullable() })
export const Member = toOneLine(MemberIdentity, 'participantId, name, email')

export const ListedMemberShape = toOneLine(
  MemberIdentity.extend({ status: oneOf(PARTICIPANT_STATUSES), leader: flag(), balance: money() }),
  'participantId, name, email, status, leader, balance',
)

/** Lists the members of a group, sorted by name, with the balance of each member's own order. */
export function listGroupMembers(ctx: RegistrationContext, groupId: string, request: Pick<ListRequest, 'limit' | 'cursor'>) {
  const rows = eventDb(ctx)
    .selectFrom('participants')
    .select(['id', 'first_name', 'last_name', 'email', 'status', 'group_leader'])
    .select(
      sql<number>`coalesce((select o.balance from orders o where o.tenant_id = participants.tenant_id and o.event_id = participants.event_id
        and o.participant_id = participants.id), 0)`.as('balance'),
    )
    .where('group_id', '=', groupId)
  return readPage(ctx, request, {
    rows,
    order: [
      { by: sql`coalesce(participants.last_name, '')`, type: 'text', of: (row) => row.last_name ?? '' },
      { by: sql`coalesce(participants.first_name, '')`, type: 'text', of: (row) => row.first_name ?? '' },
      { by: sql`participants.id`, type: 'text', of: (row) => row.id },
    ],
    shape: (row): z.input<typeof ListedMemberShape> => ({
      participantId: row.id,
      name: formatParticipantName(row),
      email: row.email,
      status: row.status,
      leader: row.group_leader,
      balance: toMoney(row.balance, ctx.event.currency),
    }),
  })
}

const Invite = object({
  email: text(),
  name: text().nullable(),
  role: oneOf(GROUP_ROLES),
  status: oneOf(INVITE_STATES),
  sentAt: instant().nullable(),
  sentCount: count(),
  expiresAt: instant(),
  participantId: text().nullable(),
})
export const ListedInviteShape = toOneLine(Invite, 'email, name, role, status, sentAt, sentCount, expiresAt, participantId')

interface InviteRow {
  email: string
  name: string | null
  role: (typeof GROUP_ROLES)[number]
  state: InviteState
  mailed_at: Date | null
  sent_count: number
  expires_at: Date
  participant_id: string | null
}

const MAX_INVITES = 100

/** Lists the latest invitations of a group. `invitesOpen` of the group counts all open ones. */
export async function listGroupInvites(
  { db, tenantId, event }: RegistrationContext,
  groupId: string,
): Promise<z.input<typeof ListedInviteShape>[]> {
  const { rows } = await sql<InviteRow>`
    select i.email, i.name, i.role, i.state, i.mailed_at, i.sent_count, i.expires_at, i.participant_id from ${buildGroupInvitesSql('any')} i
    where i.tenant_id = ${tenantId} and i.event_id = ${event.id} and i.group_id = ${groupId} order by i.id desc limit ${MAX_INVITES}`.execute(
    db,
  )
  return rows.map(({ email, name, role, state, mailed_at, sent_count, expires_at, participant_id }) => ({
    email,
    name,
    role,
    status: state,
    sentAt: mailed_at === null ? null : formatInstant(mailed_at),
    sentCount: sent_count,
    expiresAt: formatInstant(expires_at),
    participantId: participant_id,
  }))
}
