import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  connectAppWithoutSignInPage,
  createUser,
  getUserByEmail,
  setUserRoleAtClient,
  setStaffRole,
} from '../../src/domains/access/users.ts'
import { verifyOrganizer } from '../../src/domains/access/verify-organizer.ts'
import { BUILT_IN_TAX_RATES } from '../../src/domains/taxation/rates.ts'
import { createClient, createEventWithoutContext, createTenant } from '../../src/domains/tenancy/create.ts'
import { writeWebhookMessages } from '../../src/domains/webhooks/write-messages.ts'
import type { PaymentProvider } from '../../src/kernel/cards.ts'
import type { Fetcher } from '../../src/kernel/fetcher.ts'
import type { Database, Log, LanguageModel } from '../../src/kernel/ports.ts'
import type { Role } from '../../src/kernel/permissions.ts'
import { deriveKeys } from '../../src/kernel/secrets.ts'
import type { Tool, Toolset } from '../../src/kernel/tool.ts'
import { EXTERNAL_CALL_DEFINITIONS } from '../../src/jobs.ts'
import { toCardProcessors } from '../../src/platform/card-processors.ts'
import { createDiskFileStore } from '../../src/platform/disk-file-store.ts'
import { createDatabaseAccess } from '../../src/platform/kysely.ts'
import { openJobQueue, type WorkerJobQueue } from '../../src/platform/job-queue.ts'
import { callOrganizerTool, readEventCode } from '../../src/surfaces/mcp/call-tool.ts'
import type { AppServices } from '../../src/surfaces/services.ts'
import { serializeResultFields } from '../../src/surfaces/mcp/outcome.ts'
import { ALL_TOOLSETS } from '../../src/toolsets/index.ts'
import { type Clock, installClock } from './clock.ts'
import { borrowDatabase } from './borrowed-database.ts'
import { createFreshDatabase, TIMEOUT_FACTOR } from './database.ts'
import { createTestFolder } from './folder.ts'
import { startDefaultInternet } from './internet.ts'
import { listFilledTables } from './filled-tables.ts'
import { findTablesWithTokens, findTokenLines } from './leaks.ts'
import { fixtureToolset, prepareFixtures } from './fixture-tools/index.ts'
import { waitForReplica } from './replica.ts'

const BASE_URL = 'http://localhost:3000'
/** The OAuth resource that an organizer's token is valid for. */
export const resourceAt = (baseUrl: string) => `${baseUrl}/api/mcp/organizer`
export const RESOURCE = resourceAt(BASE_URL)

/** Ten times the usual limit, because tests also run on slow and busy machines. */
const MAX_TRANSACTION_MS = 20_000 * TIMEOUT_FACTOR

type Arguments = Record<string, unknown>

export interface ToolAnswer {
  content: { type: string; text?: string; data?: string; mimeType?: string }[]
  // Untyped, because each test asserts the shape it expects.
  structuredContent: any
  _meta?: Record<string, any>
  isError?: boolean
}

export interface ToolRefusal {
  code: string
  message: string
  text: string
  fields?: { path: string; message: string; allowed?: string[] }[]
  fix?: { tool: string; arguments: Arguments }
  retryAfterSeconds?: number
}

export interface ClientHandle {
  tenantId: number
  tenantCode: string
  clientId: string
  clientCode: string
}

export interface EventHandle extends ClientHandle {
  eventId: string
  eventCode: string
}

export interface OrganizerHandle {
  userId: string
  email: string
  token: string
  grantId: string
  /** Calls a tool through the real call pipeline, with the token checked as for a request. */
  answer: (tool: string, args?: Arguments) => Promise<ToolAnswer>
  /** The structured result. Fails the test if the call was refused. */
  call: (tool: string, args?: Arguments) => Promise<any>
  /** The refusal. Fails the test if the call succeeded. */
  refused: (tool: string, args?: Arguments) => Promise<ToolRefusal>
}

