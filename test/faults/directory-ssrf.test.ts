import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Fetcher } from '../../src/kernel/fetcher.ts'
import { isPublicAddress } from '../../src/platform/public-address.ts'
import { soakSample } from '../support/soak.ts'
import { newWorld, type OrganizerHandle, type World } from '../support/world.ts'
import { type SsrfLab, PUBLIC_ADDRESSES, startLab } from './ssrf-lab.ts'
import { DIRECT_PAYLOADS, type Payload, REDIRECT_PAYLOADS } from './ssrf-payloads.ts'

/** Each address as typed and with HTTPS. Plain HTTP is always rejected for its scheme, which would hide the other checks. */
const HTTP_AND_HTTPS_PAYLOADS: readonly Payload[] = [
  ...DIRECT_PAYLOADS,
  ...DIRECT_PAYLOADS.map((one) => ({ ...one, url: one.url.replace(/^http:/i, 'https:') })),
].filter(({ url }, at, all) => url.trim() !== '' && !url.includes('nothing.test') && all.findIndex((one) => one.url === url) === at)
/**
 * Every forbidden address is tried when a connection is created. Changes of a connection try a sample of them, and all of them in a soak
 * run.
 */
const SAMPLED_PAYLOADS = soakSample(HTTP_AND_HTTPS_PAYLOADS, 5)
const names = DIRECT_PAYLOADS[0]!.names
const inputs = { email: 'ada@example.org' }

let lab: SsrfLab
let world: World
let olga: OrganizerHandle
let at: { eventCode: string }

/** A fetcher without any checks. */
const unguarded: Fetcher = {
  check: () => Promise.resolve(),
  fetch: async (url) => ({ status: 200, headers: {}, body: Buffer.from(await lab.fetchUnguarded(url)), url }),
}
let guard: Fetcher

beforeAll(async () => {
  lab = await startLab()
  guard = lab.fetcher()
  // The services keep one fetcher; this indirection lets a test replace the guard behind it.
  world = await newWorld({ fetcher: { check: (...args) => guard.check(...args), fetch: (...args) => guard.fetch(...args) } })
  const event = await world.event()
  olga = await world.organizer({ at: event })
  at = { eventCode: event.eventCode }
})
afterAll(async () => {
  await world.end()
  await lab[Symbol.asyncDispose]()
})

async function connect(name: string, more: object = {}): Promise<string> {
  lab.setNames(names)
  const { connection } = await olga.call('create_directory_connection', {
    ...at,
    name,
    preset: 'generic-rest',
    baseUrl: 'https://public.test',
    ...more,
  })
  return connection.code
}
const configure = (connection: string, edit: object) => olga.answer('configure_directory_connection', { ...at, connection, ...edit })
async function testOf(connection: string) {
  await world.database.pool.query('delete from rate_windows')
  return olga.answer('test_directory_connection', { ...at, connection, inputs })
}
const lookup = (path: string) => ({ path, query: {}, inputs: [], resultPath: '$' })

/**
 * Runs a function for each forbidden address. None may be accepted or reach a canary (a server that counts forbidden connections) or a
 * non-public address.
 */
async function leaks(
  payloads: readonly Payload[],
  attempt: (payload: Payload) => Promise<{ isError?: boolean; _meta?: Record<string, any> }>,
) {
  const [before, dialled] = [lab.countConnections(), lab.dialled.length]
  const taken: string[] = []
  for (const payload of payloads) {
    lab.setNames(payload.names)
    const { isError, _meta } = await attempt(payload)
    const code = isError ? (_meta!['lanyard/error'] as { code: string }).code : 'taken'
    if (code !== 'invalid_arguments') taken.push(`${payload.url} → ${code}`)
  }
  expect(lab.countConnections() - before, 'connections to a canary').toBe(0)
  expect(lab.dialled.slice(dialled).filter((address) => !isPublicAddress(address))).toEqual([])
  return taken
}

