import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { conflict } from '../../kernel/errors.ts'
import { permissionsOf, type Role } from '../../kernel/permissions.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'

interface UserKey {
  tenantId: number
  userId: string
}

/** Locks the user's row, so that concurrent role changes of a person cannot both count as adding the first or removing the last role. */
export async function lockUserRoles(db: Db, { tenantId, userId }: UserKey): Promise<{ accessVersion: number }> {
  const user = await tenantDb({ db, tenantId })
    .selectFrom('users')
    .select('access_version as accessVersion')
    .where('id', '=', userId)
    .forUpdate()
    .executeTakeFirst()
  if (!user) throw conflict('The login was just removed together with its last role. Try again')
  return user
}

/**
 * Replaces a role. A trigger disconnects all apps of the person on every role change, so that no app keeps too much access. If the new
 * role includes all permissions of the old one, the apps stay connected.
 */
export async function assignRole(
  db: Db,
  person: UserKey,
  role: Role,
  at: { read: () => Promise<Role | null>; write: () => Promise<unknown> },
): Promise<void> {
  const { accessVersion } = await lockUserRoles(db, person)
  const before = await at.read()
  if (before === role) return
  await at.write()
  if (before === null || includesPermissions(role, before)) await keepAppsConnected(db, person, accessVersion)
}

const includesPermissions = (role: Role, other: Role): boolean => [...permissionsOf([other])].every((one) => permissionsOf([role]).has(one))

/**
 * Moves the currently valid app grants of the user to the new access version, so that the apps stay connected. Grants that ended earlier
 * have another version and stay ended.
 */
const keepAppsConnected = (db: Db, { tenantId, userId }: UserKey, before: number) =>
  sql`
    update oauth_grants g set access_version = u.access_version from users u
    where u.tenant_id = ${tenantId} and u.id = ${userId} and u.access_version = ${before + 1}
      and g.tenant_id = u.tenant_id and g.user_id = u.id and g.access_version = ${before}`.execute(db)
