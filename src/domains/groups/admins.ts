import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { checkRevision, incrementRevision } from '../../kernel/revisions.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { formatInstant } from '../../kernel/time.ts'
import { type GroupScope, lockGroup } from './groups.ts'
import { revokeInvites } from './revoke-invites.ts'

export interface GroupAdmin {
  email: string
  name: string
}

interface AdminsUpdate {
  groupCode: string
  admins: readonly GroupAdmin[]
  ifRevision?: number | undefined
}

const emailKeyOf = ({ email }: Pick<GroupAdmin, 'email'>) => foldEmailCase(email)

/** Replaces the group's list of admins. Removed admins lose access with their next request, and their open invitations are revoked. */
export async function setAdmins(ctx: EventContext, { groupCode, admins, ifRevision }: AdminsUpdate) {
  assertNoDuplicateAdmins(admins)
  const group = await lockGroup(ctx, groupCode)
  checkRevision({ kind: 'Group', name: group.code, revision: group.revision }, ifRevision)
  if (admins.length === 0 && group.pay_by === 'group') {
    throw preconditionFailed(`Someone must receive invoices: group ${group.code} pays for its members, so it needs an admin`)
  }
  const before = await listAdmins(ctx, group.id)
  const kept = new Set(admins.map(emailKeyOf))
  const known = new Set(before.map(emailKeyOf))
  const removed = before.filter((admin) => !kept.has(emailKeyOf(admin)))
  const added = admins.filter((admin) => !known.has(emailKeyOf(admin)))
  await saveAdmins(ctx, group.id, admins, removed)
  if (removed.length > 0) await revokeInvites(ctx, group.id, { emails: removed.map(emailKeyOf), role: 'admin' })
  const after = await listAdmins(ctx, group.id)
  const changed = recordChange(ctx, {
    kind: 'group',
    id: group.id,
    before: { admins: formatAdmins(before) },
    after: { admins: formatAdmins(after) },
  })
  // The group's revision also covers its list of admins, so that a second edit based on the same revision is refused.
  if (changed.length > 0) await incrementRevision(ctx, 'managed_groups', group)
  return { admins: after.map(toGroupAdminResult), added: added.map(({ email }) => email), removed: removed.map(({ email }) => email) }
}

export function assertNoDuplicateAdmins(admins: readonly GroupAdmin[]): void {
  const errors = admins.flatMap((admin, index) =>
    admins.findIndex((one) => emailKeyOf(one) === emailKeyOf(admin)) < index
      ? [{ path: `admins/${index}/email`, message: `${admin.email} is named twice` }]
      : [],
  )
  if (errors.length > 0) throw invalidArguments(errors)
}

const formatAdmins = (admins: readonly GroupAdmin[]) => admins.map(({ email, name }) => `${name} <${email}>`)

interface AdminRow extends GroupAdmin {
  last_sign_in_at: Date | null
}

export const toGroupAdminResult = ({ email, name, last_sign_in_at }: AdminRow) => ({
  email,
  name,
  lastSignInAt: last_sign_in_at === null ? null : formatInstant(last_sign_in_at),
})

export const listAdmins = (ctx: GroupScope, groupId: string): Promise<AdminRow[]> =>
  eventDb(ctx)
    .selectFrom('group_admins')
    .select(['email', 'name', 'last_sign_in_at'])
    .where('group_id', '=', groupId)
    .orderBy('email_norm')
    .execute()

async function saveAdmins(
  ctx: EventContext,
  groupId: string,
  admins: readonly GroupAdmin[],
  removed: readonly GroupAdmin[],
): Promise<void> {
  const { tenantId, event, db } = ctx
  if (removed.length > 0) {
    await eventDb({ db, tenantId, event })
      .deleteFrom('group_admins')
      .where('group_id', '=', groupId)
      .where('email_norm', 'in', removed.map(emailKeyOf))
      .execute()
  }
  if (admins.length > 0) await addAdmins(ctx, groupId, admins)
}

/** Adds admins to a group. An existing admin keeps the time of the last sign-in and gets the given name. */
export async function addAdmins({ db, tenantId, event }: GroupScope, groupId: string, admins: readonly GroupAdmin[]): Promise<void> {
  await db
    .insertInto('group_admins')
    .values(admins.map(({ email, name }) => ({ tenant_id: tenantId, event_id: event.id, group_id: groupId, email, name })))
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'event_id', 'group_id', 'email_norm'])
        .doUpdateSet((eb) => ({ email: eb.ref('excluded.email'), name: eb.ref('excluded.name') })),
    )
    .execute()
}

/** Records the sign-in for all groups of this event that list the address as an admin. */
export const recordAdminSignIn = (ctx: GroupScope, email: string) =>
  eventDb(ctx)
    .updateTable('group_admins')
    .set({ last_sign_in_at: sql<Date>`lanyard_now()` })
    .where('email_norm', '=', foldEmailCase(email))
    .execute()

/** Finds an admin of a group. Called for every request of an admin session, so that a removed admin loses access immediately. */
export const findAdmin = (ctx: GroupScope, groupId: string, email: string): Promise<AdminRow | undefined> =>
  eventDb(ctx)
    .selectFrom('group_admins')
    .select(['email', 'name', 'last_sign_in_at'])
    .where('group_id', '=', groupId)
    .where('email_norm', '=', foldEmailCase(email))
    .executeTakeFirst()
