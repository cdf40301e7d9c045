import { sql } from 'kysely'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { AppError, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { findAdmin } from './admins.ts'
import { type GroupScope, selectGroups, type GroupRow } from './groups.ts'

/** The context of a person with a verified email address, who may manage a group without attending. */
export interface GroupManagerScope extends RegistrationContext {
  person: { email: string; participantIds: readonly string[] }
}

/**
 * Returns the group that the person manages, as an admin, or as a leader if members pay for themselves. A person with several groups must
 * name one.
 */
export async function getManagedGroup(ctx: GroupManagerScope, named: string | undefined): Promise<GroupRow> {
  const groups = await listManagedGroups(ctx)
  if (groups.length === 0) throw preconditionFailed('You manage no group at this event')
  const [only, ...others] = named === undefined ? groups : groups.filter(({ code }) => code === named)
  if (!only) throw notFound(`No group ${named} of this person. They manage ${groups.map(({ code }) => code).join(', ')}.`)
  if (others.length === 0) return only
  throw new AppError('ambiguous', 'This person manages several groups. Pass groupCode.', {
    candidates: groups.map(({ code, name }) => ({ groupCode: code, name })),
    fix: { ask: `which group they mean: groupCode ${groups.map(({ code }) => code).join(' or ')}` },
  })
}

const listManagedGroups = (ctx: GroupManagerScope): Promise<GroupRow[]> =>
  selectGroups(ctx)
    .where(
      sql<boolean>`(exists (select from group_admins a
        where a.tenant_id = managed_groups.tenant_id and a.event_id = managed_groups.event_id and a.group_id = managed_groups.id
          and a.email_norm = ${foldEmailCase(ctx.person.email)})
      or (managed_groups.pay_by = 'members' and exists (select from participants p
        where p.tenant_id = managed_groups.tenant_id and p.event_id = managed_groups.event_id and p.group_id = managed_groups.id
          and p.group_leader and p.status <> 'cancelled' and p.id = any(${ctx.person.participantIds}))))`,
    )
    .orderBy('code')
    .execute()

/**
 * A manager of a group on its web pages. Admins sign in with an emailed code; leaders are identified by their registration and never see
 * amounts.
 */
export type GroupManager = { as: 'admin'; email: string; name: string } | { as: 'leader'; participantId: string }

export interface GroupAccess {
  group: GroupRow
  manager: GroupManager
}

/** The email address and the registrations to which the visitor has proved access in this browser session. */
interface VerifiedIdentities {
  adminEmail: string | null
  participantIds: readonly string[]
}

/**
 * Finds a group that the visitor manages. Returns null both for a missing group and for one that the visitor does not manage, so that codes
 * cannot be probed.
 */
export async function findManagedGroup(
  ctx: GroupScope,
  code: string,
  { adminEmail, participantIds }: VerifiedIdentities,
): Promise<GroupAccess | null> {
  const group = await selectGroups(ctx).where('code', '=', code.toLowerCase()).executeTakeFirst()
  if (!group) return null
  const admin = adminEmail === null ? undefined : await findAdmin(ctx, group.id, adminEmail)
  if (admin) return { group, manager: { as: 'admin', email: admin.email, name: admin.name } }
  const leader = await findLeader(ctx, group.id, participantIds)
  return leader ? { group, manager: { as: 'leader', participantId: leader.id } } : null
}

const findLeader = (ctx: GroupScope, groupId: string, ids: readonly string[]) =>
  eventDb(ctx)
    .selectFrom('participants')
    .select('id')
    .where('group_id', '=', groupId)
    .where('id', '=', sql<string>`any(${ids})`)
    .where('group_leader', '=', true)
    .where('status', '<>', 'cancelled')
    .executeTakeFirst()

/**
 * Whether the manager may change members: admins always, leaders only if members pay for themselves, because leaders may not spend the
 * group's money.
 */
export const canManageMembers = ({ group, manager }: GroupAccess): boolean => manager.as === 'admin' || group.pay_by === 'members'

/** Converts a group manager to the person that participant tools expect. For a leader the email is omitted, because it was not verified. */
export const toGroupManagerScope = <Ctx extends RegistrationContext>(ctx: Ctx, { manager }: GroupAccess): Ctx & GroupManagerScope => ({
  ...ctx,
  person: manager.as === 'admin' ? { email: manager.email, participantIds: [] } : { email: '', participantIds: [manager.participantId] },
})
