import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { checkRevision } from '../../kernel/revisions.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { formatInstant } from '../../kernel/time.ts'
import { type AtGroups, type GroupRow, lockGroup } from './groups.ts'
import { revokeInvites } from './revoke-invites.ts'

export interface Admin {
  email: string
  name: string
}

interface Setting {
  groupCode: string
  admins: readonly Admin[]
  ifRevision?: number | undefined
}

const norm = ({ email }: Pick<Admin, 'email'>) => email.toLowerCase()

/** Makes these the group's admins and nobody else. Whoever is left out is out at once: with their next request, and with the invites they have. */
export async function setAdmins(ctx: EventContext, { groupCode, admins, ifRevision }: Setting) {
  refuseTwiceNamed(admins)
  const group = await lockGroup(ctx, groupCode)
  checkRevision({ kind: 'Group', name: group.code, revision: group.revision }, ifRevision)
  if (admins.length === 0 && group.pay_by === 'group') {
    throw preconditionFailed(`Someone must receive invoices: group ${group.code} pays for its members, so it needs an admin`)
  }
  const before = await adminsOf(ctx, group.id)
  const kept = new Set(admins.map(norm))
  const known = new Set(before.map(norm))
  const removed = before.filter((admin) => !kept.has(norm(admin)))
  const added = admins.filter((admin) => !known.has(norm(admin)))
  await keep(ctx, group.id, admins, removed)
  if (removed.length > 0) await revokeInvites(ctx, group.id, { emails: removed.map(norm), role: 'admin' })
  const after = await adminsOf(ctx, group.id)
  const changed = recordChange(ctx, { kind: 'group', id: group.id, before: { admins: told(before) }, after: { admins: told(after) } })
  // The revision is that of the list too: of two lists sent from one state, the second is refused.
  if (changed.length > 0) await touch(ctx, group)
  return { admins: after.map(toAdmin), added: added.map(({ email }) => email), removed: removed.map(({ email }) => email) }
}

const touch = (ctx: AtGroups, { id, name }: GroupRow) =>
  eventDb(ctx)
    .updateTable('managed_groups')
    .set({ name })
    .where('id', '=', id)
    .execute()

export function refuseTwiceNamed(admins: readonly Admin[]): void {
  const errors = admins.flatMap((admin, index) =>
    admins.findIndex((one) => norm(one) === norm(admin)) < index
      ? [{ path: `admins/${index}/email`, message: `${admin.email} is named twice` }]
      : [],
  )
  if (errors.length > 0) throw invalidArguments(errors)
}

const told = (admins: readonly Admin[]) => admins.map(({ email, name }) => `${name} <${email}>`)

interface AdminRow extends Admin {
  last_sign_in_at: Date | null
}

export const toAdmin = ({ email, name, last_sign_in_at }: AdminRow) => ({
  email,
  name,
  lastSignInAt: last_sign_in_at === null ? null : formatInstant(last_sign_in_at),
})

export const adminsOf = (ctx: AtGroups, groupId: string): Promise<AdminRow[]> =>
  eventDb(ctx)
    .selectFrom('group_admins')
    .select(['email', 'name', 'last_sign_in_at'])
    .where('group_id', '=', groupId)
    .orderBy('email_norm')
    .execute()

async function keep(ctx: EventContext, groupId: string, admins: readonly Admin[], removed: readonly Admin[]): Promise<void> {
  const { tenantId, event, db } = ctx
  if (removed.length > 0) {
    await eventDb({ db, tenantId, event })
      .deleteFrom('group_admins')
      .where('group_id', '=', groupId)
      .where('email_norm', 'in', removed.map(norm))
      .execute()
  }
  if (admins.length > 0) await addAdmins(ctx, groupId, admins)
}

/** Somebody who is one already keeps when they were last there, under the name given now. */
export async function addAdmins({ db, tenantId, event }: AtGroups, groupId: string, admins: readonly Admin[]): Promise<void> {
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

/** Whoever proved to read an admin's mailbox came to all groups that have it on their lists. */
export const noteAdminSignIn = (ctx: AtGroups, email: string) =>
  eventDb(ctx)
    .updateTable('group_admins')
    .set({ last_sign_in_at: sql<Date>`lanyard_now()` })
    .where('email_norm', '=', email.toLowerCase())
    .execute()

/** Asked with every request of an admin's session, so that whoever was taken off the list is refused by the next one. */
export const findAdmin = (ctx: AtGroups, groupId: string, email: string): Promise<AdminRow | undefined> =>
  eventDb(ctx)
    .selectFrom('group_admins')
    .select(['email', 'name', 'last_sign_in_at'])
    .where('group_id', '=', groupId)
    .where('email_norm', '=', email.toLowerCase())
    .executeTakeFirst()
