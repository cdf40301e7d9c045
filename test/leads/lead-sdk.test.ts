import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  BadgeNotFoundError,
  InvalidActivationError,
  LeadClient,
  LeadError,
  LeadQueue,
  type LeadStore,
  MissingParameterError,
  NoConnectionError,
  NotLicensedError,
  TooManyRequestsError,
} from '../../clients/lead-sdk/lib/index.js'
import { createTestFolder } from '../support/folder.ts'
import { ANA_BADGE, openShowFloor, type ShowFloor } from '../support/lead-requests.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PACKAGE = join(ROOT, 'clients/lead-sdk')

/** A substitute for the browser's `localStorage` that survives a simulated page reload. */
function storage(): LeadStore {
  const kept = new Map<string, string>()
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) }
}

describe('lead SDK package', () => {
  it('declares no dependencies in the SDK package, and only modules that exist', () => {
    const described = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as Record<string, unknown>
    for (const name of ['dependencies', 'peerDependencies', 'scripts']) expect(described).not.toHaveProperty(name)
    const names = readdirSync(join(PACKAGE, 'lib'))
    expect(names).toEqual(expect.arrayContaining([described['main'], described['types']].map((path) => String(path).replace('./lib/', ''))))
    for (const name of names) {
      for (const [, from] of readFileSync(join(PACKAGE, 'lib', name), 'utf8').matchAll(/from '([^']+)'/g))
        expect(from).toMatch(/^\.\/[a-z]+\.js$/)
    }
  })
})

