import type { IncomingMessage } from 'node:http'
import { deriveKeys } from '../../src/kernel/secrets.ts'
import { BUILT_IN_TAX_RATES } from '../../src/domains/taxation/rates.ts'
import { writeWebhookMessages } from '../../src/domains/webhooks/write-messages.ts'
import { toolset } from '../../src/kernel/tool.ts'
import { createDiskFileStore } from '../../src/platform/disk-file-store.ts'
import { createLog } from '../../src/platform/log.ts'
import { createRequestListener } from '../../src/surfaces/http/request-listener.ts'
import { createMcpTransport } from '../../src/surfaces/mcp/transport.ts'
import { createMetrics } from '../../src/surfaces/operation/metrics.ts'
import { createOrganizerMcpEndpoint } from '../../src/surfaces/organizer-mcp/endpoint.ts'
import { listedTools } from '../tools.ts'
import { serveMeasurements, listenForBench } from './listen.ts'
import { createMemoryDatabase } from './memory.ts'
import { createFetcher } from '../../src/platform/guarded-fetch.ts'

/**
 * The organizer endpoint without its database. Request log, metrics, authentication (unless fixed), transport and call pipeline are the
 * product's own.
 */
const database = createMemoryDatabase()
const log = createLog({ level: 'info', format: 'json' })
const baseUrl = 'http://localhost:3000'
const [keys, queue, files] = [deriveKeys(Buffer.alloc(32)), { send: async () => {} }, createDiskFileStore('data/files')]
const cards = { for: () => null, byName: () => null }
const services = {
  database,
  keys,
  queue,
  files,
  log,
  fetcher: createFetcher(),
  cards,
  model: null,
  externalCalls: [],
  baseUrl,
  taxRates: BUILT_IN_TAX_RATES,
  writeAnnouncements: writeWebhookMessages,
}
const endpoint = createOrganizerMcpEndpoint({ services, toolsets: [toolset('listed', listedTools)], trustedProxies: [] })
if (process.env['ADMISSION'] === 'fixed') {
  const admission = await endpoint.admit({ url: endpoint.path, headers: { authorization: 'Bearer lat_bench' } } as IncomingMessage, null)
  endpoint.admit = () => Promise.resolve(admission)
}
const listener = createRequestListener({
  exact: new Map([[endpoint.path, createMcpTransport({ baseUrl, allowedOrigins: [], log }, endpoint)]]),
  pages: () => Promise.reject(new Error('no pages here')),
  metrics: createMetrics(database),
  log,
})

serveMeasurements(await listenForBench(listener))
