import { Agent, createServer, request } from 'node:http'
import pg from 'pg'
import { createRestClient } from '../../test/support/rest.ts'
import { chooseFreeBaseUrl, serve } from '../../test/support/server.ts'
import { newWorld } from '../../test/support/world.ts'
import { serveRequests } from '../child.ts'
import { loadRegistrations } from '../support/many-registrations.ts'
import { recordStatements, type RecordedStatement } from './statements.ts'
import { scaleRows } from '../size.ts'

const recorder = recordStatements(pg.Client)

/** The number of participants of both events. The small event has the size with which the specification compares the large one. */
const PEOPLE = Number(process.env['BENCH_PEOPLE'] ?? scaleRows(1_000_000, 2_000))
const SMALL = scaleRows(100_000, 1_000)
/** The number of pages before the first measured page. */
const PAGES_BEFORE = scaleRows(50, 2)
/** The number of pages that are read in turn: more than the server caches, so that it reads the records of each. */
const PAGES_IN_TURN = scaleRows(100, 2)

interface Asked {
  path: string
  url: string
  headers: Record<string, string>
  status: number
}

interface Desk {
  works: Record<string, Asked[]>
  loadedIn: number
  bytes: number
  end: () => Promise<void>
}

let desk: Promise<Desk> | null = null
const openedDesk = () => (desk ??= openDesk())

async function openDesk(): Promise<Desk> {
  const world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const client = await world.client({ code: 'acme' })
  const [large, small] = [await world.event({ at: client, code: 'large' }), await world.event({ at: client, code: 'small' })]
  const started = performance.now()
  const eventIds = [large.eventId, small.eventId]
  // Only participants on the requested pages get orders.
  const ordering = Math.min(PEOPLE - SMALL, scaleRows(120_000))
  await loadRegistrations(world.database.pool, { tenantId: large.tenantId, eventIds, large: PEOPLE - SMALL, all: PEOPLE, ordering })
  const loadedIn = (performance.now() - started) / 1000
  const served = await serve(world)
  const api = await createRestClient(world, served, large.tenantId, { clients: [client] })
  const headers = { authorization: `Bearer ${api.token}` }

  /** Returns the addresses of pages far from the beginning, because the first ones are cached. */
  const pagesOf = async (eventCode: string) => {
    const path = `/v1/participants?limit=200&eventCode=${eventCode}`
    let { nextCursor } = (await api.get(path)).json.pageInfo
    const found: Asked[] = []
    for (let page = 1; page < PAGES_BEFORE + PAGES_IN_TURN; page++) {
      const next = `${path}&cursor=${nextCursor}`
      if (page >= PAGES_BEFORE) found.push({ path: next, url: served.url(next), headers, status: 200 })
      ;({ nextCursor } = (await api.get(next)).json.pageInfo)
    }
    return found
  }
  const pages = await pagesOf('large')
  recorder.record()
  const firstResponse = await api.get(pages[0]!.path)
  const { statements } = recorder.recorded()
  const bare = await listenBare(world.url!, statements)
  const end = async () => {
    bare.close()
    // Closing a test world scans all of its rows for leaked tokens, which would take too long for a million. They are deleted first.
    await world.database.pool.query('truncate participants cascade')
    await world.end()
  }
  return {
    works: {
      page: pages,
      bare: [{ ...pages[0]!, url: `http://127.0.0.1:${(bare.address() as { port: number }).port}/` }],
      unchanged: [{ ...pages[0]!, headers: { ...headers, 'if-none-match': firstResponse.headers['etag']! }, status: 304 }],
      small: await pagesOf('small'),
    },
    loadedIn,
    bytes: firstResponse.text.length,
    end,
  }
}

/** Runs the same prepared statements in sequence and returns their text as the response: no checks, rate limits, encryption or log. */
async function listenBare(url: string, statements: readonly RecordedStatement[]) {
  const pool = new pg.Pool({ connectionString: url, max: 10, idleTimeoutMillis: 0 })
  const server = createServer((_request, response) => {
    void (async () => {
      let rows: { object?: string }[] = []
      for (const [n, { text, values }] of statements.entries()) rows = (await pool.query({ name: `bench-${n}`, text, values })).rows
      const data = rows.slice(0, 200).map(({ object }) => object)
      const body = `{"data":[${data.join(',')}],"pageInfo":{"nextCursor":null,"hasMore":true}}`
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      response.end(body)
    })()
  })
  server.on('close', () => void pool.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** Sends one request on an open connection, and ignores the body of the response. */
const ask = ({ url, headers, status }: Asked): Promise<void> =>
  new Promise((resolve, reject) => {
    request(url, { headers, agent }, (response) => {
      if (response.statusCode !== status) reject(new Error(`answered ${response.statusCode} instead of ${status}`))
      response.resume().on('end', resolve)
    })
      .on('error', reject)
      .end()
  })

/** The index of the next page to request. A measurement continues where the last one ended. */
let requests = 0

/** Returns the mean duration of one request in milliseconds of wall-clock time. */
async function time({ work, seconds }: { work: string; seconds: number }): Promise<number> {
  const asked = (await openedDesk()).works[work]!
  const until = performance.now() + seconds * 1000
  let [spent, runs] = [0, 0]
  do {
    const started = performance.now()
    await ask(asked[requests++ % asked.length]!)
    spent += performance.now() - started
    runs++
  } while (performance.now() < until)
  return spent / runs
}

const found = async () => {
  const { loadedIn, bytes } = await openedDesk()
  return { people: PEOPLE, small: SMALL, loadedIn: Math.round(loadedIn), kilobytes: Math.round(bytes / 1024) }
}

serveRequests({ time, found, end: async () => (await desk)?.end() })
