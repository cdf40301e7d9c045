import { createApiAccount, issueApiToken } from '../../src/domains/access/api-accounts.ts'
import type { CoveredClient, CoveredEvent } from '../../src/domains/access/tables.ts'
import { openApiDocument } from '../../src/surfaces/rest/openapi.ts'
import { faultsOf, resolve } from './json-schema.ts'
import type { Served } from './server.ts'
import type { EventPlace, Place, World } from './world.ts'

export interface RestAnswer {
  status: number
  headers: Record<string, string>
  text: string
  json: any
}

export interface RestClient {
  accountId: string
  token: string
  /** Every answer is held against the OpenAPI document. */
  get: (path: string, headers?: Record<string, string>) => Promise<RestAnswer>
  request: (method: string, path: string, headers?: Record<string, string>) => Promise<RestAnswer>
  /** Records of all pages, by the road that the documentation tells. */
  all: (path: string, options?: { limit?: number }) => Promise<any[]>
  /** The same account through another token, or another node. */
  with: (other: { token?: string; served?: Served }) => RestClient
}

interface Covering {
  clients?: readonly Place[]
  events?: readonly EventPlace[]
  tenants?: readonly string[]
  sensitiveData?: boolean
  restAccess?: boolean
  perMinute?: number
}

const clientOf = ({ tenantCode, clientCode }: Place): CoveredClient => ({ tenantCode, clientCode })
const eventOf = ({ tenantCode, clientCode, eventCode }: EventPlace): CoveredEvent => ({ tenantCode, clientCode, eventCode })

/** An account that is not what the test is about the limit of: it has room for everything. */
export async function restClientAt(world: World, served: Served, tenantId: number, covering: Covering): Promise<RestClient> {
  const { clients = [], events = [], tenants = [], sensitiveData = false, restAccess = true, perMinute = 1_000_000 } = covering
  const accountId = await createApiAccount(world.database.write, {
    tenantId,
    name: 'Data warehouse',
    canActAsParticipantAgent: false,
    restAccess,
    allowedClients: clients.map(clientOf),
    allowedEvents: events.map(eventOf),
    rateLimitPerMinute: perMinute,
  })
  await world.database.write
    .updateTable('api_accounts')
    .set({ sensitive_data: sensitiveData, allowed_tenants: [...tenants] })
    .where('id', '=', accountId)
    .execute()
  return clientWith(served, accountId, await tokenOf(world, { tenantId, accountId }))
}

export const tokenOf = async (world: World, account: { tenantId: number; accountId: string }): Promise<string> =>
  (await issueApiToken(world.database.write, account)).reveal()

function clientWith(served: Served, accountId: string, token: string): RestClient {
  const request: RestClient['request'] = async (method, path, headers = {}) => {
    const response = await fetch(served.url(path), { method, headers: { authorization: `Bearer ${token}`, ...headers } })
    const text = await response.text()
    const type = response.headers.get('content-type') ?? ''
    const answer = {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text,
      json: /\bjson\b/.test(type) && text !== '' ? JSON.parse(text) : null,
    }
    const faults = undocumented(served.baseUrl, method, path, answer)
    if (faults.length > 0) throw new Error(`${method} ${path} answered otherwise than documented: ${faults.slice(0, 5).join('; ')}`)
    return answer
  }
  const get: RestClient['get'] = (path, headers) => request('GET', path, headers)
  return {
    accountId,
    token,
    get,
    request,
    async all(path, { limit = 200 } = {}) {
      const records: unknown[] = []
      for (let cursor: string | null = null; ;) {
        const page: RestAnswer = await get(
          `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
        )
        if (page.status !== 200) throw new Error(`${path}: ${page.status} ${page.text}`)
        records.push(...page.json.data)
        cursor = page.json.pageInfo.nextCursor
        if (!page.json.pageInfo.hasMore) return records
      }
    },
    with: (other) => clientWith(other.served ?? served, accountId, other.token ?? token),
  }
}

/** What the document does not say of an answer. */
export function undocumented(baseUrl: string, method: string, path: string, { status, headers, json, text }: RestAnswer): string[] {
  const document = openApiDocument(baseUrl)
  const known = Object.entries(document.paths).find(([pattern]) =>
    new RegExp(`^${pattern.replace('.', '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`).test(path.split('?')[0]!),
  )?.[1] as Record<string, { responses: Record<string, any> }> | undefined
  const operation = known?.[(method === 'HEAD' ? 'GET' : method).toLowerCase()]
  const problem = { content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } } }
  const elsewhere = [401, 403, 404, 405, 429].includes(status) ? problem : null
  const found = operation ? operation.responses[status] : elsewhere
  if (!found) return [`${status} is not documented`]
  const response = found.$ref ? resolve(document, found.$ref) : found
  const missing = Object.keys(response.headers ?? {}).filter((name) => headers[name.toLowerCase()] === undefined)
  const faults = missing.map((name) => `the header ${name} is missing`)
  if (method === 'HEAD' || status === 304) return [...faults, ...(text === '' ? [] : ['there is a body'])]
  const type = (headers['content-type'] ?? '').split(';')[0]!
  const content = response.content?.[type] ?? response.content?.['*/*']
  if (!content) return [...faults, `${type} is not documented`]
  return [...faults, ...(json === null ? [] : faultsOf(document, content.schema, json))]
}
