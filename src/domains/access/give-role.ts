import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { conflict } from '../../kernel/errors.ts'
import { permissionsOf, type Role } from '../../kernel/permissions.ts'
import type {} from './tables.ts'

interface Person {
  tenantId: number
  userId: string
}

/** One change of a person's roles at a time, or two at once would both be their first, or their last. */
export async function lockUser(db: Db, { tenantId, userId }: Person): Promise<{ accessVersion: number }> {
  const user = await db
    .selectFrom('users')
    .select('access_version as accessVersion')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', userId)
    .forUpdate()
    .executeTakeFirst()
  if (!user) throw conflict('The login was removed in this moment, with its last role: try again')
  return user
}

/**
 * Writes a role in place of another one, or of none. The database ends every connected app of the person with each change of a role,
 * so nothing that forgets to ask leaves an app too much; where the new role holds all that the old one did, the apps stay connected.
 */
export async function giveRole(
  db: Db,
  person: Person,
  role: Role,
  at: { read: () => Promise<Role | null>; write: () => Promise<unknown> },
): Promise<void> {
  const { accessVersion } = await lockUser(db, person)
  const before = await at.read()
  if (before === role) return
  await at.write()
  if (before === null || holdsAllOf(role, before)) await keepConnected(db, person.userId, accessVersion)
}

const holdsAllOf = (role: Role, other: Role): boolean => [...permissionsOf([other])].every((one) => permissionsOf([role]).has(one))

/** Takes the grants that were good before this one change along to after it. Those that ended earlier are at another version and stay ended. */
const keepConnected = (db: Db, userId: string, before: number) =>
  sql`
    update oauth_grants g set access_version = u.access_version from users u
    where u.id = ${userId} and u.access_version = ${before + 1} and g.user_id = u.id and g.access_version = ${before}`.execute(db)
