import { Agent, createServer, request } from 'node:http'
import pg from 'pg'
import { restClientAt } from '../../test/support/rest.ts'
import { freeBaseUrl, serve } from '../../test/support/server.ts'
import { newWorld } from '../../test/support/world.ts'
import { answer } from '../child.ts'
import { loadRegistrations } from '../support/many-registrations.ts'
import { recordStatements, type Statement } from './statements.ts'

const recorder = recordStatements(pg.Client)

/** Of the large event; the small one has what the specification compares it with. */
const PEOPLE = Number(process.env['BENCH_PEOPLE'] ?? 1_000_000)
const SMALL = 100_000

interface Asked {
  url: string
  headers: Record<string, string>
  status: number
}

interface Desk {
  works: Record<string, Asked>
  loadedIn: number
  bytes: number
  end: () => Promise<void>
}

let desk: Promise<Desk> | null = null
const openedDesk = () => (desk ??= openDesk())

async function openDesk(): Promise<Desk> {
  const world = await newWorld({ baseUrl: await freeBaseUrl() })
  const client = await world.client({ code: 'acme' })
  const [large, small] = [await world.event({ at: client, code: 'large' }), await world.event({ at: client, code: 'small' })]
  const started = performance.now()
  const eventIds = [large.eventId, small.eventId]
  // Pages far behind these are not asked for.
  const ordering = Math.min(PEOPLE - SMALL, 120_000)
  await loadRegistrations(world.database.pool, { tenantId: large.tenantId, eventIds, large: PEOPLE - SMALL, all: PEOPLE, ordering })
  const loadedIn = (performance.now() - started) / 1000
  const served = await serve(world)
  const api = await restClientAt(world, served, large.tenantId, { clients: [client] })
  const headers = { authorization: `Bearer ${api.token}` }

  /** A page far from the beginning: beside the first ones, which everybody has asked for before. */
  const pageOf = async (eventCode: string) => {
    const path = `/v1/participants?limit=200&eventCode=${eventCode}`
    let { nextCursor } = (await api.get(path)).json.pageInfo
    for (let pages = 0; pages < 50; pages++) ({ nextCursor } = (await api.get(`${path}&cursor=${nextCursor}`)).json.pageInfo)
    return `${path}&cursor=${nextCursor}`
  }
  const path = await pageOf('large')
  const page: Asked = { url: served.url(path), headers, status: 200 }
  recorder.record()
  const told = await api.get(path)
  const { statements } = recorder.recorded()
  const bare = await listenBare(world.url!, statements)
  const end = async () => {
    bare.close()
    // Whoever ends a world looks through all of its rows, which a million are too many for.
    await world.database.pool.query('truncate participants cascade')
    await world.end()
  }
  return {
    works: {
      page,
      bare: { ...page, url: `http://127.0.0.1:${(bare.address() as { port: number }).port}/` },
      unchanged: { ...page, headers: { ...headers, 'if-none-match': told.headers['etag']! }, status: 304 },
      small: { ...page, url: served.url(await pageOf('small')) },
    },
    loadedIn,
    bytes: told.text.length,
    end,
  }
}

/** The same statements one after another, named, and their text sent on: nothing is checked, counted, sealed or logged. */
async function listenBare(url: string, statements: readonly Statement[]) {
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

/** One request over a connection that is open already; its body is read and not looked at. */
const ask = ({ url, headers, status }: Asked): Promise<void> =>
  new Promise((resolve, reject) => {
    request(url, { headers, agent }, (response) => {
      if (response.statusCode !== status) reject(new Error(`answered ${response.statusCode} instead of ${status}`))
      response.resume().on('end', resolve)
    })
      .on('error', reject)
      .end()
  })

/** Milliseconds for one of them, by the clock. */
async function time({ work, seconds }: { work: string; seconds: number }): Promise<number> {
  const asked = (await openedDesk()).works[work]!
  const until = performance.now() + seconds * 1000
  let [spent, runs] = [0, 0]
  do {
    const started = performance.now()
    await ask(asked)
    spent += performance.now() - started
    runs++
  } while (performance.now() < until)
  return spent / runs
}

const found = async () => {
  const { loadedIn, bytes } = await openedDesk()
  return { people: PEOPLE, small: SMALL, loadedIn: Math.round(loadedIn), kilobytes: Math.round(bytes / 1024) }
}

answer({ time, found, end: async () => (await desk)?.end() })
