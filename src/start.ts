import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServerCapabilities } from '@modelcontextprotocol/server'
import { type AppDependencies, createApp } from './app.ts'
import { createFxRateUpdater } from './domains/bids/fx/updates.ts'
import { createFailureCollector } from './domains/feedback/failures.ts'
import { cacheHotels } from './domains/hotel-catalog/provider-cache.ts'
import { parseRatesFile, BUILT_IN_TAX_RATES } from './domains/taxation/rates.ts'
import { writeWebhookMessages } from './domains/webhooks/write-messages.ts'
import { FEEDBACK_TOOLS } from './feedback-tools/index.ts'
import { JOB_DEFINITIONS, EXTERNAL_CALL_DEFINITIONS, RECURRING_TASK_DEFINITIONS } from './jobs.ts'
import type { CardProcessors } from './kernel/cards.ts'
import type { Fetcher } from './kernel/fetcher.ts'
import type { Job } from './kernel/jobs.ts'
import type { ExternalCall } from './kernel/external-calls.ts'
import type { Database, Log, TaxRates } from './kernel/ports.ts'
import type { RecurringTask } from './kernel/recurring.ts'
import type { Toolset } from './kernel/tool.ts'
import { PARTICIPANT_TOOLS } from './participant-tools/index.ts'
import { createCardProcessors } from './platform/card-processors.ts'
import { openMigratedDatabase } from './open-migrated.ts'
import { pendingMigrations } from './platform/database.ts'
import { createDatabaseVacuumTask } from './platform/embedded-vacuum.ts'
import { type Environment, SettingError } from './platform/environment.ts'
import { openFileStore } from './platform/file-store.ts'
import { createChatModel } from './platform/chat-model.ts'
import { createFetcher } from './platform/guarded-fetch.ts'
import { createESignServices } from './platform/esign-services.ts'
import { createHotelServices } from './platform/hotel-providers/create-hotel-services.ts'
import { createTaxNumberVerifier } from './platform/tax-number-verifier.ts'
import { openJobQueue } from './platform/job-queue.ts'
import { createMailboxMailer, createSmtpMailer } from './platform/mailer.ts'
import { createPasswordHasher } from './platform/passwords.ts'
import { loadMasterKeys } from './platform/master-key.ts'
import { createMetrics } from './surfaces/operation/metrics.ts'
import { REQUEST_TIMEOUT_MS } from './surfaces/http/body-timeout.ts'
import { trackConnections } from './surfaces/http/drain-connections.ts'
import { createReadinessProbe } from './surfaces/operation/readiness.ts'
import { startWorker } from './surfaces/worker/worker.ts'
import { prebuildToolLists } from './surfaces/mcp/prebuild-tool-lists.ts'
import type { McpServerContext } from './surfaces/mcp/transport.ts'
import { type McpProtocolTool, SERVER_INFO } from './surfaces/mcp/views.ts'
import { ALL_TOOLSETS } from './toolsets/index.ts'

/** Parts of the service that tests add or replace. */
export interface ServiceTestOverrides {
  toolsets?: readonly Toolset[]
  jobs?: readonly Job[]
  recurring?: readonly RecurringTask[]
  externalCalls?: readonly ExternalCall[]
  rawTools?: readonly McpProtocolTool[]
  capabilities?: ServerCapabilities
  answerFast?: McpServerContext['answerFast']
  morePages?: AppDependencies['morePages']
  fetcher?: Fetcher
  cards?: CardProcessors
  bodyTimeoutMs?: number
  /** A database that is already open; it stays open on stop. */
  database?: Database
}

export interface RunningService {
  server: Server
  database: Database
  port: number
  stop: () => Promise<void>
}

/**
 * Time limits for request headers; request bodies have their own. By default, Node checks them only every 30 seconds, which would turn the
 * limit of 10 seconds into up to 40.
 */
const SERVER_LIMITS = {
  headersTimeout: 10_000,
  // The server keeps idle connections for longer than clients and load balancers do, because closing one can lose a request just sent.
  keepAliveTimeout: 65_000,
  requestTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: 1000,
  maxHeaderSize: 16_384,
}

/** How long running requests may take after a stop signal. */
const DRAIN_MS = 25_000

function loadTaxRates({ taxRates }: Environment): TaxRates {
  if (taxRates === null) return BUILT_IN_TAX_RATES
  try {
    return parseRatesFile(taxRates)
  } catch (error) {
    throw new SettingError(`LANYARD_TAX_RATES_FILE cannot be used: ${(error as Error).message}`)
  }
}

