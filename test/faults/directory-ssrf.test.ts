import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Fetcher } from '../../src/kernel/fetcher.ts'
import { isPublicAddress } from '../../src/platform/public-address.ts'
import { sampled } from '../support/soak.ts'
import { newWorld, type OrganizerHandle, type World } from '../support/world.ts'
import { type Lab, PUBLIC, startLab } from './ssrf-lab.ts'
import { DIRECT, type Payload, REDIRECTED } from './ssrf-payloads.ts'

/** As typed and as HTTPS: plain HTTP is rejected for its scheme alone, which would hide the other checks. */
const SECURED: readonly Payload[] = [...DIRECT, ...DIRECT.map((one) => ({ ...one, url: one.url.replace(/^http:/i, 'https:') }))].filter(
  ({ url }, at, all) => url.trim() !== '' && !url.includes('nothing.test') && all.findIndex((one) => one.url === url) === at,
)
/** Every payload is tried when a connection is created. Other ways use a sample, and all of them in a soak run. */
const SECURED_SOME = sampled(SECURED, 5)
const names = DIRECT[0]!.names
const inputs = { email: 'ada@example.org' }

let lab: Lab
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
  lab.name(names)
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

/** Runs a function for each payload. None may be accepted or reach a canary or a non-public address. */
async function leaks(
  payloads: readonly Payload[],
  attempt: (payload: Payload) => Promise<{ isError?: boolean; _meta?: Record<string, any> }>,
) {
  const [before, dialled] = [lab.counted(), lab.dialled.length]
  const taken: string[] = []
  for (const payload of payloads) {
    lab.name(payload.names)
    const { isError, _meta } = await attempt(payload)
    const code = isError ? (_meta!['lanyard/error'] as { code: string }).code : 'taken'
    if (code !== 'invalid_arguments') taken.push(`${payload.url} → ${code}`)
  }
  expect(lab.counted() - before, 'connections to a canary').toBe(0)
  expect(lab.dialled.slice(dialled).filter((address) => !isPublicAddress(address))).toEqual([])
  return taken
}

