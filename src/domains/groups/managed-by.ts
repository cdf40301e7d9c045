import { sql } from 'kysely'
import { AppError, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { EventScope } from '../registration/event-snapshot.ts'
import { findAdmin } from './admins.ts'
import { type AtGroups, groupsAt, type GroupRow } from './groups.ts'

/** A verified person, also one who comes to look after others and not to attend. */
export interface AtPerson extends EventScope {
  person: { email: string; participantIds: readonly string[] }
}

/** The group that somebody looks after: as one of its admins, or leading it where members pay for themselves. Of several they name one. */
export async function managedGroup(ctx: AtPerson, named: string | undefined): Promise<GroupRow> {
  const groups = await groupsManagedBy(ctx)
  if (groups.length === 0) throw preconditionFailed('You manage no group at this event')
  const [only, ...others] = named === undefined ? groups : groups.filter(({ code }) => code === named)
  if (!only) throw notFound(`No group ${named} of this person — they manage ${groups.map(({ code }) => code).join(', ')}`)
  if (others.length === 0) return only
  throw new AppError('ambiguous', 'This person manages several groups — pass groupCode', {
    candidates: groups.map(({ code, name }) => ({ groupCode: code, name })),
    fix: { ask: 'which of the groups is meant' },
  })
}

const groupsManagedBy = (ctx: AtPerson): Promise<GroupRow[]> =>
  groupsAt(ctx)
    .where(
      sql<boolean>`(exists (select from group_admins a
        where a.tenant_id = managed_groups.tenant_id and a.event_id = managed_groups.event_id and a.group_id = managed_groups.id
          and a.email_norm = lower(${ctx.person.email}))
      or (managed_groups.pay_by = 'members' and exists (select from participants p
        where p.tenant_id = managed_groups.tenant_id and p.event_id = managed_groups.event_id and p.group_id = managed_groups.id
          and p.group_leader and p.status <> 'cancelled' and p.id = any(${ctx.person.participantIds}))))`,
    )
    .orderBy('code')
    .execute()

/** Who looks after a group on its pages. Admins come by a code of their own; leaders by their registration, and never see money. */
export type Manager = { as: 'admin'; email: string; name: string } | { as: 'leader'; participantId: string }

export interface Managed {
  group: GroupRow
  manager: Manager
}

/** What proofs of who they are somebody has in this browser. */
interface Proofs {
  adminEmail: string | null
  participantIds: readonly string[]
}

/** Null for a group that is another's and for one that is not there: nobody is told which. */
export async function findManaged(ctx: AtGroups, code: string, { adminEmail, participantIds }: Proofs): Promise<Managed | null> {
  const group = await groupsAt(ctx).where('code', '=', code.toLowerCase()).executeTakeFirst()
  if (!group) return null
  const admin = adminEmail === null ? undefined : await findAdmin(ctx, group.id, adminEmail)
  if (admin) return { group, manager: { as: 'admin', email: admin.email, name: admin.name } }
  const leader = await findLeader(ctx, group.id, participantIds)
  return leader ? { group, manager: { as: 'leader', participantId: leader.id } } : null
}

const findLeader = (ctx: AtGroups, groupId: string, ids: readonly string[]) =>
  eventDb(ctx)
    .selectFrom('participants')
    .select('id')
    .where('group_id', '=', groupId)
    .where('id', '=', sql<string>`any(${ids})`)
    .where('group_leader', '=', true)
    .where('status', '<>', 'cancelled')
    .executeTakeFirst()

/** Who comes and goes is decided by whom it costs: by admins, and by leaders where everybody pays for themselves. */
export const decidesMembers = ({ group, manager }: Managed): boolean => manager.as === 'admin' || group.pay_by === 'members'

/** The manager as participants' tools know a person. A leader is known by their registration alone: nobody proved to read its mailbox. */
export const asPerson = <Ctx extends EventScope>(ctx: Ctx, { manager }: Managed): Ctx & AtPerson => ({
  ...ctx,
  person: manager.as === 'admin' ? { email: manager.email, participantIds: [] } : { email: '', participantIds: [manager.participantId] },
})
