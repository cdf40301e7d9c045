import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storeLeadCaptureBatch, type LeadCaptureResult, type SentLeadCapture } from '../../src/domains/exhibitors/devices/capture.ts'
import { readDeviceSettings, verifyDevice } from '../../src/domains/exhibitors/devices/verify-device.ts'
import { scanBadge } from '../../src/domains/exhibitors/scan.ts'
import { Secret } from '../../src/kernel/secrets.ts'
import { respondToDeviceActivation } from '../../src/surfaces/leads/activate-device.ts'
import type { AppServices } from '../../src/surfaces/services.ts'
import { buildActivation, ANA_BADGE, requestDevice, openShowFloor, type ShowFloor } from '../support/lead-requests.ts'
import { startProcess } from '../support/process.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { soakRounds } from '../support/soak.ts'
import { openTwoServers } from '../support/two-servers.ts'
import { newWorld, type World } from '../support/world.ts'

const postgres = process.env['TEST_DATABASE_URL'] !== undefined

let world: World
let floor: ShowFloor
let served: Served
let servers: AppServices[]
let scanned = 0

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  floor = await openShowFloor(world)
  served = await serve(world)
  servers = (await openTwoServers(world)).map(({ services }) => services)
})
afterAll(() => world.end())

interface Company {
  id: string
  code: string
}

const rows = async <T = Record<string, unknown>>(query: string, ...values: unknown[]) =>
  (await world.database.pool.query<T & object>(query, values)).rows
const nonce = () => `race-${++scanned}`
const kept = (badge: string, at = new Date()): SentLeadCapture => ({ badge, at, nonce: nonce() })

async function companyOf(seats: number): Promise<Company> {
  const company = await floor.exhibitors.company({ appointmentsEnabled: false })
  await floor.license(company.id, ['device', 'sdk'], seats)
  return company
}

async function tokenOf(company: Company, name = 'one'): Promise<string> {
  const { status, body } = await requestDevice(served, '', { body: buildActivation(floor, company, name) })
  expect(status).toBe(201)
  return body.deviceToken
}

/** Sends a batch of scans by calling the sync function on one of the servers. */
async function sync(server: number, token: string, captures: readonly SentLeadCapture[]): Promise<LeadCaptureResult[]> {
  const services = servers[server % servers.length]!
  const verified = await verifyDevice(services.database.pool, new Secret(token), { address: `10.5.0.${server % 200}`, badges: 1 })
  if (verified.kind !== 'device') throw new Error(verified.kind)
  return (
    await storeLeadCaptureBatch(services, verified.device, await readDeviceSettings(services.database, verified.device), { captures })
  ).results
}

async function people(count: number, prefix: string): Promise<string[]> {
  const badges = Array.from({ length: count }, (_, i) => `${prefix}-${i}`)
  for (const badge_id of badges) await floor.people.person({ badge_id })
  return badges
}