describe('forbidden directory address', () => {
  it(`is rejected in ${SECURED.length} forms when a connection is created`, async () => {
    const create = ({ url }: Payload) =>
      olga.answer('create_directory_connection', { ...at, name: 'Leak', preset: 'generic-rest', baseUrl: url })
    expect(await leaks(SECURED, create)).toEqual([])
  })

  it(`is rejected in ${SECURED_SOME.length} forms when the base URL or token URL of a connection is changed`, async () => {
    const connection = await connect('Changed')
    expect(await leaks(SECURED_SOME, ({ url }) => configure(connection, { baseUrl: url }))).toEqual([])
    const kind = 'oauth2ClientCredentials'
    expect(await leaks(SECURED_SOME, ({ url }) => configure(connection, { auth: { kind, settings: { tokenUrl: url } } }))).toEqual([])
    const { connection: untouched } = await olga.call('describe_directory_connection', { ...at, connection })
    expect(untouched).toMatchObject({ baseUrl: 'https://public.test', auth: { kind: 'none' }, revision: 1 })
    await olga.call('delete_directory_connection', { ...at, connection })
  })

  it('allows no placeholders in hosts, so that settings cannot assemble a forbidden address', async () => {
    const org = '127.0.0.1'
    const host = { auth: { kind: 'oauth2ClientCredentials', settings: { tokenUrl: 'https://{{setting.org}}/token' } }, settings: { org } }
    const free = await connect('Free')
    expect((await configure(free, host)).isError).toBe(true)
    expect((await configure(free, { baseUrl: 'https://{{setting.org}}/', settings: { org } })).isError).toBe(true)
    await olga.call('delete_directory_connection', { ...at, connection: free })

    // A setting inside the path stays inside the path.
    const [before, dialled] = [lab.counted(), lab.dialled.length]
    const known = { ...names, 'login.microsoftonline.com': [...PUBLIC], 'crm.test': [...PUBLIC] }
    lab.name(known)
    const preset = { name: 'Dynamics', preset: 'dynamics', baseUrl: 'https://crm.test', settings: { tenantId: 'x' } }
    const { connection } = await olga.call('create_directory_connection', { ...at, ...preset })
    for (const name of ['clientId', 'clientSecret'])
      await olga.call('set_directory_credential', { ...at, connection: connection.code, name, value: 'a-client-secret' })
    for (const { url } of sampled(SECURED, 13)) {
      lab.name(known)
      const { isError } = await configure(connection.code, { settings: { tenantId: `@${url}` } })
      if (!isError) await testOf(connection.code)
    }
    expect(lab.dialled.length).toBeGreaterThan(dialled)
    expect(new Set(lab.dialled.slice(dialled))).toEqual(new Set([PUBLIC[0]]))
    expect(lab.counted() - before).toBe(0)
    await olga.call('delete_directory_connection', { ...at, connection: connection.code })
  })

  it('is rejected at the call if its name resolves to a private address by then', async () => {
    const before = lab.counted()
    const connection = await connect('Turning')
    await olga.call('configure_directory_requests', { ...at, connection, lookup: lookup('/members') })
    for (const name of Object.keys(names).filter((one) => one !== 'public.test')) {
      lab.name({ [name]: [...PUBLIC] })
      const { isError } = await configure(connection, { baseUrl: `https://${name}` })
      // A name that parses as an IP address is never resolved.
      if (isError) continue
      lab.name(names)
      const { structuredContent: result } = await testOf(connection)
      expect([name, result.steps.at(-1)]).toEqual([name, expect.objectContaining({ name: 'resolve', ok: false })])
      // The name resolves to a public address first and to a private one later in the same call.
      lab.name({ [name]: [[PUBLIC[0]], ['127.0.0.1']] })
      expect((await testOf(connection)).structuredContent).toMatchObject({ ok: false, outcome: 'error' })
    }
    expect(lab.counted() - before).toBe(0)
    await olga.call('delete_directory_connection', { ...at, connection })
  })

  const paths = sampled(
    [...new Set(REDIRECTED.flatMap(({ url }) => [url, url.replaceAll('http%3A', 'https%3A')]).map((url) => new URL(url).pathname))],
    5,
  )

  it(`is rejected behind ${paths.length} redirects of a permitted directory`, async () => {
    const [before, dialled] = [lab.counted(), lab.dialled.length]
    const connection = await connect('Redirecting')
    const answered: string[] = []
    await olga.call('configure_directory_requests', { ...at, connection, lookup: lookup(paths[0]!) })
    for (const path of paths) {
      lab.name(names)
      await world.database.pool.query(
        `update directory_connections set requests = jsonb_set(requests, '{lookup,path}', to_jsonb($1::text)) where code = $2`,
        [path, connection],
      )
      const { structuredContent: result } = await testOf(connection)
      // The public page is not JSON, so any parsed response came from elsewhere.
      if (result.outcome !== 'error') answered.push(path)
    }
    expect(answered).toEqual([])
    expect(lab.counted() - before, 'connections to a canary').toBe(0)
    const dialledSince = lab.dialled.slice(dialled)
    expect(dialledSince.length).toBeGreaterThan(paths.length / 3)
    expect(dialledSince.filter((address) => !isPublicAddress(address))).toEqual([])
    await olga.call('delete_directory_connection', { ...at, connection })
  })

  it('control: the same calls reach the canaries without the guard', async () => {
    const connection = await connect('Unguarded')
    await olga.call('configure_directory_requests', { ...at, connection, lookup: lookup('/members') })
    guard = unguarded
    const before = lab.counted()
    let tried = 0
    for (const payload of SECURED.filter(({ url }) => /^https:\/\/[^\s@?#\\]+$/.test(url)).slice(0, 150)) {
      lab.name(payload.names)
      if ((await configure(connection, { baseUrl: payload.url })).isError) continue
      tried++
      await testOf(connection)
    }
    await configure(connection, { baseUrl: 'https://public.test' })
    lab.name(names)
    await olga.call('configure_directory_requests', {
      ...at,
      connection,
      lookup: lookup(`/to/302/${encodeURIComponent('https://127.0.0.1/')}`),
    })
    const direct = lab.counted() - before
    await testOf(connection)
    expect(lab.counted() - before - direct, 'behind a redirect').toBe(1)
    guard = lab.fetcher()
    expect(tried).toBeGreaterThan(100)
    expect(direct).toBeGreaterThan(tried * 0.7)
    await olga.call('delete_directory_connection', { ...at, connection })
  })
})
