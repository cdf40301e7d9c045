import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { hashToken, newToken, equalInConstantTime, Secret } from '../../kernel/secrets.ts'
import { USER_HAS_ROLE_CONDITION, revokeGrant, createGrant } from '../access/oauth-grants.ts'
import { describeRedirectTarget } from './redirect-uris.ts'
import type { AuthorizationRequest } from './requests.ts'
import { issueTokens, createRefusedGrantResult, type TokenGrantResult } from './tokens.ts'

const CODE_LIFETIME = '60 seconds'

/** Issues an authorization code after the user consented. Returns null if the user no longer belongs to a client. */
export async function issueAuthorizationCode(db: Db, request: AuthorizationRequest, userId: string): Promise<Secret | null> {
  const code = newToken('lac_')
  const { rows } = await sql`
    insert into oauth_codes (hash, user_id, access_version, client_id, redirect_uri, challenge, scope, resource, expires_at)
    select ${hashToken(code)}, u.id, u.access_version, ${request.clientId}, ${request.redirectUri}, ${request.challenge}, ${request.scope},
      ${request.resource}, lanyard_now() + ${CODE_LIFETIME}::interval
    from users u where u.id = ${userId} and u.active and ${USER_HAS_ROLE_CONDITION} returning 1`.execute(db)
  return rows.length === 1 ? new Secret(code) : null
}

interface CodeRow {
  userId: string
  accessVersion: number
  clientId: string
  redirectUri: string
  challenge: string
  scope: string
  resource: string
  expired: boolean
  used: boolean
  grantId: string | null
}

/**
 * Exchanges an authorization code for tokens. Every use consumes the code. Returns a result instead of throwing, because the rollback of an
 * error would undo the revocation after a second use.
 */
export async function redeemAuthorizationCode(
  db: Db,
  given: { code: string; clientId: string; redirectUri: string; verifier: string },
): Promise<TokenGrantResult> {
  const { rows } = await sql<CodeRow>`
    select user_id as "userId", access_version as "accessVersion", client_id as "clientId", redirect_uri as "redirectUri", challenge, scope,
      resource, expires_at <= lanyard_now() as expired, used_at is not null as used, grant_id as "grantId"
    from oauth_codes where hash = ${hashToken(given.code)} for update`.execute(db)
  const code = rows[0]
  if (!code || code.clientId !== given.clientId) return createRefusedGrantResult('The code is unknown')
  if (code.used) {
    if (code.grantId) await revokeGrant(db, code.grantId, 'code used twice')
    return createRefusedGrantResult('The code was already used')
  }
  await sql`update oauth_codes set used_at = lanyard_now() where hash = ${hashToken(given.code)}`.execute(db)
  if (code.expired) return createRefusedGrantResult('The code has expired')
  if (code.redirectUri !== given.redirectUri) return createRefusedGrantResult('redirect_uri differs from that of the authorization request')
  if (!isChallengeMet(code.challenge, given.verifier)) return createRefusedGrantResult('code_verifier does not match the code')
  const grantId = await createGrant(db, { ...code, website: describeRedirectTarget(code.redirectUri).shown })
  if (!grantId) return createRefusedGrantResult('The access of this person has changed')
  await sql`update oauth_codes set grant_id = ${grantId} where hash = ${hashToken(given.code)}`.execute(db)
  return issueTokens(db, { grantId, scope: code.scope })
}

const isChallengeMet = (challenge: string, verifier: string) =>
  equalInConstantTime(Buffer.from(hash('sha256', verifier, 'base64url')), Buffer.from(challenge))
