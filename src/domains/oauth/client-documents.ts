import { isIP } from 'node:net'
import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Fetcher } from '../../kernel/fetcher.ts'
import { type ClientMetadata, documentOf } from './client-metadata.ts'
import { findClient, type OauthClient } from './clients.ts'

const MAX_ADDRESS = 1000
const FETCH = { redirects: 0, maxBytes: 10 * 1024, timeoutMs: 5000, httpsOnly: true, accept: ['application/json'] } as const

/** An id that is an address: what it says of the app stands there, in a document of its own. */
export const isDocumentAddress = (id: string) => id.startsWith('https://')

/** Only an address in the one spelling that it has, with a path and a name: an id that could be written in two ways is two ids. */
function problemOfDocumentAddress(id: string): string | null {
  if (id.length > MAX_ADDRESS || !URL.canParse(id)) return 'is not an address'
  const url = new URL(id)
  if (url.href !== id || url.hash || url.username || url.password) return 'is not spelled as an address should be'
  if (url.pathname === '/') return 'has no path'
  return isIP(url.hostname.replaceAll(/[[\]]/g, '')) ? 'has a number instead of a name' : null
}

/** Within this time the copy is as good as the document; a host that is down is forgiven for longer. */
const FRESH = '1 hour'

interface Parts {
  db: Db
  fetcher: Fetcher
  appSchemes: readonly string[]
  /** Asked before anything is fetched, because strangers choose the address. */
  mayFetch: () => Promise<boolean>
}

/** The app behind such an address, from its document or our copy of it. */
export async function resolveClientDocument(parts: Parts, id: string): Promise<OauthClient> {
  const problem = problemOfDocumentAddress(id)
  if (problem) throw new AppError('invalid_arguments', `client_id ${problem}`)
  const { rows } = await sql<{ fresh: boolean }>`
    select fetched_at > lanyard_now() - ${FRESH}::interval as fresh from oauth_clients where id = ${id}`.execute(parts.db)
  const copy = rows[0] ? await findClient(parts.db, id) : null
  if (copy && rows[0]!.fresh) return copy
  if (!(await parts.mayFetch())) throw new AppError('limit_exceeded', 'Too many apps were looked up from here — try again in a minute')
  const document = await fetchDocument(parts, id).catch((error: unknown) => {
    if (copy && error instanceof AppError && error.code === 'unavailable') return null
    throw error
  })
  return document ? keep(parts.db, id, document) : copy!
}

async function fetchDocument({ fetcher, appSchemes }: Parts, url: string): Promise<ClientMetadata> {
  const { status, body } = await fetcher.fetch(url, FETCH)
  if (status >= 500) throw new AppError('unavailable', 'The address of the app does not answer as it should')
  if (status !== 200) throw new AppError('invalid_arguments', `The address of the app answered with status ${status}`)
  return documentOf(objectIn(body), url, appSchemes)
}

function objectIn(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Said below, the same for every kind of nonsense.
  }
  throw new AppError('invalid_arguments', 'The address of the app did not answer with a JSON object')
}

async function keep(db: Db, id: string, { name, redirectUris }: ClientMetadata): Promise<OauthClient> {
  await sql`
    insert into oauth_clients (id, name, redirect_uris, auth_method, fetched_at)
    values (${id}, ${name}, ${redirectUris}, 'none', lanyard_now())
    on conflict (id) do update set name = excluded.name, redirect_uris = excluded.redirect_uris, fetched_at = excluded.fetched_at`.execute(
    db,
  )
  return (await findClient(db, id))!
}
