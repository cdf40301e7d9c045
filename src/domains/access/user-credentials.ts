import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'

const UNIQUE_VIOLATION = '23505'

/** Sets the password and ends all connected apps. False if the address got a password at another tenant in the meantime. */
export async function setPasswordHash(db: Db, userId: string, hash: string): Promise<boolean> {
  try {
    await sql`
      update users set password_hash = ${hash}, password_changed_at = lanyard_now(), access_version = access_version + 1
      where id = ${userId}`.execute(db)
    return true
  } catch (error) {
    const { code, constraint } = error as { code?: string; constraint?: string }
    if (code === UNIQUE_VIOLATION && constraint === 'users_signing_in') return false
    throw error
  }
}

/**
 * SQL condition: the setup of a second factor has started less than an hour ago. It must be confirmed within that hour, because the
 * password was checked at its start.
 */
export const isSecondFactorSetupPending = sql<boolean>`(totp_confirmed_at is null and totp_begun_at > lanyard_now() - interval '1 hour')`

/** Stores the encrypted secret of a second factor that is being set up. False if the second factor is already on. */
export async function storePendingTotp(db: Db, userId: string, sealedSecret: string): Promise<boolean> {
  const stored = await db
    .updateTable('users')
    .set({ totp_secret: sealedSecret, totp_begun_at: sql<Date>`lanyard_now()`, totp_last_step: null })
    .where('id', '=', userId)
    .where('totp_confirmed_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return stored !== undefined
}

/** Records the 30-second time step of an accepted second-factor code. False if this step or a later one was already used. */
export async function recordUsedTotpStep(db: Db, userId: string, step: number): Promise<boolean> {
  const { rows } = await sql`
    update users set totp_last_step = ${step} where id = ${userId} and coalesce(totp_last_step, 0) < ${step} returning 1`.execute(db)
  return rows.length > 0
}

/** Turns the second factor on. False if no setup is pending. */
export async function confirmPendingTotp(db: Db, userId: string): Promise<boolean> {
  const { rows } = await sql`
    update users set totp_confirmed_at = lanyard_now() where id = ${userId} and ${isSecondFactorSetupPending} returning 1`.execute(db)
  return rows.length > 0
}

export async function clearTotp(db: Db, userId: string): Promise<void> {
  await db.updateTable('users').set({ totp_secret: null, totp_confirmed_at: null, totp_last_step: null }).where('id', '=', userId).execute()
}