export interface World {
  database: Database
  url?: string
  replicaUrl?: string
  /** The folder of uploaded files, which servers over this world also use. */
  dataDir: string
  /** The key that encryption keys derive from. A server over this world must use the same one to decrypt its values. */
  secretKey: string
  services: AppServices
  queue: WorkerJobQueue
  clock: Clock
  toolsets: readonly Toolset[]
  tools: ReadonlyMap<string, Tool>
  logged: string[]
  client: (options?: {
    tenant?: string
    code?: string
    name?: string
    active?: boolean
    ai?: boolean
    thresholds?: [recipients: number, deletes: number]
  }) => Promise<ClientHandle>
  event: (options?: Partial<NewEvent> & { at?: ClientHandle }) => Promise<EventHandle>
  organizer: (options?: {
    role?: Role | undefined
    at?: ClientHandle | readonly ClientHandle[]
    staffOf?: EventHandle
    staffRole?: Role
    app?: string
    email?: string
    name?: string
  }) => Promise<OrganizerHandle>
  /** The same organizer served by another process over the same data, with its own connections. */
  throughDatabase: (organizer: OrganizerHandle, database: Database) => OrganizerHandle
  /** Renews all tokens after the clock was moved. */
  renewTokens: () => Promise<void>
  /** Registers a function that runs before the database is dropped, such as one that stops a server. */
  onEnd: (stop: () => Promise<unknown>) => void
  end: () => Promise<void>
}

interface NewEvent {
  code: string
  name: string
  status: 'draft' | 'published' | 'archived'
  startsOn: string
  endsOn: string
  timezone: string
  city: string
  country: string
}

const silentLogger = (lines: string[]): Log => {
  const line = (level: string) => (message: string, fields?: object) => void lines.push(JSON.stringify({ level, message, ...fields }))
  return { info: line('info'), warn: line('warn'), error: line('error') }
}

