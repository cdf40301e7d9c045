import { createApiAccount, issueApiToken } from '../../src/domains/access/api-accounts.ts'
import type { ClientCoveredByApiAccount, EventCoveredByApiAccount } from '../../src/domains/access/tables.ts'
import { readRestAnswer, type RestAnswer } from './openapi-checks.ts'
import type { Served } from './server.ts'
import type { EventHandle, ClientHandle, World } from './world.ts'

export type { RestAnswer }

export interface RestClient {
  accountId: string
  token: string
  get: (path: string, headers?: Record<string, string>) => Promise<RestAnswer>
  request: (method: string, path: string, headers?: Record<string, string>, body?: string) => Promise<RestAnswer>
  /** Reads the records of all pages, following the documented pagination. */
  all: (path: string, options?: { limit?: number }) => Promise<any[]>
  /** Returns a client of the same account with another token, or on another server. */
  with: (other: { token?: string; served?: Served }) => RestClient
}

interface Covering {
  clients?: readonly ClientHandle[]
  events?: readonly EventHandle[]
  tenants?: readonly string[]
  sensitiveData?: boolean
  restAccess?: boolean
  perMinute?: number
}

const clientOf = ({ tenantCode, clientCode }: ClientHandle): ClientCoveredByApiAccount => ({ tenantCode, clientCode })
const eventOf = ({ tenantCode, clientCode, eventCode }: EventHandle): EventCoveredByApiAccount => ({ tenantCode, clientCode, eventCode })

/** An account with a rate limit high enough that the test never reaches it. */
export async function createRestClient(
  world: World,
  served: Pick<Served, 'url'>,
  tenantId: number,
  covering: Covering,
): Promise<RestClient> {
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
  return clientWith(served, accountId, await issueRestToken(world, { tenantId, accountId }))
}

export const issueRestToken = async (world: World, account: { tenantId: number; accountId: string }): Promise<string> =>
  (await issueApiToken(world.database.write, account)).reveal()

function clientWith(served: Pick<Served, 'url'>, accountId: string, token: string): RestClient {
  const request: RestClient['request'] = async (method, path, headers = {}, body) =>
    readRestAnswer(
      await fetch(served.url(path), {
        method,
        headers: { authorization: `Bearer ${token}`, ...headers },
        ...(body === undefined ? {} : { body }),
      }),
    )
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