/** Starts the service in this process: web, worker or both. */
export async function startService(environment: Environment, log: Log, extras: ServiceTestOverrides = {}): Promise<RunningService> {
  const taxRates = loadTaxRates(environment)
  const database = extras.database ?? (await openMigratedDatabase(environment))
  const keys = await loadMasterKeys(environment)
  const queue = await openJobQueue(database.pool, log)
  const mailer = environment.smtpUrl ? createSmtpMailer(environment.smtpUrl) : createMailboxMailer()
  const files = await openFileStore(environment)
  const readiness = createReadinessProbe({
    database: () => database.pool.query('select 1'),
    migrations: async () => {
      const pending = await pendingMigrations(database.pool)
      if (pending.length > 0) throw new Error(`pending: ${pending.join(', ')}`)
    },
    storage: () => files.check('reach'),
  })
  const failures = createFailureCollector({ database, log, appVersion: SERVER_INFO.version })
  const fetcher = extras.fetcher ?? createFetcher({ allowedHosts: environment.allowedHosts })
  const fx = createFxRateUpdater(environment.fx, fetcher)
  if (environment.role !== 'web') await fx.loadFile({ transact: database.transact, log })
  const services = {
    database,
    keys,
    queue,
    queryLimits: environment.queryLimits,
    files,
    log,
    fetcher,
    cards: extras.cards ?? (await createCardProcessors(environment)),
    model: environment.ai && createChatModel(environment.ai),
    taxNumberVerifier: createTaxNumberVerifier(environment.taxNumberVerifier, fetcher),
    hotels: createHotelServices(environment.hotels, fetcher, (hotels) => cacheHotels(database.write, hotels)),
    esign: createESignServices(environment.esign, fetcher),
    externalCalls: [...EXTERNAL_CALL_DEFINITIONS, ...(extras.externalCalls ?? [])],
    baseUrl: environment.baseUrl,
    taxRates,
    writeAnnouncements: writeWebhookMessages,
    failures,
  }
  const toolsets = [...ALL_TOOLSETS, ...(extras.toolsets ?? [])]
  const listener = createApp({
    services,
    web: {
      services,
      passwords: await createPasswordHasher(),
      production: environment.production,
      mailTransport: mailer.transport,
      trustedProxies: environment.trustedProxies,
      appSchemes: environment.oauthAppSchemes,
      warnings: environment.warnings,
    },
    toolsets,
    participantTools: PARTICIPANT_TOOLS,
    feedbackTools: FEEDBACK_TOOLS,
    readiness,
    metrics: createMetrics(database),
    allowedOrigins: environment.allowedOrigins,
    trustedProxies: environment.trustedProxies,
    operatorToken: environment.operatorToken,
    ...(extras.rawTools ? { rawTools: extras.rawTools } : {}),
    ...(extras.capabilities ? { capabilities: extras.capabilities } : {}),
    answerFast: extras.answerFast,
    morePages: extras.morePages,
    bodyTimeoutMs: extras.bodyTimeoutMs,
  })
  const server = createServer(SERVER_LIMITS, listener)
  const connections = trackConnections(server)
  server.listen(environment.port, environment.host)
  await once(server, 'listening')
  const worker =
    environment.role === 'web'
      ? null
      : startWorker({
          ...services,
          mailer,
          mailFrom: environment.mailFrom,
          mailRate: environment.mailRate,
          jobs: [...JOB_DEFINITIONS, ...(extras.jobs ?? [])],
          recurring: [
            ...RECURRING_TASK_DEFINITIONS,
            ...fx.tasks,
            ...(database.engine === 'embedded' ? [createDatabaseVacuumTask(database.pool)] : []),
            ...(extras.recurring ?? []),
          ],
          work: queue.work,
        })
  const firstRates =
    environment.role === 'web'
      ? null
      : fx.fetchFirst({ transact: database.transact, log }).catch((error: Error) => log.error('exchange rates', { error: error.message }))
  const lists = prebuildToolLists([...toolsets.flatMap(({ tools }) => tools), ...PARTICIPANT_TOOLS])
  readiness.hold(null)

  async function stop(): Promise<void> {
    readiness.hold('draining')
    lists.stop()
    await Promise.all([connections.drain(DRAIN_MS), worker?.stop(), firstRates])
    await failures.flush()
    await queue.stop()
    mailer.close()
    files.close()
    if (!extras.database) await database.close()
  }
  return { server, database, port: (server.address() as AddressInfo).port, stop }
}
