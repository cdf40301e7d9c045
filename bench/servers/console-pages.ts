import { Agent, type IncomingMessage, request } from 'node:http'
import pg from 'pg'
import { createBrowserSession } from '../../src/domains/sign-in/sessions.ts'
import { FESTIVAL } from '../../test/support/festival.ts'
import { chooseFreeBaseUrl, serve } from '../../test/support/server.ts'
import { newWorld } from '../../test/support/world.ts'
import { serveRequests } from '../child.ts'
import { loadRegistrations } from '../support/many-registrations.ts'
import { recordStatements, type RecordedStatement } from './statements.ts'
import { scaleRows } from '../size.ts'

const recorder = recordStatements(pg.Client)

/** The number of participants of all events together. The large event has as many as the specification measures with. */
const PEOPLE = Number(process.env['BENCH_PEOPLE'] ?? scaleRows(1_000_000, 400))
const LARGE = Math.round(PEOPLE * 0.12)
const OTHER_EVENTS = 20

/** The configuration of the large event: a realistic form, and the products and fields of the loaded registrations. */
const DOCUMENT = {
  ...FESTIVAL,
  tags: ['vip', 'member', 'press'].map((code) => ({ code, name: code })),
  products: [
    ...FESTIVAL.products,
    ...Array.from({ length: 200 }, (_, n) => ({
      code: `product-${n}`,
      name: `Product ${n}`,
      category: 'meal',
      prices: [{ amount: '375.00' }],
    })),
  ],
  flows: [FESTIVAL.flows[0]!, ...[0, 1].map((n) => ({ ...FESTIVAL.flows[0]!, slug: `flow-${n}`, name: `Flow ${n}` }))],
}

interface Asked {
  url: string
  statements: RecordedStatement[]
  bytes: number
}

interface Desk {
  pages: Record<string, Asked>
  headers: Record<string, string>
  bare: pg.Client
  loadedIn: number
  end: () => Promise<void>
}

let desk: Promise<Desk> | null = null
const openedDesk = () => (desk ??= openDesk())

async function openDesk(): Promise<Desk> {
  const world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const client = await world.client({ code: 'acme' })
  const large = await world.event({ at: client, code: 'large', status: 'draft' })
  const others = []
  for (let n = 0; n < OTHER_EVENTS; n++) others.push(await world.event({ at: client, code: `event-${n}` }))
  const olga = await world.organizer({ at: client })
  await olga.call('configure_event', { eventCode: 'large', sections: DOCUMENT })
  await olga.call('publish_event', { eventCode: 'large', acceptWarnings: true })
  await olga.call('config_set', {
    eventCode: 'large',
    operations: [{ op: 'set', path: '/products/gala/prices/0/amount', valueJson: '"95.00"' }],
  })
  const started = performance.now()
  const eventIds = [large, ...others].map(({ eventId }) => eventId)
  await loadRegistrations(world.database.pool, { tenantId: large.tenantId, eventIds, large: LARGE, all: PEOPLE })
  const loadedIn = (performance.now() - started) / 1000
  const served = await serve(world)
  const token = await createBrowserSession(world.database.write, { userId: olga.userId, totpPending: false, userAgent: 'bench' })
  const headers = { cookie: `lanyard-organizer=${encodeURIComponent(token.reveal())}` }
  const bare = new pg.Client({ connectionString: world.url! })
  await bare.connect()

  const people = '/console/events/acme/large/participants'
  const addresses: Record<string, string> = {
    overview: '/console/events/acme/large',
    people,
    search: `${people}?search=mull+3f`,
    later: await laterPage(served.url, headers, people),
  }
  const pages: Record<string, Asked> = {}
  for (const [name, path] of Object.entries(addresses)) pages[name] = await recorded(served.url(path), headers)
  const end = async () => {
    await bare.end()
    // Closing a test world scans all of its rows for leaked tokens, which would take too long for a million. They are deleted first.
    await world.database.pool.query('truncate participants cascade')
    await world.end()
  }
  return { pages, headers, bare, loadedIn, end }
}

type Headers = Record<string, string>

/** Returns the address of the list page twenty pages further, which no cache contains. */
async function laterPage(url: (path: string) => string, headers: Headers, first: string): Promise<string> {
  let path = first
  for (let pages = 0; pages < 20; pages++) {
    const html = await (await fetch(url(path), { headers })).text()
    const next = [...html.matchAll(/href="([^"]*cursor=[^"]*)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&')).at(-1)
    if (next === undefined) return path
    path = next
  }
  return path
}

/** Returns the SQL statements of one page view. An earlier view has filled the caches. */
async function recorded(url: string, headers: Headers): Promise<Asked> {
  const open = async () => {
    const response = await fetch(url, { headers })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${url} was answered ${response.status}: ${text.slice(0, 500)}`)
    return Buffer.byteLength(text)
  }
  await open()
  recorder.record()
  const bytes = await open()
  const { statements } = recorder.recorded()
  return { url, statements: statements.toSorted((one, other) => one.connection! - other.connection!), bytes }
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** Returns the milliseconds from sending a request on an open connection to the first byte of the response body. */
const firstByte = (url: string, headers: Headers): Promise<number> =>
  new Promise((resolve, reject) => {
    const started = performance.now()
    const onAnswer = (response: IncomingMessage) => {
      if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`))
      let received: number | null = null
      response.on('data', () => (received ??= performance.now() - started)).on('end', () => resolve(received!))
    }
    request(url, { headers, agent }, onAnswer).on('error', reject).end()
  })

/** Runs the same statements in sequence, as prepared statements if the product prepares them. Returns the milliseconds. */
async function bareStatements({ bare }: Desk, { statements }: Asked): Promise<number> {
  const started = performance.now()
  for (const { name, text, values } of statements) await bare.query({ ...(name === undefined ? {} : { name: nameOf(text) }), text, values })
  return performance.now() - started
}

const names = new Map<string, string>()
function nameOf(text: string): string {
  const name = names.get(text) ?? `bench-${names.size}`
  names.set(text, name)
  return name
}

/** Returns the mean duration of one page view in milliseconds of wall-clock time. */
async function time({ page, side, seconds }: { page: string; side: 'ours' | 'bare'; seconds: number }): Promise<number> {
  const at = await openedDesk()
  const asked = at.pages[page]!
  const until = performance.now() + seconds * 1000
  let [spent, runs] = [0, 0]
  do {
    spent += side === 'ours' ? await firstByte(asked.url, at.headers) : await bareStatements(at, asked)
    runs++
  } while (performance.now() < until)
  return spent / runs
}

const found = async () => {
  const { pages, loadedIn } = await openedDesk()
  const pageFigures = Object.entries(pages).map(
    ([name, { statements, bytes }]) => [name, { statements: statements.length, bytes }] as const,
  )
  return { people: PEOPLE, large: LARGE, loadedIn: Math.round(loadedIn), pages: Object.fromEntries(pageFigures) }
}

serveRequests({ time, found, end: async () => (await desk)?.end() })
