import { isIP } from 'node:net'
import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Fetcher } from '../../kernel/fetcher.ts'
import { type ClientMetadata, findOauthClient, type OauthClient, saveOauthClientMetadata } from '../access/oauth-clients.ts'
import { parseClientMetadataDocument } from './client-metadata.ts'

const MAX_ADDRESS = 1000
const FETCH_LIMITS = { redirects: 0, maxBytes: 10 * 1024, timeoutMs: 5000, httpsOnly: true, accept: ['application/json'] } as const

/** Whether the OAuth client id is a URL where the app publishes its metadata. */
export const isClientMetadataUrl = (id: string) => id.startsWith('https://')

/**
 * Returns why the URL of a client metadata document is invalid, or null. The URL must be in its normalized form with a path and a host
 * name, because two spellings would be two client ids.
 */
function findDocumentUrlProblem(id: string): string | null {
  if (id.length > MAX_ADDRESS || !URL.canParse(id)) return 'is not a valid URL'
  const url = new URL(id)
  if (url.href !== id || url.hash || url.username || url.password) return 'is not a normalized URL'
  if (url.pathname === '/') return 'has no path'
  return isIP(url.hostname.replaceAll(/[[\]]/g, '')) ? 'has an IP address instead of a host name' : null
}

/**
 * How long a stored copy of a client metadata document is used without fetching it again. If its host does not respond, the copy stays in
 * use.
 */
const FRESH_INTERVAL = '1 hour'

interface DocumentDeps {
  db: Db
  fetcher: Fetcher
  appSchemes: readonly string[]
  /** Checks the rate limit before a document is fetched, because anyone can choose the URL. */
  mayFetch: () => Promise<boolean>
}

/** Finds the app that a client metadata document describes. The document is fetched unless its stored copy is fresh. */
export async function resolveClientByMetadataUrl(parts: DocumentDeps, id: string): Promise<OauthClient> {
  const problem = findDocumentUrlProblem(id)
  if (problem) throw new AppError('invalid_arguments', `client_id ${problem}`)
  const { rows } = await sql<{ fresh: boolean }>`
    select fetched_at > lanyard_now() - ${FRESH_INTERVAL}::interval as fresh from oauth_clients where id = ${id}`.execute(parts.db)
  const copy = rows[0] ? await findOauthClient(parts.db, id) : null
  if (copy && rows[0]!.fresh) return copy
  if (!(await parts.mayFetch())) throw new AppError('limit_exceeded', 'Too many apps were requested from here. Try again in a minute')
  const document = await fetchDocument(parts, id).catch((error: unknown) => {
    if (copy && error instanceof AppError && error.code === 'unavailable') return null
    throw error
  })
  return document ? storeDocument(parts.db, id, document) : copy!
}

async function fetchDocument({ fetcher, appSchemes }: DocumentDeps, url: string): Promise<ClientMetadata> {
  const { status, body } = await fetcher.fetch(url, FETCH_LIMITS)
  if (status >= 500) throw new AppError('unavailable', 'The URL of the app did not respond as expected')
  if (status !== 200) throw new AppError('invalid_arguments', `The URL of the app responded with status ${status}`)
  return parseClientMetadataDocument(parseObject(body), url, appSchemes)
}

function parseObject(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Invalid JSON is reported below, with the same message as other invalid content.
  }
  throw new AppError('invalid_arguments', 'The URL of the app did not return a JSON object')
}

async function storeDocument(db: Db, id: string, metadata: ClientMetadata): Promise<OauthClient> {
  await saveOauthClientMetadata(db, id, metadata)
  return (await findOauthClient(db, id))!
}
