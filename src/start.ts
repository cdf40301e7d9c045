import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServerCapabilities } from '@modelcontextprotocol/server'
import { type AppParts, createApp } from './app.ts'
import { collectFailures } from './domains/feedback/failures.ts'
import { ratesWithFile, SHIPPED_RATES } from './domains/taxation/rates.ts'
import { writeAnnounced } from './domains/webhooks/write-messages.ts'
import { FEEDBACK_TOOLS } from './feedback-tools/index.ts'
import { JOBS, OUTSIDE_CALLS, RECURRING } from './jobs.ts'
import type { CardProcessors } from './kernel/cards.ts'
import type { Fetcher } from './kernel/fetcher.ts'
import type { Job } from './kernel/jobs.ts'
import type { OutsideCall } from './kernel/outside-calls.ts'
import type { Database, Log, TaxRates } from './kernel/ports.ts'
import type { Recurring } from './kernel/recurring.ts'
import type { Toolset } from './kernel/tool.ts'
import { PARTICIPANT_TOOLS } from './participant-tools/index.ts'
import { cardProcessors } from './platform/card-processors.ts'
import { openMigrated } from './open-migrated.ts'
import { pendingMigrations } from './platform/database.ts'
import { embeddedUpkeep } from './platform/embedded-upkeep.ts'
import { type Environment, SettingError } from './platform/environment.ts'
import { openFileStore } from './platform/file-store.ts'
import { chatModel } from './platform/chat-model.ts'
import { createFetcher } from './platform/guarded-fetch.ts'
import { taxOffices } from './platform/tax-offices.ts'
import { openJobQueue } from './platform/job-queue.ts'
import { mailboxMailer, smtpMailer } from './platform/mailer.ts'
import { argonPasswords } from './platform/passwords.ts'
import { masterKeys } from './platform/master-key.ts'
import { collectMetrics } from './surfaces/operation/metrics.ts'
import { REQUEST_MS } from './surfaces/http/patience.ts'
import { silentConnections } from './surfaces/http/silent-connections.ts'
import { readinessOf } from './surfaces/operation/readiness.ts'
import { startWorker } from './surfaces/worker/worker.ts'
import { readyLists } from './surfaces/mcp/ready-lists.ts'
import type { Site } from './surfaces/mcp/transport.ts'
import { type RawTool, SERVER_INFO } from './surfaces/mcp/views.ts'
import { TOOLSETS_IN_ORDER } from './toolsets/index.ts'

/** What tests serve beside the product's own tools. */
export interface Extras {
  toolsets?: readonly Toolset[]
  jobs?: readonly Job[]
  recurring?: readonly Recurring[]
  outsideCalls?: readonly OutsideCall[]
  rawTools?: readonly RawTool[]
  capabilities?: ServerCapabilities
  answerFast?: Site['answerFast']
  morePages?: AppParts['morePages']
  fetcher?: Fetcher
  cards?: CardProcessors
  /** A database that is open already; it is left open. */
  database?: Database
}

export interface Running {
  server: Server
  database: Database
  port: number
  stop: () => Promise<void>
}

/** How long a client may take to say what it wants (its body has a limit of its own), and how often that is looked at: by default only every 30 seconds, which would make 40 of the 10. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: REQUEST_MS, connectionsCheckingInterval: 1000, maxHeaderSize: 16_384 }

/** Running requests get this long to end after the signal to stop. */
const DRAIN_MS = 25_000

function taxRatesOf({ taxRates }: Environment): TaxRates {
  if (taxRates === null) return SHIPPED_RATES
  try {
    return ratesWithFile(taxRates)
  } catch (error) {
    throw new SettingError(`LANYARD_TAX_RATES_FILE cannot be used: ${(error as Error).message}`)
  }
}

/** Starts the service in this process: web, worker or both. */
export async function start(environment: Environment, log: Log, extras: Extras = {}): Promise<Running> {
  const taxRates = taxRatesOf(environment)
  const database = extras.database ?? (await openMigrated(environment))
  const keys = await masterKeys(environment)
  const queue = await openJobQueue(database.pool, log)
  const mailer = environment.smtpUrl ? smtpMailer(environment.smtpUrl) : mailboxMailer()
  const files = await openFileStore(environment)
  const readiness = readinessOf({
    database: () => database.pool.query('select 1'),
    migrations: async () => {
      const pending = await pendingMigrations(database.pool)
      if (pending.length > 0) throw new Error(`pending: ${pending.join(', ')}`)
    },
    storage: () => files.check('reach'),
  })
  const failures = collectFailures({ database, log, appVersion: SERVER_INFO.version })
  const fetcher = extras.fetcher ?? createFetcher({ allowedHosts: environment.allowedHosts })
  const road = {
    database,
    keys,
    queue,
    files,
    log,
    fetcher,
    cards: extras.cards ?? cardProcessors(environment),
    model: environment.ai && chatModel(environment.ai),
    taxOffices: taxOffices(environment.taxOffices, fetcher),
    outsideCalls: [...OUTSIDE_CALLS, ...(extras.outsideCalls ?? [])],
    baseUrl: environment.baseUrl,
    taxRates,
    writeAnnounced,
    failures,
  }
  const toolsets = [...TOOLSETS_IN_ORDER, ...(extras.toolsets ?? [])]
  const listener = createApp({
    road,
    web: {
      road,
      passwords: await argonPasswords(),
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
    metrics: collectMetrics(database),
    allowedOrigins: environment.allowedOrigins,
    trustedProxies: environment.trustedProxies,
    operatorToken: environment.operatorToken,
    ...(extras.rawTools ? { rawTools: extras.rawTools } : {}),
    ...(extras.capabilities ? { capabilities: extras.capabilities } : {}),
    answerFast: extras.answerFast,
    morePages: extras.morePages,
  })
  const server = createServer(LIMITS, listener)
  const silent = silentConnections(server)
  server.listen(environment.port, environment.host)
  await once(server, 'listening')
  const worker =
    environment.role === 'web'
      ? null
      : startWorker({
          ...road,
          mailer,
          mailFrom: environment.mailFrom,
          mailRate: environment.mailRate,
          jobs: [...JOBS, ...(extras.jobs ?? [])],
          recurring: [
            ...RECURRING,
            ...(database.engine === 'embedded' ? [embeddedUpkeep(database.pool)] : []),
            ...(extras.recurring ?? []),
          ],
          work: queue.work,
        })
  const lists = readyLists([...toolsets.flatMap(({ tools }) => tools), ...PARTICIPANT_TOOLS])
  readiness.hold(null)

  async function stop(): Promise<void> {
    readiness.hold('draining')
    lists.stop()
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    server.closeIdleConnections()
    silent.close()
    const late = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
    await Promise.all([closed, worker?.stop()])
    clearTimeout(late)
    await failures.flush()
    await queue.stop()
    mailer.close()
    files.close()
    if (!extras.database) await database.close()
  }
  return { server, database, port: (server.address() as AddressInfo).port, stop }
}
