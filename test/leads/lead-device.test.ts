import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  DeviceRevokedError,
  InvalidActivationError,
  InvalidDeviceError,
  InvalidRequestError,
  LeadDevice,
  type LeadError,
  type LeadStore,
  NoConnectionError,
  NoSeatLeftError,
  NotLicensedError,
} from '../../clients/lead-sdk/lib/index.js'
import { buildActivation, ANA_BADGE, openShowFloor, type ShowFloor } from '../support/lead-requests.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
let served: Served
let floor: ShowFloor

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  floor = await openShowFloor(world)
  served = await serve(world)
})
afterAll(() => world.end())

function storage(): LeadStore {
  const kept = new Map<string, string>()
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) }
}

async function companyWith(seats: number) {
  const company = await floor.exhibitors.company({ appointmentsEnabled: false })
  if (seats > 0) await floor.license(company.id, ['device'], seats)
  return company
}

const activated = (company: { code: string }, more: object = {}) =>
  LeadDevice.activate({ baseUrl: `${served.baseUrl}/`, ...buildActivation(floor, company), ...more })

async function deviceOf(seats = 1, options: Partial<ConstructorParameters<typeof LeadDevice>[0]> = {}) {
  const company = await companyWith(seats)
  const { deviceToken } = await activated(company)
  return { company, device: new LeadDevice({ baseUrl: `${served.baseUrl}/`, deviceToken, store: storage(), ...options }) }
}

const refusal = (asked: Promise<unknown>) =>
  asked.then(
    () => null,
    (error: unknown) => error as LeadError,
  )

const summarizeResults = (sent: Awaited<ReturnType<LeadDevice['flush']>>['sent']) =>
  sent.map((one) =>
    'result' in one ? [one.scan.badge, one.result, one.lead?.captures] : [one.scan.badge, one.error.code, one.error.message],
  )