/** Creates a test world: a database of its own without users, and factories for the records that a test needs. */
export async function newWorld({
  toolsets = [...ALL_TOOLSETS, fixtureToolset],
  baseUrl = BASE_URL,
  fetcher,
  cards = null,
  server,
  untouched = false,
  model = null,
}: {
  toolsets?: readonly Toolset[]
  baseUrl?: string
  fetcher?: Fetcher
  cards?: PaymentProvider | null
  /** The URL of a PostgreSQL server other than the one that all tests share. */
  server?: string | undefined
  /** Whether the world gets a database that no other test has used, for tests about the database itself. */
  untouched?: boolean
  model?: LanguageModel | null
} = {}): Promise<World> {
  const fresh = server === undefined && !untouched ? await borrowDatabase() : await createFreshDatabase(server)
  const database = createDatabaseAccess(fresh, { maxTransactionMs: MAX_TRANSACTION_MS })
  await prepareFixtures(database.pool)
  const dataDir = createTestFolder()
  const logged: string[] = []
  const log = silentLogger(logged)
  const queue = await openJobQueue(database.pool, log)
  const masterKey = randomBytes(32)
  const services: AppServices = {
    database,
    keys: deriveKeys(masterKey),
    queue,
    files: createDiskFileStore(join(dataDir, 'files')),
    log,
    fetcher: fetcher ?? (await startDefaultInternet()).fetcher,
    cards: toCardProcessors(cards),
    model,
    externalCalls: EXTERNAL_CALL_DEFINITIONS,
    baseUrl,
    taxRates: BUILT_IN_TAX_RATES,
    writeAnnouncements: writeWebhookMessages,
  }
  const tools = new Map(toolsets.flatMap((t) => t.tools).map((tool) => [tool.name, tool]))
  const tenants = new Map<string, number>()
  const running: (() => Promise<unknown>)[] = []
  let made = 0

  const world: World = {
    database,
    ...(fresh.url ? { url: fresh.url } : {}),
    ...(fresh.replicaUrl ? { replicaUrl: fresh.replicaUrl } : {}),
    dataDir,
    secretKey: masterKey.toString('base64'),
    services,
    queue,
    clock: await installClock(database.pool),
    toolsets,
    tools,
    logged,
    async client({
      tenant = 'demo',
      code = `client-${++made}`,
      name = `Client ${code}`,
      active = true,
      ai = true,
      thresholds = [50, 20],
    } = {}) {
      let tenantId = tenants.get(tenant)
      if (tenantId === undefined) tenants.set(tenant, (tenantId = await createTenant(database.write, { code: tenant, name: tenant })))
      const clientId = await createClient(database.write, {
        tenant_id: tenantId,
        code,
        name,
        active,
        ai_assistants_allowed: ai,
        confirm_recipients: thresholds[0],
        confirm_deletes: thresholds[1],
      })
      return { tenantId, tenantCode: tenant, clientId, clientCode: code }
    },
    async event({
      at,
      code = `event-${++made}`,
      name = `Event ${code}`,
      status = 'published',
      startsOn = '2027-05-11',
      endsOn = startsOn,
      timezone = 'Europe/Berlin',
      city = 'Berlin',
      country = 'DE',
    } = {}) {
      const place = at ?? (await world.client())
      const eventId = await createEventWithoutContext(database.write, {
        tenant_id: place.tenantId,
        client_id: place.clientId,
        code,
        name,
        status,
        starts_on: startsOn,
        ends_on: endsOn,
        timezone,
        city,
        country,
        currency: 'EUR',
      })
      return { ...place, eventId, eventCode: code }
    },
    async organizer({
      role = 'admin',
      at,
      staffOf,
      staffRole = 'onsite',
      app = 'Test app',
      email = `organizer-${++made}@example.org`,
      name = 'Olga Organizer',
    } = {}) {
      const places = at === undefined ? (staffOf ? [] : [await world.client()]) : Array.isArray(at) ? at : [at as ClientHandle]
      const tenantId = (places[0] ?? staffOf)!.tenantId
      const userId = await createUser(database.write, { tenantId, email, name })
      for (const place of places) await setUserRoleAtClient(database.write, { tenantId, userId, clientId: place.clientId, role })
      if (staffOf) await setStaffRole(database.write, { tenantId, userId, eventId: staffOf.eventId, role: staffRole })
      const { accessVersion } = await getUserByEmail(database.write, email)
      const connected = await connectAppWithoutSignInPage(database.write, {
        userId,
        tenantId,
        accessVersion,
        clientId: `app-${app.toLowerCase().replaceAll(' ', '-')}`,
        appName: app,
        resource: resourceAt(baseUrl),
        lifetime: '1 hour',
      })
      return organizerHandle(world, { userId, email, token: connected.token.reveal(), grantId: connected.grantId })
    },
    throughDatabase: (organizer, other) => organizerHandle({ ...world, services: { ...services, database: other } }, organizer),
    async renewTokens() {
      await database.pool.query(`update oauth_tokens set expires_at = lanyard_now() + interval '1 hour'`)
      await database.pool.query(`update oauth_grants set last_used_at = lanyard_now()`)
    },
    onEnd: (stop) => void running.push(stop),
    async end() {
      await Promise.all(running.map((stop) => stop()))
      await queue.stop()
      database.replica?.stop()
      // Every test world ends in this function, so the scan for tokens covers the whole suite.
      const filled = await listFilledTables(database.pool)
      const leaks = [...findTokenLines(logged), ...(await findTablesWithTokens(database.pool, filled)).map((table) => `table ${table}`)]
      if (leaks.length > 0) throw new Error(`A token was stored in plain text: ${leaks.join('; ')}`)
      await fresh.drop(filled)
      await rm(dataDir, { recursive: true, force: true })
    },
  }
  await waitForReplica(database)
  return world
}

function organizerHandle(world: World, person: { userId: string; email: string; token: string; grantId: string }): OrganizerHandle {
  const { services, tools } = world
  const answer = async (name: string, args: Arguments = {}): Promise<ToolAnswer> => {
    const organizer = await verifyOrganizer(
      services.database.pool,
      person.token,
      resourceAt(services.baseUrl),
      readEventCode({ params: { arguments: args } }),
    )
    if (!organizer) throw new Error('the token opens nothing')
    const tool = tools.get(name)
    if (!tool) throw new Error(`no tool ${name} in this world`)
    return JSON.parse(`{${serializeResultFields(await callOrganizerTool(services, organizer, tool, args))}}`) as ToolAnswer
  }
  return {
    ...person,
    answer,
    async call(name, args) {
      const result = await answer(name, args)
      if (result.isError) throw new Error(`${name} was refused: ${result.content[0]?.text}`)
      return result.structuredContent
    },
    async refused(name, args) {
      const result = await answer(name, args)
      if (!result.isError) throw new Error(`${name} was not refused: ${result.content[0]?.text}`)
      return { ...(result._meta!['lanyard/error'] as ToolRefusal), text: result.content[0]!.text! }
    },
  }
}
