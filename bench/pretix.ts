import pg from 'pg'
import { compareMeasurements, interleave, type Rounds } from './measure.ts'
import { writeChapter } from './page.ts'
import { type PretixServer, startPretix } from './peers/pretix.ts'
import { formatTable, type BenchResult } from './report.ts'
import type { Sending, SendingResult, SentRequest } from './servers/sender.ts'
import type { Fleet } from './servers.ts'
import { openShop } from './shop.ts'
import { isSmokeRun } from './size.ts'

const CLIENTS = 8
/** The number of web processes of each of the two products. */
const PROCESSES = 2

/** Measures orders for one product and pages of 50 orders over HTTP, compared with pretix on the same database server. */
export async function measurePretix(fleet: Fleet, server: string, rounds: Rounds): Promise<BenchResult[]> {
  const { version, stop, ...pretix } = await startPretix(server, PROCESSES)
  try {
    const shop = await openShop(fleet, server, { events: 1, processes: PROCESSES })
    const sender = await fleet.start('sender')
    const [event] = shop.events
    const window = (requests: readonly SentRequest[]) => async (seconds: number) =>
      (await sender.ask<SendingResult>('run', { requests, clients: CLIENTS, seconds } satisfies Sending)).rate
    const selling = { ours: window(await shop.orders([event!])), peer: window([pretixOrder(pretix)]) }
    for (const sell of Object.values(selling)) await sell(rounds.warmUp)
    await Promise.all([shop.analyze(), analyzeDatabase(server, 'bench_pretix')])
    const orders = await interleave(selling, rounds)
    const lists = await interleave({ ours: window(await shop.lists(event!)), peer: window([pretixList(pretix)]) }, rounds)
    sender.stop()
    await shop.end()
    const results: BenchResult[] = [
      { name: 'orders for one product', unit: '/s', ...compareMeasurements(orders.ours, orders.peer, 'higher'), target: { atLeast: 10 } },
      { name: 'pages of 50 orders', unit: '/s', ...compareMeasurements(lists.ours, lists.peer, 'higher'), target: { atLeast: 30 } },
    ]
    if (!isSmokeRun) writePage(results, version)
    return results
  } finally {
    await stop()
  }
}

/**
 * Updates the planner's statistics, as autovacuum does within a minute or two. Without them, the planner estimates all indexes the same.
 */
async function analyzeDatabase(server: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: Object.assign(new URL(server), { pathname: name }).href })
  await client.connect()
  await client.query('vacuum analyze')
  await client.end()
}

const headersOf = ({ token }: PretixServer) => ({ 'content-type': 'application/json', authorization: `Token ${token}` })
const ordersUrl = ({ url }: PretixServer) => `${url}/api/v1/organizers/bench/events/conf/orders/`

function pretixOrder(pretix: PretixServer): SentRequest {
  const position = {
    item: pretix.item,
    variation: null,
    price: '750.00',
    attendee_name_parts: { full_name: 'Paula {n}' },
    answers: [],
  }
  const order = { email: 'paula.{n}@example.org', locale: 'en', sales_channel: 'web', positions: [position], status: 'n' }
  return { method: 'POST', url: ordersUrl(pretix), headers: headersOf(pretix), body: JSON.stringify(order) }
}

const pretixList = (pretix: PretixServer): SentRequest => ({
  method: 'GET',
  url: `${ordersUrl(pretix)}?page_size=50`,
  headers: headersOf(pretix),
})

function writePage(results: readonly BenchResult[], version: string): void {
  const explanation = [
    'Written by `npm run bench -- pretix`, which installs pretix in a virtual environment and measures both products at the same time on the same',
    'machine and the same PostgreSQL server: eight clients over HTTP, one event, one product without a limit, no mail and no payment. Each product',
    'has two web processes, and another process sends the requests. An order of Lanyard is a call of `add_participant` with a signed-in',
    'organizer; an order of pretix is a `POST` to its orders API. A page has 50 orders of the REST API of each. All requests are for the first',
    'page, whose orders do not change: Lanyard compares the revisions of its records with those of the page that it sent last, and sends that page',
    'again. Both databases are analyzed once, after the first orders, as autovacuum does within a minute or two.',
  ]
  const table = formatTable(results).replace('  limit', ' pretix').trimEnd()
  writeChapter('Performance compared with pretix', [explanation.join('\n'), `\`\`\`\n${table}\n\`\`\``], [`pretix ${version}`])
}
