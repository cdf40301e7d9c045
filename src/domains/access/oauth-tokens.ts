import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'

export const ACCESS_TOKEN_TTL_SECONDS = 3600
const REFRESH_LIFETIME = '30 days'

interface NewTokens {
  grantId: string
  /** Hash of the access token. */
  access: Buffer
  /** Hash of the refresh token. */
  refresh: Buffer
}

/** Stores an access token and a refresh token. A refresh token that was issued before is left unchanged. */
export async function insertTokens(db: Db, { grantId, access, refresh }: NewTokens): Promise<void> {
  await sql`
    insert into oauth_tokens (hash, kind, grant_id, expires_at) values
      (${access}, 'access', ${grantId}, lanyard_now() + make_interval(secs => ${ACCESS_TOKEN_TTL_SECONDS}::int)),
      (${refresh}, 'refresh', ${grantId}, lanyard_now() + ${REFRESH_LIFETIME}::interval)
    on conflict (hash) do nothing`.execute(db)
}

/** Marks a refresh token as used. The nonce and the hash of the token that replaces it let the app request that token again. */
export async function markTokenRotated(db: Db, hash: Buffer, { nonce, successor }: { nonce: Buffer; successor: Buffer }): Promise<void> {
  await sql`
    update oauth_tokens set rotated_at = lanyard_now(), successor_nonce = ${nonce}, successor_hash = ${successor}
    where hash = ${hash}`.execute(db)
}

/** Deletes expired access and refresh tokens. Used refresh tokens are kept until they expire, to detect a second use. */
export async function deleteExpiredTokens(db: Db): Promise<void> {
  await sql`delete from oauth_tokens where expires_at < lanyard_now() - case kind when 'access' then interval '1 hour' else interval '1 day' end`.execute(
    db,
  )
}
