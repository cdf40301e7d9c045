import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { hashToken, newToken } from '../../kernel/secrets.ts'
import type {} from './tables.ts'

/** What an app asked for, checked and complete. */
export interface AuthorizationRequest {
  clientId: string
  redirectUri: string
  state: string | null
  challenge: string
  scope: string
  resource: string
}

const LIFETIME = '10 minutes'

/** Keeps the checked request here, so that the page between can change nothing about it. Returns the id that names it. */
export async function storeRequest(db: Db, request: AuthorizationRequest): Promise<string> {
  const id = newToken('lar_')
  await sql`
    insert into oauth_requests (id_hash, client_id, redirect_uri, state, challenge, scope, resource, expires_at)
    values (${hashToken(id)}, ${request.clientId}, ${request.redirectUri}, ${request.state}, ${request.challenge}, ${request.scope},
      ${request.resource}, lanyard_now() + ${LIFETIME}::interval)`.execute(db)
  return id
}

const COLUMNS = sql`client_id as "clientId", redirect_uri as "redirectUri", state, challenge, scope, resource`

/** Binds the request to the browser that looks at it first; another one finds nothing. */
export async function openRequest(db: Db, id: string, session: Buffer): Promise<AuthorizationRequest | null> {
  const { rows } = await sql<AuthorizationRequest>`
    update oauth_requests set session_hash = ${session}
    where id_hash = ${hashToken(id)} and expires_at > lanyard_now() and (session_hash is null or session_hash = ${session})
    returning ${COLUMNS}`.execute(db)
  return rows[0] ?? null
}

/** Lets the next sign-in in this browser have it: the person chose another account. */
export async function releaseRequest(db: Db, id: string, session: Buffer): Promise<void> {
  await sql`update oauth_requests set session_hash = null where id_hash = ${hashToken(id)} and session_hash = ${session}`.execute(db)
}

/** Takes the request out of the world together with the person's answer to it: it is answered once. */
export async function takeRequest(db: Db, id: string, session: Buffer): Promise<AuthorizationRequest | null> {
  const { rows } = await sql<AuthorizationRequest>`
    delete from oauth_requests
    where id_hash = ${hashToken(id)} and session_hash = ${session} and expires_at > lanyard_now()
    returning ${COLUMNS}`.execute(db)
  return rows[0] ?? null
}
