import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { hashToken, newToken } from '../../kernel/secrets.ts'

export interface AuthorizationRequest {
  clientId: string
  redirectUri: string
  state: string | null
  challenge: string
  scope: string
  resource: string
}

const REQUEST_LIFETIME = '10 minutes'

/** Stores the validated request, so that the consent page cannot change it. Returns its id. */
export async function storeAuthorizationRequest(db: Db, request: AuthorizationRequest): Promise<string> {
  const id = newToken('lar_')
  await sql`
    insert into oauth_requests (id_hash, client_id, redirect_uri, state, challenge, scope, resource, expires_at)
    values (${hashToken(id)}, ${request.clientId}, ${request.redirectUri}, ${request.state}, ${request.challenge}, ${request.scope},
      ${request.resource}, lanyard_now() + ${REQUEST_LIFETIME}::interval)`.execute(db)
  return id
}

const REQUEST_COLUMNS = sql`client_id as "clientId", redirect_uri as "redirectUri", state, challenge, scope, resource`

/** Binds the authorization request to the first browser session that opens it. Returns null for other sessions. */
export async function bindRequestToSession(db: Db, id: string, session: Buffer): Promise<AuthorizationRequest | null> {
  const { rows } = await sql<AuthorizationRequest>`
    update oauth_requests set session_hash = ${session}
    where id_hash = ${hashToken(id)} and expires_at > lanyard_now() and (session_hash is null or session_hash = ${session})
    returning ${REQUEST_COLUMNS}`.execute(db)
  return rows[0] ?? null
}

/** Unbinds the authorization request when the user chooses another account, so that the next sign-in in this browser can open it. */
export async function unbindRequestFromSession(db: Db, id: string, session: Buffer): Promise<void> {
  await sql`update oauth_requests set session_hash = null where id_hash = ${hashToken(id)} and session_hash = ${session}`.execute(db)
}

/** Deletes the authorization request when the user allows or denies access, so that it can be answered only once. */
export async function consumeAuthorizationRequest(db: Db, id: string, session: Buffer): Promise<AuthorizationRequest | null> {
  const { rows } = await sql<AuthorizationRequest>`
    delete from oauth_requests
    where id_hash = ${hashToken(id)} and session_hash = ${session} and expires_at > lanyard_now()
    returning ${REQUEST_COLUMNS}`.execute(db)
  return rows[0] ?? null
}