describe('lead SDK device', () => {
  it('activates a lead device with the SDK, and throws a specific error for every refusal', async () => {
    const company = await companyWith(1)
    expect(await activated(company)).toEqual({
      deviceId: expect.stringMatching(/^[0-9a-f]{24}$/),
      deviceToken: expect.stringMatching(/^lld_/),
      company: { id: company.id, name: expect.any(String) },
      qualifiers: [],
    })
    const stranger = new LeadDevice({ baseUrl: served.baseUrl, deviceToken: 'lld_none' })
    const cases = [
      [() => activated(company), NoSeatLeftError, 'no_seat_left', 403],
      [async () => activated(await companyWith(0)), NotLicensedError, 'not_licensed', 403],
      [() => activated({ code: 'AAAA' }), InvalidActivationError, 'invalid_activation', 401],
      [() => activated(company, { name: ' ' }), InvalidRequestError, 'invalid_request', 400],
      [() => activated(company, { baseUrl: 'http://localhost:1' }), NoConnectionError, 'no_connection', 0],
      [() => stranger.leads(), InvalidDeviceError, 'invalid_device', 401],
    ] as const
    for (const [ask, kind, code, status] of cases) {
      const error = await refusal(ask())
      expect(error).toBeInstanceOf(kind)
      expect([error!.code, error!.status]).toEqual([code, status])
      expect(`${error!.message} ${error!.stack}`).not.toContain(company.code)
    }
  })

  it('stores scans on the device, sends them in scanning sequence and reports one of four results for each', async () => {
    const { device } = await deviceOf()
    const first = device.add(ANA_BADGE, { rating: 4, tags: ['hot'] })
    expect(first).toMatchObject({ badge: ANA_BADGE, rating: 4, nonce: expect.stringMatching(/^[0-9a-f]{32}$/) })
    device.add(`${ANA_BADGE}|Ana`)
    device.add('absent')
    expect(device.pending.map(({ badge }) => badge)).toEqual([ANA_BADGE, `${ANA_BADGE}|Ana`, 'absent'])
    const [flushed, same] = await Promise.all([device.flush(), device.flush()])
    expect(same).toBe(flushed)
    expect([summarizeResults(flushed.sent), flushed.stopped, device.pending]).toEqual([
      [
        [ANA_BADGE, 'created', 2],
        [`${ANA_BADGE}|Ana`, 'counted', 2],
        ['absent', 'unknown_badge', undefined],
      ],
      null,
      [],
    ])
    const { leads, deleted, updatedSince } = await device.leads()
    expect([leads.map(({ rating, tags, captures }) => [rating, tags, captures]), deleted]).toEqual([[[4, ['hot'], 2]], []])
    expect(await device.leads({ updatedSince })).toEqual({ leads: [], deleted: [], updatedSince })
    await world.database.pool.query(`update leads set status = 'deleted' where id = $1`, [leads[0]!.leadId])
    expect((await device.leads({ updatedSince })).deleted).toEqual([leads[0]!.leadId])
  })

  it('sends scans again after their response was lost, so that the service counts them once', async () => {
    const store = storage()
    let lost = 2
    const failing: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init)
      if (lost-- > 0) throw new TypeError('gone')
      return answer
    }
    const { company, device } = await deviceOf(1, { fetch: failing, store })
    for (let i = 0; i < 3; i++) device.add(ANA_BADGE)
    for (let i = 0; i < 2; i++) {
      const { sent, stopped } = await device.flush()
      expect([sent, stopped?.code, device.pending.length]).toEqual([[], 'no_connection', 3])
    }
    const { sent } = await device.flush()
    expect(summarizeResults(sent)).toEqual(Array.from({ length: 3 }, () => [ANA_BADGE, 'duplicate', 3]))
    expect(await floor.exhibitors.figure(`select captures as n from leads where company_id = '${company.id}'`)).toBe(3)
  })

  it('sends several batches of lead scans one after another', async () => {
    const asked: number[] = []
    const counting: typeof fetch = (input, init) => {
      asked.push((JSON.parse(init!.body as string) as { captures: unknown[] }).captures.length)
      return fetch(input, init)
    }
    const { device } = await deviceOf(1, { fetch: counting })
    for (let i = 0; i < 120; i++) device.add(ANA_BADGE)
    const { sent } = await device.flush()
    expect([asked, sent.length, device.pending]).toEqual([[50, 50, 20], 120, []])
  })

  it('continues with the next lead scans if the service rejects one', async () => {
    const { device } = await deviceOf()
    device.add(ANA_BADGE, { rating: 9 })
    device.add(ANA_BADGE, { rating: 3 })
    const { sent, stopped } = await device.flush()
    expect([summarizeResults(sent), stopped, device.pending]).toEqual([
      [
        [ANA_BADGE, 'invalid_request', 'rating: must be a whole number from 0 to 5'],
        [ANA_BADGE, 'created', 1],
      ],
      null,
      [],
    ])
  })

  it('reports that the lead device was revoked, and loses no earlier scan', async () => {
    const { company, device } = await deviceOf()
    device.add(ANA_BADGE)
    // Advances the device's clock and the server's clock by a minute.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
    onTestFinished(() => void vi.useRealTimers())
    await world.clock.advance('1 minute')
    await world.database.pool.query(`update lead_devices set status = 'revoked', revoked_at = lanyard_now() where company_id = $1`, [
      company.id,
    ])
    const { sent, stopped } = await device.flush()
    expect([summarizeResults(sent).map(([, result]) => result), stopped?.code, device.pending]).toEqual([['created'], 'device_revoked', []])
    expect(stopped).toBeInstanceOf(DeviceRevokedError)
    expect(stopped!.isPassing).toBe(false)
  })

  it('stores no leads for a device of the test event', async () => {
    const { deviceToken, testEvent } = await activated({ code: '0' })
    const device = new LeadDevice({ baseUrl: served.baseUrl, deviceToken })
    device.add('12345')
    expect([testEvent, summarizeResults((await device.flush()).sent), await device.leads()]).toEqual([
      true,
      [['12345', 'created', 1]],
      { leads: [], deleted: [], updatedSince: null },
    ])
  })

  it("ignores values in the device's storage and in responses that the SDK does not recognize", async () => {
    const store = storage()
    store.setItem('lanyard-device', '[1, {"badge": "x"}, "y"]')
    const device = new LeadDevice({
      baseUrl: served.baseUrl,
      deviceToken: '0',
      store,
      fetch: () => Promise.resolve(new Response('<h1>Sign in</h1>')),
    })
    expect(device.pending).toEqual([])
    device.add('a')
    const { sent, stopped } = await device.flush()
    expect([sent, stopped?.code, stopped?.isPassing, device.pending.length]).toEqual([[], 'unexpected_answer', true, 1])
  })
})
