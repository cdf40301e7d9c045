import { createHmac, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { conflict } from '../../kernel/errors.ts'
import { hashToken, type DerivedKeys, equalInConstantTime } from '../../kernel/secrets.ts'
import {
  recordUsedTotpStep,
  clearTotp,
  confirmPendingTotp,
  isSecondFactorSetupPending,
  storePendingTotp,
} from '../access/user-credentials.ts'

const STEP_SECONDS = 30
const DIGITS = 6
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Encodes bytes in Base32, as authenticator apps expect. */
export function encodeBase32(bytes: Buffer): string {
  let bits = ''
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

/** Returns the RFC 6238 code for one 30-second time step. */
export function computeTotpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', secret).update(counter).digest()
  const offset = digest.at(-1)! & 0xf
  return ((digest.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS).toString().padStart(DIGITS, '0')
}

/** Finds the time step of a code, at most one step before or after now; null if none matches. */
export function findTotpTimeStep(secret: Buffer, code: string, now: Date): number | null {
  const current = Math.floor(now.getTime() / 1000 / STEP_SECONDS)
  const given = Buffer.from(code)
  return [current, current - 1, current + 1].find((step) => equalInConstantTime(Buffer.from(computeTotpCode(secret, step)), given)) ?? null
}

const secretContext = (userId: string) => `totp|${userId}`

/**
 * Starts the setup of the second factor. The encrypted secret is not used until a first code confirms it. An active secret is not
 * replaced.
 */
export async function startTotpSetup(db: Db, keys: DerivedKeys, userId: string): Promise<string> {
  const secret = randomBytes(20)
  const stored = await storePendingTotp(db, userId, keys.seal('totp', secret, secretContext(userId)))
  if (!stored) throw conflict('The second factor is already on. Turn it off first to set it up again.')
  return encodeBase32(secret)
}

/** Returns the secret of a second factor whose setup is not confirmed yet. */
export async function findUnconfirmedTotpSecret(db: Db, keys: DerivedKeys, userId: string): Promise<string | null> {
  const user = await db
    .selectFrom('users')
    .select('totp_secret')
    .where('id', '=', userId)
    .where(isSecondFactorSetupPending)
    .executeTakeFirst()
  const secret = user?.totp_secret ? keys.open('totp', user.totp_secret, secretContext(userId)) : null
  return secret ? encodeBase32(secret) : null
}

export const buildOtpauthUrl = (secret: string, email: string) =>
  `otpauth://totp/Lanyard:${encodeURIComponent(email)}?secret=${secret}&issuer=Lanyard`

/** Verifies a code and accepts it once: its time step must be later than the last accepted step. */
export async function consumeTotpCode(db: Db, keys: DerivedKeys, userId: string, code: string): Promise<boolean> {
  const digits = code.replaceAll(/\s/g, '')
  const { rows } = await sql<{
    secret: string | null
    now: Date
  }>`select totp_secret as secret, lanyard_now() as now from users where id = ${userId}`.execute(db)
  const sealed = rows[0]?.secret
  const secret = sealed ? keys.open('totp', sealed, secretContext(userId)) : null
  const step = secret && /^\d{6}$/.test(digits) ? findTotpTimeStep(secret, digits, rows[0]!.now) : null
  if (step === null) return false
  return recordUsedTotpStep(db, userId, step)
}

const RECOVERY_CODE_COUNT = 10

/**
 * Confirms the setup of the second factor with a first code and returns the recovery codes. Null if the code is wrong or no setup is
 * pending.
 */
export async function confirmTotpSetup(db: Db, keys: DerivedKeys, userId: string, code: string): Promise<string[] | null> {
  if (!(await consumeTotpCode(db, keys, userId, code))) return null
  return (await confirmPendingTotp(db, userId)) ? createRecoveryCodes(db, userId) : null
}

export async function createRecoveryCodes(db: Db, userId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODE_COUNT }, () =>
    encodeBase32(randomBytes(10))
      .toLowerCase()
      .replace(/^(.{8})(.{8})$/, '$1-$2'),
  )
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  await db
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ user_id: userId, hash: hashToken(code) })))
    .execute()
  return codes
}

export async function consumeRecoveryCode(db: Db, userId: string, code: string): Promise<boolean> {
  // Spaces and missing dashes in a recovery code are tolerated.
  const normal = code
    .replaceAll(/[\s-]/g, '')
    .toLowerCase()
    .replace(/^(.{8})(.{8})$/, '$1-$2')
  const { rows } = await sql`
    update recovery_codes set used_at = lanyard_now() where user_id = ${userId} and hash = ${hashToken(normal)} and used_at is null returning 1`.execute(
    db,
  )
  return rows.length > 0
}

export async function removeTotp(db: Db, userId: string): Promise<void> {
  await clearTotp(db, userId)
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
}