describe('lead SDK client', () => {
  let world: World
  let served: Served
  let floor: ShowFloor
  let company: { id: string; code: string }

  beforeAll(async () => {
    world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
    floor = await openShowFloor(world)
    company = await floor.createLicensedCompany()
    served = await serve(world)
  })
  afterAll(() => world.end())

  const clientOf = (options: Partial<ConstructorParameters<typeof LeadClient>[0]> = {}) => {
    const { badgeId: _, ...codes } = floor.leadRequest(company, ANA_BADGE)
    return new LeadClient({ baseUrl: `${served.baseUrl}/`, ...codes, ...options })
  }
  const refusal = (scan: Promise<unknown>) =>
    scan.then(
      () => null,
      (error: unknown) => error as LeadError,
    )

  it('returns the lead of a scanned badge, the sample lead and the test lead', async () => {
    expect(await clientOf().scan(`${ANA_BADGE}|Ana`)).toMatchObject({ badgeId: ANA_BADGE, captures: 1, fields: { firstName: 'Ana' } })
    expect(await clientOf().scan('0')).toMatchObject({ isTest: true })
    expect(await clientOf({ activationCode: '0', eventCode: 'any' }).scan('a&b=c+d%20')).toMatchObject({
      testEvent: true,
      badgeId: 'a&b=c+d%20',
    })
  })

  it('throws a specific SDK error for every error code of the service', async () => {
    const bare = await floor.exhibitors.company({ appointmentsEnabled: false })
    const cases = [
      [() => clientOf().scan(''), MissingParameterError, 'missing_parameter', 400],
      [() => clientOf({ activationCode: 'AAAA' }).scan('x'), InvalidActivationError, 'invalid_activation', 401],
      [() => clientOf({ activationCode: bare.code }).scan('x'), NotLicensedError, 'not_licensed', 403],
      [() => clientOf().scan('absent'), BadgeNotFoundError, 'badge_not_found', 404],
      [() => clientOf({ baseUrl: 'http://localhost:1' }).scan('x'), NoConnectionError, 'no_connection', 0],
    ] as const
    for (const [scan, kind, code, status] of cases) {
      const error = await refusal(scan())
      expect(error).toBeInstanceOf(kind)
      expect(error).toBeInstanceOf(LeadError)
      expect([error!.code, error!.status, error!.name]).toEqual([code, status, kind.name])
      expect(`${error!.message} ${error!.stack}`).not.toContain(company.code)
    }
    await world.database.pool.query(`update rate_windows set count = 600 where key like 'lead-code:%'`)
    const busy = await refusal(clientOf().scan(ANA_BADGE))
    expect(busy).toBeInstanceOf(TooManyRequestsError)
    expect([busy!.code, busy!.status, busy!.isPassing]).toEqual(['too_many_requests', 429, true])
    expect(busy!.retryAfter).toBeGreaterThan(0)
    await world.clock.advance('1 minute')
  })

  it('runs the scan and offline examples of the SDK documentation', async () => {
    const codes = [served.baseUrl, 'any', 'any', 'any', '0']
    const scanned = await run(process.execPath, [join(PACKAGE, 'examples/scan.mjs'), ...codes, 'x'])
    expect(scanned.stdout).toContain('Test Attendee, scanned 1 times')
    const folder = createTestFolder()
    const offline = execFile(process.execPath, [join(PACKAGE, 'examples/offline.mjs'), ...codes], { cwd: folder })
    let printed = ''
    offline.stdout!.on('data', (text) => (printed += text))
    offline.stdin!.end('a\nb\n')
    await new Promise((ended) => offline.on('close', ended))
    expect(printed).toBe('Test Attendee\nTest Attendee\n')
    const device = execFile(process.execPath, [join(PACKAGE, 'examples/device.mjs'), ...codes], { cwd: folder })
    printed = ''
    device.stdout!.on('data', (text) => (printed += text))
    device.stdin!.end('a\nb\n')
    await new Promise((ended) => device.on('close', ended))
    expect(printed).toBe('a device of Example Company\na: a new lead\nb: a new lead\n')
  })

  it("keeps lead scans in the SDK's queue while offline, and sends them once in scanning sequence", async () => {
    const store = storage()
    const received: string[] = []
    let broken = false
    const watching: typeof fetch = async (input, init) => {
      if (broken) throw new TypeError('the network is down')
      const answer = await fetch(input, init)
      received.push(new URL(String(input)).searchParams.get('badgeId')!)
      return answer
    }
    const people = ['q-1', 'q-2', 'q-3']
    for (const badge_id of people) await floor.people.person({ badge_id })
    const queue = new LeadQueue(clientOf({ fetch: watching }), { store })
    broken = true
    for (const badge of people) queue.add(badge)
    const down = await queue.flush()
    expect([down.sent, down.stopped?.code, queue.pending]).toEqual([[], 'no_connection', people])

    // After a page reload: pending scans exist, and new scans are added behind them.
    const reloaded = new LeadQueue(clientOf({ fetch: watching }), { store })
    expect(reloaded.pending).toEqual(people)
    reloaded.add('absent-at-all')
    reloaded.add('q-1')
    broken = false
    const [up, same] = await Promise.all([reloaded.flush(), reloaded.flush()])
    expect(same).toBe(up)
    expect(up.stopped).toBeNull()
    expect(up.sent.map((one) => ('lead' in one ? [one.badge, one.lead.captures] : [one.badge, one.error.code]))).toEqual([
      ['q-1', 1],
      ['q-2', 1],
      ['q-3', 1],
      ['absent-at-all', 'badge_not_found'],
      ['q-1', 2],
    ])
    expect(received).toEqual(['q-1', 'q-2', 'q-3', 'absent-at-all', 'q-1'])
    expect([reloaded.pending, await reloaded.flush()]).toEqual([[], { sent: [], stopped: null }])
  })

  it('stops sending queued lead scans at a network error, and continues from the same scan', async () => {
    const store = storage()
    let left = 2
    const failing: typeof fetch = (input, init) => (left-- > 0 ? fetch(input, init) : Promise.reject(new TypeError('gone')))
    for (const badge_id of ['r-1', 'r-2', 'r-3']) await floor.people.person({ badge_id })
    const queue = new LeadQueue(clientOf({ fetch: failing }), { store })
    for (const badge of ['r-1', 'r-2', 'r-3']) queue.add(badge)
    const { sent, stopped } = await queue.flush()
    expect([sent.map(({ badge }) => badge), stopped?.code, queue.pending]).toEqual([['r-1', 'r-2'], 'no_connection', ['r-3']])
    left = 1
    expect((await queue.flush()).sent.map(({ badge }) => badge)).toEqual(['r-3'])
  })

  it("keeps lead scans in the SDK's queue that were rejected for a wrong activation code", async () => {
    const store = storage()
    const wrong = new LeadQueue(clientOf({ activationCode: 'AAAA' }), { store })
    wrong.add(ANA_BADGE)
    expect((await wrong.flush()).stopped?.code).toBe('invalid_activation')
    expect((await new LeadQueue(clientOf(), { store }).flush()).sent).toHaveLength(1)
  })

  it('treats a response that does not come from Lanyard as a network error', async () => {
    const portal: Server = createServer((_request, response) => response.end('<h1>Sign in to this network</h1>'))
    await new Promise<void>((listening) => portal.listen(0, '127.0.0.1', listening))
    const { port } = portal.address() as AddressInfo
    const error = await refusal(clientOf({ baseUrl: `http://127.0.0.1:${port}` }).scan('x'))
    portal.close()
    expect([error!.code, error!.status, error!.isPassing]).toEqual(['unexpected_answer', 0, true])
  })

  it("ignores values in the device's storage that the SDK does not recognize", () => {
    const store = storage()
    store.setItem('lanyard-leads', '{')
    expect(new LeadQueue(clientOf(), { store }).pending).toEqual([])
    store.setItem('lanyard-leads', '[1, "a", null]')
    expect(new LeadQueue(clientOf(), { store }).pending).toEqual(['a'])
  })
})
