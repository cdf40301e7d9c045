import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Fetcher } from '../../src/kernel/fetcher.ts'
import { sendHttp, resetRateLimits } from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { authorizePath, obtainCode, newPkce, refresh, type Stage, openSignedInVisitor, requestStatus } from './flow.ts'
import { type Internet, createJsonListener, startInternet } from './internet.ts'

const APP = 'https://app.example/oauth/client.json'
const URI = 'https://app.example/cb'
const { challenge } = newPkce()

let stage: Stage
let internet: Internet
let fresh = 0
/** The timeout that the server set for its last fetch. */
let allowedMs: number | undefined
let shortTimeout = false

const recordTimeout = ({ fetch, ...rest }: Fetcher): Fetcher => ({
  ...rest,
  fetch(url, options) {
    allowedMs = options?.timeoutMs
    return fetch(url, shortTimeout ? { ...options, timeoutMs: 200 } : options)
  },
})

beforeAll(async () => {
  internet = await startInternet()
  const world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const olga = await world.organizer()
  const served = await serve(world, { extras: { fetcher: recordTimeout(internet.fetcher) } })
  stage = { world, served, olga, end: () => world.end() }
})
beforeEach(async () => {
  shortTimeout = false
  internet.down = false
  internet.dialled.length = 0
  internet.requests.length = 0
  await resetRateLimits(stage.world)
  await stage.world.clock.reset()
})
afterAll(async () => {
  await stage.end()
  await internet.stop()
})

const open = (client_id: string, redirect_uri = URI) => sendHttp(stage.served.url(authorizePath(client_id, challenge, { redirect_uri })))
const reachesConsent = async (id: string, uri = URI) => (await open(id, uri)).headers.location?.includes('/api/oauth/consent') ?? false

/** Publishes a client metadata document at an address that was never fetched. */
function publish(changes: Record<string, unknown> = {}, page?: Parameters<typeof internet.pages.set>[1]): string {
  const at = `app.example/apps/${++fresh}.json`
  const id = `https://${at}`
  internet.pages.set(
    at,
    page ??
      createJsonListener({ client_id: id, client_name: 'Claude Code', redirect_uris: [URI, 'http://localhost/callback'], ...changes }),
  )
  return id
}

