import { deriveKeys } from '../../src/kernel/secrets.ts'
import { createDiskFileStore } from '../../src/platform/disk-file-store.ts'
import { callOrganizerTool } from '../../src/surfaces/mcp/call-tool.ts'
import { createMcpSdkHandler } from '../../src/surfaces/mcp/sdk-path.ts'
import { buildVisibleTools } from '../../src/surfaces/mcp/views.ts'
import { verifyOrganizer } from '../../src/domains/access/verify-organizer.ts'
import { BUILT_IN_TAX_RATES } from '../../src/domains/taxation/rates.ts'
import { writeWebhookMessages } from '../../src/domains/webhooks/write-messages.ts'
import { listedTools } from '../tools.ts'
import { serveMeasurements, listenForBench, sendJsonText, withBody } from './listen.ts'
import { createMemoryDatabase } from './memory.ts'
import { createFetcher } from '../../src/platform/guarded-fetch.ts'

/** The MCP library alone with one server object per request, without our fast path. For comparison, never a limit. */
const database = createMemoryDatabase()
const silence = () => {}
const log = { info: silence, warn: silence, error: silence }
const services = {
  database,
  keys: deriveKeys(Buffer.alloc(32)),
  queue: { send: async () => {} },
  files: createDiskFileStore('data/files'),
  log,
  fetcher: createFetcher(),
  cards: { for: () => null, byName: () => null },
  model: null,
  externalCalls: [],
  baseUrl: 'http://localhost:3000',
  taxRates: BUILT_IN_TAX_RATES,
  writeAnnouncements: writeWebhookMessages,
}
const answerBySdk = createMcpSdkHandler({ instructions: 'Bench', maxBytes: 2 ** 24, log })
const organizer = (await verifyOrganizer(database.pool, 'lat_bench', ''))!
const exchange = {
  view: buildVisibleTools(listedTools, listedTools),
  call: (tool: (typeof listedTools)[number], args: Record<string, unknown>) => callOrganizerTool(services, organizer, tool, args),
  unknownTool: (name: string) => name,
}

const server = await listenForBench(
  withBody((body, request, response) => {
    const inbound = { url: 'http://localhost:3000/', headers: request.headers, body: JSON.parse(body.toString('utf8')) as unknown }
    void answerBySdk(inbound, exchange)
      .then((answered) => answered.text())
      .then((text) => sendJsonText(response, text))
  }),
)

serveMeasurements(server)