describe('concurrent lead device requests', () => {
  it('merges 100 scans of one attendee by SDK and two devices into one lead with 100 captures and correct first and last times', async () => {
    const company = await companyOf(2)
    const [one, two] = [await tokenOf(company, 'one'), await tokenOf(company, 'two')]
    const [clock] = await rows<{ now: Date }>('select lanyard_now() as now')
    const start = clock!.now.getTime() - 3_600_000
    const ways = Array.from({ length: 100 }, (_, i): Promise<string> => {
      if (i % 3 > 0) return sync(i, i % 3 === 1 ? one : two, [kept(ANA_BADGE, new Date(start + i * 1000))]).then(([only]) => only!.result)
      const { activationCode, badgeId, ...place } = floor.leadRequest(company, ANA_BADGE)
      const scan = { ...place, activationCode: new Secret(activationCode), badge: badgeId, address: '10.5.1.1' }
      return scanBadge(servers[i % servers.length]!, scan).then(({ kind }) => kind)
    })
    const outcomes = await Promise.all(ways)
    const count = (what: string) => outcomes.filter((one) => one === what).length
    expect([count('lead'), count('created') + count('counted')]).toEqual([34, 66])
    expect(count('created')).toBeLessThanOrEqual(1)
    const [lead] = await rows('select id, captures, first_captured_at, last_captured_at from leads where company_id = $1', company.id)
    const [captures] = await rows<{ n: number; first: Date; last: Date }>(
      `select count(*)::int as n, min(at) as first, max(at) as last from lead_captures where company_id = $1 and type in ('sdk', 'device')`,
      company.id,
    )
    expect(lead).toMatchObject({ captures: 100, first_captured_at: captures!.first, last_captured_at: captures!.last })
    expect([captures!.n, captures!.first]).toEqual([100, new Date(start + 1000)])
  })

  it('stores a batch of scans once although the batch is sent repeatedly', async () => {
    const company = await companyOf(2)
    const [one, two] = [await tokenOf(company, 'one'), await tokenOf(company, 'two')]
    const batch = (await people(20, 'same')).map((badge) => kept(badge))
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => sync(i, i % 2 ? one : two, batch)))
    const results = answers.flat().map(({ result }) => result)
    expect([results.filter((one) => one === 'created').length, results.filter((one) => one === 'duplicate').length]).toEqual([20, 180])
    expect(answers.flat().every(({ lead }) => lead?.captures === 1)).toBe(true)
    expect(
      await rows('select count(*)::int as leads, sum(captures)::int as captures from leads where company_id = $1', company.id),
    ).toEqual([{ leads: 20, captures: 20 }])
  })

  it('completes concurrent batches of scans that list the same attendees in different orders', async () => {
    const company = await companyOf(4)
    const badges = await people(30, 'order')
    const tokens = []
    for (const name of ['a', 'b', 'c', 'd']) tokens.push(await tokenOf(company, name))
    const answers = await Promise.all(
      tokens.flatMap((token, i) =>
        [badges, badges.toReversed()].map((some) =>
          sync(
            i,
            token,
            some.map((badge) => kept(badge)),
          ),
        ),
      ),
    )
    expect(answers.flat().filter(({ result }) => result === 'created')).toHaveLength(30)
    expect(
      await rows('select min(captures) as least, max(captures) as most, count(*)::int as n from leads where company_id = $1', company.id),
    ).toEqual([{ least: 8, most: 8, n: 30 }])
  })

  it.each([
    [2, 5],
    [3, 7],
    [1, 20],
  ])('grants %i device seats for %i activations across several servers', async (seats, many) => {
    const company = await companyOf(seats)
    const body = (i: number) => JSON.stringify(buildActivation(floor, company, `d${i}`))
    const replies = await Promise.all(
      Array.from({ length: many }, (_, i) => respondToDeviceActivation(servers[i % servers.length]!, requestOf(body(i)), `10.4.0.${i}`)),
    )
    expect(replies.filter((reply) => 'status' in reply && reply.status === 201)).toHaveLength(seats)
    expect(replies.filter(({ problem }) => problem?.code === 'no_seat_left')).toHaveLength(many - seats)
    expect(await rows(`select count(*)::int as n from lead_devices where company_id = $1 and status = 'active'`, company.id)).toEqual([
      { n: seats },
    ])
  })

  it('never leaves more active devices than seats while seats are returned', async () => {
    const company = await floor.exhibitors.company({ appointmentsEnabled: false })
    await floor.license(company.id, ['device'], 2)
    const granted = await floor.license(company.id, ['device'], 2)
    const activations = Array.from({ length: 6 }, (_, i) =>
      respondToDeviceActivation(
        servers[i % servers.length]!,
        requestOf(JSON.stringify(buildActivation(floor, company, `d${i}`))),
        '10.4.1.1',
      ),
    )
    const revoked = rows(`update lead_licences set status = 'revoked', revoked_at = lanyard_now() where id = $1`, granted)
    await Promise.all([...activations, revoked])
    expect(await rows(`select count(*)::int as n from lead_devices where company_id = $1 and status = 'active'`, company.id)).toEqual([
      { n: 2 },
    ])
    expect(await rows('select capacity, sold, overage from inventory where key = $1', `licence:${company.id}:device`)).toEqual([
      { capacity: 2, sold: 2, overage: 0 },
    ])
  })
})

/** A Node.js request with this body. */
function requestOf(body: string): Parameters<typeof respondToDeviceActivation>[1] {
  const request = Readable.from([Buffer.from(body)])
  return Object.assign(request, { headers: { 'content-type': 'application/json' }, complete: true }) as never
}

describe.skipIf(!postgres)('kill -9 of the lead service', () => {
  it('loses no scan and counts none twice when the service is killed between saving a batch of scans and responding', async () => {
    const company = await companyOf(1)
    const token = await tokenOf(company)
    const baseUrl = await chooseFreeBaseUrl()
    const port = Number(new URL(baseUrl).port)
    const env = {
      DATABASE_URL: world.url!,
      LANYARD_BASE_URL: baseUrl,
      LANYARD_SECRET_KEY: world.secretKey,
      LANYARD_DATA_DIR: world.dataDir,
      LANYARD_ROLE: 'web',
    }
    const badges = await people(200, 'killed')
    const batches = [0, 1, 2].map((n) => badges.map((badge) => ({ badge, at: new Date(), nonce: `kill-${n}-${badge}` })))
    const at = { url: (path: string) => `${baseUrl}${path}` } as Served
    const isKept = async ([first]: (typeof batches)[0]) =>
      (await rows('select 1 from lead_captures where nonce = $1', first!.nonce)).length > 0
    for (let kill = 0; kill < soakRounds(1); kill++) {
      const service = startProcess(['--enable-source-maps', 'dist/main.js'], { port, env })
      await service.ready()
      // The process is killed after it saved the first batch and before it answered all, so that each batch is in another state:
      // answered, saved or read.
      const lost: Promise<unknown>[] = []
      for (const captures of batches) {
        lost.push(requestDevice(at, '/captures', { token, body: { captures } }).catch(() => null))
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      while (kill === 0 && !(await isKept(batches[0]!)));
      await service.end('SIGKILL')
      await Promise.all(lost)
    }
    for (const captures of [...batches, ...batches]) {
      const { status, body } = await requestDevice(served, '/captures', { token, body: { captures } })
      if (status === 429) await world.clock.advance('1 minute')
      else expect(body.results.map(({ result }: LeadCaptureResult) => result)).not.toContain('unknown_badge')
      if (status === 429) expect((await requestDevice(served, '/captures', { token, body: { captures } })).status).toBe(200)
    }
    expect(
      await rows(
        'select count(*)::int as leads, min(captures) as least, max(captures) as most from leads where company_id = $1',
        company.id,
      ),
    ).toEqual([{ leads: 200, least: 3, most: 3 }])
  }, 300_000)
})