describe('forbidden address of a member directory', () => {
  it(`rejects ${HTTP_AND_HTTPS_PAYLOADS.length} forbidden addresses when a connection is created`, async () => {
    const create = ({ url }: Payload) =>
      olga.answer('create_directory_connection', { ...at, name: 'Leak', preset: 'generic-rest', baseUrl: url })
    expect(await leaks(HTTP_AND_HTTPS_PAYLOADS, create)).toEqual([])
  })

  it(`rejects ${SAMPLED_PAYLOADS.length} forbidden addresses when the base URL or token URL of a connection is changed`, async () => {
    const connection = await connect('Changed')
    expect(await leaks(SAMPLED_PAYLOADS, ({ url }) => configure(connection, { baseUrl: url }))).toEqual([])
    const kind = 'oauth2ClientCredentials'
    expect(await leaks(SAMPLED_PAYLOADS, ({ url }) => configure(connection, { auth: { kind, settings: { tokenUrl: url } } }))).toEqual([])
    const { connection: untouched } = await olga.call('describe_directory_connection', { ...at, connection })
    expect(untouched).toMatchObject({ baseUrl: 'https://public.test', auth: { kind: 'none' }, revision: 1 })
    await olga.call('delete_directory_connection', { ...at, connection })
  })

  it('allows no placeholders in the host of a directory address, so that settings cannot assemble a forbidden address', async () => {
    const org = '127.0.0.1'
    const host = { auth: { kind: 'oauth2ClientCredentials', settings: { tokenUrl: 'https://{{setting.org}}/token' } }, settings: { org } }
    const free = await connect('Free')
    expect((await configure(free, host)).isError).toBe(true)
    expect((await configure(free, { baseUrl: 'https://{{setting.org}}/', settings: { org } })).isError).toBe(true)
    await olga.call('delete_directory_connection', { ...at, connection: free })

    // A setting inside the path stays inside the path.
    const [before, dialled] = [lab.countConnections(), lab.dialled.length]
    const known = { ...names, 'login.microsoftonline.com': [...PUBLIC_ADDRESSES], 'crm.test': [...PUBLIC_ADDRESSES] }
    lab.setNames(known)
    const preset = { name: 'Dynamics', preset: 'dynamics', baseUrl: 'https://crm.test', settings: { tenantId: 'x' } }
    const { connection } = await olga.call('create_directory_connection', { ...at, ...preset })
    for (const name of ['clientId', 'clientSecret'])
      await olga.call('set_directory_credential', { ...at, connection: connection.code, name, value: 'a-client-secret' })
    for (const { url } of soakSample(HTTP_AND_HTTPS_PAYLOADS, 13)) {
      lab.setNames(known)
      const { isError } = await configure(connection.code, { settings: { tenantId: `@${url}` } })
      if (!isError) await testOf(connection.code)
    }
    expect(lab.dialled.length).toBeGreaterThan(dialled)
    expect(new Set(lab.dialled.slice(dialled))).toEqual(new Set([PUBLIC_ADDRESSES[0]]))
    expect(lab.countConnections() - before).toBe(0)
    await olga.call('delete_directory_connection', { ...at, connection: connection.code })
  })

  it('rejects a directory call if the directory’s host name now resolves to a private address', async () => {
    const before = lab.countConnections()
    const connection = await connect('Turning')
    await olga.call('configure_directory_requests', { ...at, connection, lookup: lookup('/members') })
    for (const name of Object.keys(names).filter((one) => one !== 'public.test')) {
      lab.setNames({ [name]: [...PUBLIC_ADDRESSES] })
      const { isError } = await configure(connection, { baseUrl: `https://${name}` })
      // A name that parses as an IP address is never resolved.
      if (isError) continue
      lab.setNames(names)
      const { structuredContent: result } = await testOf(connection)
      expect([name, result.steps.at(-1)]).toEqual([name, expect.objectContaining({ name: 'resolve', ok: false })])
      // The name resolves to a public address first and to a private one later in the same call.
      lab.setNames({ [name]: [[PUBLIC_ADDRESSES[0]], ['127.0.0.1']] })
      expect((await testOf(connection)).structuredContent).toMatchObject({ ok: false, outcome: 'error' })
    }
    expect(lab.countConnections() - before).toBe(0)
    await olga.call('delete_directory_connection', { ...at, connection })
  })

  const paths = soakSample(
    [...new Set(REDIRECT_PAYLOADS.flatMap(({ url }) => [url, url.replaceAll('http%3A', 'https%3A')]).map((url) => new URL(url).pathname))],
    5,
  )

  it(`rejects ${paths.length} redirects of a permitted directory to forbidden addresses`, async () => {
    const [before, dialled] = [lab.countConnections(), lab.dialled.length]
    const connection = await connect('Redirecting')
    const answered: string[] = []
    await olga.call('configure_directory_requests', { ...at, connection, lookup: lookup(paths[0]!) })
    for (const path of paths) {
      lab.setNames(names)
      await world.database.pool.query(
        `update directory_connections set requests = jsonb_set(requests, '{lookup,path}', to_jsonb($1::text)) where code = $2`,
        [path, connection],
      )
      const { structuredContent: result } = await testOf(connection)
      // The public page is not JSON, so any parsed response came from elsewhere.
      if (result.outcome !== 'error') answered.push(path)
    }
    expect(answered).toEqual([])
    expect(lab.countConnections() - before, 'connections to a canary').toBe(0)
    const dialledSince = lab.dialled.slice(dialled)
    expect(dialledSince.length).toBeGreaterThan(paths.length / 3)
    expect(dialledSince.filter((address) => !isPublicAddress(address))).toEqual([])
    await olga.call('delete_directory_connection', { ...at, connection })
  })

  it('control: without the address check, the same directory calls reach private servers', async () => {
    const connection = await connect('Unguarded')
    await olga.call('configure_directory_requests', { ...at, connection, lookup: lookup('/members') })
    guard = unguarded
    const before = lab.countConnections()
    let tried = 0
    for (const payload of HTTP_AND_HTTPS_PAYLOADS.filter(({ url }) => /^https:\/\/[^\s@?#\\]+$/.test(url)).slice(0, 150)) {
      lab.setNames(payload.names)
      if ((await configure(connection, { baseUrl: payload.url })).isError) continue
      tried++
      await testOf(connection)
    }
    await configure(connection, { baseUrl: 'https://public.test' })
    lab.setNames(names)
    await olga.call('configure_directory_requests', {
      ...at,
      connection,
      lookup: lookup(`/to/302/${encodeURIComponent('https://127.0.0.1/')}`),
    })
    const direct = lab.countConnections() - before
    await testOf(connection)
    expect(lab.countConnections() - before - direct, 'behind a redirect').toBe(1)
    guard = lab.fetcher()
    expect(tried).toBeGreaterThan(100)
    expect(direct).toBeGreaterThan(tried * 0.7)
    await olga.call('delete_directory_connection', { ...at, connection })
  })
})