describe('client metadata document', () => {
  it("connects an app by its client metadata document, and names the document's host if the redirect host differs", async () => {
    const id = publish({ redirect_uris: ['https://other.example/cb'] })
    const olga = await openSignedInVisitor(stage, stage.olga.userId)
    const page = await olga.follow(await olga.go(authorizePath(id, challenge, { redirect_uri: 'https://other.example/cb' })))
    expect(page.text).toContain('Claude Code')
    expect(page.text).toMatch(/returns to <b[^>]*>other\.example/)
    expect(page.text).toMatch(/described at <b[^>]*>app\.example/)
    const { redeem } = await obtainCode(stage, olga, { client_id: id }, { redirect_uri: 'https://other.example/cb' })
    const { status, json: tokens } = await redeem()
    expect(status).toBe(200)
    expect(await requestStatus(stage.served, tokens.access_token)).toBe(200)
    expect((await refresh(stage.served, { client_id: id }, tokens.refresh_token)).status).toBe(200)
    expect(internet.requests).toHaveLength(1)
  })

  it("allows any loopback port for a client metadata document, and shows the document's own host", async () => {
    const id = publish()
    const olga = await openSignedInVisitor(stage, stage.olga.userId)
    const page = await olga.follow(await olga.go(authorizePath(id, challenge, { redirect_uri: 'http://localhost:50123/callback' })))
    expect(page.text).toContain('this computer (localhost:50123)')
    expect(page.text).toMatch(/described at <b[^>]*>app\.example/)
  })

  it('caches a client metadata document for an hour, fetches it again afterwards, and reuses it while its host is down', async () => {
    const id = publish()
    expect([await reachesConsent(id), await reachesConsent(id)]).toEqual([true, true])
    expect(internet.requests).toHaveLength(1)
    await stage.world.clock.advance('61 minutes')
    internet.down = true
    expect(await reachesConsent(id)).toBe(true)
    internet.down = false
    expect(await reachesConsent(id)).toBe(true)
    expect(internet.requests).toHaveLength(2)
    // A changed document replaces the cached one; a deleted document invalidates it.
    await stage.world.clock.advance('61 minutes')
    internet.pages.set(id.slice(8), createJsonListener({ client_id: id, client_name: 'x', redirect_uris: ['https://elsewhere.example/'] }))
    expect(await reachesConsent(id)).toBe(false)
    await stage.world.clock.advance('61 minutes')
    internet.pages.delete(id.slice(8))
    expect(await reachesConsent(id, 'https://elsewhere.example/')).toBe(false)
  })

  it.each([
    ['another client_id', { client_id: APP }],
    ['no client_id', { client_id: undefined }],
    ['a secret', { client_secret: 'x' }],
    ['a confidential authentication method', { token_endpoint_auth_method: 'client_secret_post' }],
    ['a key', { token_endpoint_auth_method: 'private_key_jwt' }],
    ['no address', { redirect_uris: [] }],
    ['only invalid addresses', { redirect_uris: ['javascript:alert(1)', 'http://evil.test/'] }],
  ])('rejects a client metadata document that contains %s', async (_what, changes) => {
    const id = publish(changes)
    const answer = await open(id)
    expect([answer.status, answer.headers.location]).toEqual([400, undefined])
    expect(internet.requests).toHaveLength(1)
  })

  it.each<[string, Parameters<Internet['pages']['set']>[1]]>([
    ['redirects', (_q, r) => void r.writeHead(302, { location: 'https://app.example/other.json' }).end()],
    ['is larger than 10 KB', (_q, r) => void r.writeHead(200, { 'content-type': 'application/json' }).end(`{"a":"${'x'.repeat(11_000)}"}`)],
    ['is not JSON', (_q, r) => void r.writeHead(200, { 'content-type': 'application/json' }).end('<html>')],
    ['is a list', (_q, r) => void r.writeHead(200, { 'content-type': 'application/json' }).end('[]')],
    ['is a web page', (_q, r) => void r.writeHead(200, { 'content-type': 'text/html' }).end('{}')],
    ['is not found', (_q, r) => void r.writeHead(404).end()],
    ['fails', (_q, r) => void r.writeHead(500).end()],
  ])('rejects a client metadata document when its HTTP response %s', async (_what, page) => {
    const answer = await open(publish({}, page))
    expect([answer.status, answer.headers.location]).toEqual([400, undefined])
    expect(internet.requests).toHaveLength(1)
  })

  it('rejects a client metadata document when the fetch takes longer than 5 seconds', async () => {
    shortTimeout = true
    expect(await reachesConsent(publish({}, (_q, r) => void r.writeHead(200, { 'content-type': 'application/json' }).write('{')))).toBe(
      false,
    )
    expect(allowedMs).toBe(5000)
  })

  it.each([
    'https://app.example',
    'https://app.example/',
    'https://app.example/a/../client.json',
    'https://app.example/./client.json',
    'https://APP.example/client.json',
    'https://app.example:443/client.json',
    'https://user@app.example/client.json',
    'https://app.example/client.json#x',
    'https://127.0.0.1/client.json',
    'https://[::1]/client.json',
    'https://93.184.216.34/client.json',
    'https://0x7f.1/client.json',
    'https://2130706433/client.json',
    'http://app.example/client.json',
    'https:app.example/client.json',
    `https://app.example/${'a'.repeat(1000)}`,
  ])('does not fetch a client metadata document at the address %s', async (id) => {
    expect(await reachesConsent(id)).toBe(false)
    expect(internet.dialled).toEqual([])
  })

  it.each([
    '127.0.0.1',
    '10.0.0.8',
    '169.254.169.254',
    '192.168.1.1',
    '172.16.0.1',
    '100.64.0.1',
    '0.0.0.0',
    '::1',
    'fd00::1',
    'fe80::1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
  ])('does not fetch a client metadata document when its host name resolves to %s', async (address) => {
    const host = `inside-${++fresh}.example`
    internet.names.set(host, [address])
    internet.pages.set(`${host}/client.json`, createJsonListener({ client_id: `https://${host}/client.json`, redirect_uris: [URI] }))
    expect(await reachesConsent(`https://${host}/client.json`)).toBe(false)
    expect(internet.dialled).toEqual([])
  })

  it('fetches a client metadata document from the checked IP address, even if its host name then resolves to another one', async () => {
    internet.names.set('rebind.example', ['93.184.216.34', '127.0.0.1'])
    internet.pages.set(
      'rebind.example/client.json',
      createJsonListener({ client_id: 'https://rebind.example/client.json', redirect_uris: [URI] }),
    )
    expect(await reachesConsent('https://rebind.example/client.json')).toBe(true)
    expect(internet.dialled).toEqual(['93.184.216.34'])
  })

  it('fetches at most 200 client metadata documents concurrently for one IP address', async () => {
    await stage.world.database.pool.query(
      `insert into rate_windows (key, window_start, count) select 'oauth-document:' || a, lanyard_now() + interval '10 minutes', 1 from unnest(array['127.0.0.1', '0:0:0:0']) a`,
    )
    expect(await reachesConsent(publish())).toBe(false)
    expect(internet.dialled).toEqual([])
    await resetRateLimits(stage.world)
    expect(await reachesConsent(publish())).toBe(true)
  })
})
