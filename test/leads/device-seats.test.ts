import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkIntegrity } from '../../src/domains/orders/integrity/check.ts'
import {
  buildActivation,
  ANA_BADGE,
  requestDevice,
  requestLead,
  LEAD_PRODUCTS,
  openShowFloor,
  type ShowFloor,
} from '../support/lead-requests.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
let served: Served
let floor: ShowFloor
let scanned = 0

const START = '2027-03-01T09:00:00.000Z'

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  await world.clock.stopAt(START)
  floor = await openShowFloor(world, { products: LEAD_PRODUCTS } as never)
  served = await serve(world)
})
afterAll(() => world.end())

interface Company {
  id: string
  code: string
}

const activate = (company: Company, name = 'iPad') => requestDevice(served, '', { body: buildActivation(floor, company, name) })
const scan = (at: string, badge = ANA_BADGE) => ({ badge, at, nonce: `seat-${++scanned}` })
const sync = (token: string, ...captures: object[]) => requestDevice(served, '/captures', { token, body: { captures } })
const leads = (token: string) => requestDevice(served, '/leads', { token })
const rows = async <T = Record<string, unknown>>(query: string, ...values: unknown[]) =>
  (await world.database.pool.query<T & object>(query, values)).rows
const standing = async (company: Company) =>
  (
    await rows<{ name: string; status: string }>('select name, status from lead_devices where company_id = $1 order by name', company.id)
  ).map(({ name, status }) => `${name} ${status}`)
const counted = async (company: Company) =>
  (
    await rows<{ capacity: number; sold: number; overage: number }>(
      `select capacity, sold, overage from inventory where key = $1`,
      `licence:${company.id}:device`,
    )
  )[0]

/** Activates devices in order, each last seen a minute after the previous one. */
async function devices(company: Company, ...names: string[]): Promise<string[]> {
  const tokens: string[] = []
  for (const name of names) {
    const { status, body } = await activate(company, name)
    expect([name, status]).toEqual([name, 201])
    tokens.push(body.deviceToken)
    await world.clock.advance('1 minute')
  }
  return tokens
}

describe('seats of lead devices', () => {
  it('sums the device seats of all valid lead licences: bought, granted and not returned', async () => {
    const company = await floor.exhibitors.company({ appointmentsEnabled: false })
    await floor.buyLeadProduct({ companyId: company.id }, 'lead-app')
    expect((await activate(company)).status).toBe(403)
    await floor.buyLeadProduct({ companyId: company.id }, 'lead-device', 2)
    await floor.license(company.id, ['device', 'sdk'], 1)
    await devices(company, 'a', 'b', 'c')
    expect([(await activate(company)).status, await counted(company)]).toEqual([403, { capacity: 3, sold: 3, overage: 0 }])
  })

  it.each([
    [2, 5],
    [3, 7],
  ])('never exceeds %i device seats with %i concurrent activations', async (seats, many) => {
    const company = await floor.exhibitors.company({ appointmentsEnabled: false })
    await floor.license(company.id, ['device'], seats)
    const replies = await Promise.all(Array.from({ length: many }, (_, i) => activate(company, `d${i}`)))
    const [won, lost] = [replies.filter(({ status }) => status === 201), replies.filter(({ status }) => status === 403)]
    expect([won.length, lost.length, new Set(lost.map(({ body }) => body.code))]).toEqual([seats, many - seats, new Set(['no_seat_left'])])
    expect((await standing(company)).filter((one) => one.endsWith('active'))).toHaveLength(seats)
    for (const { body } of won) expect((await leads(body.deviceToken)).status).toBe(200)
  })

  it('releases the seat of a revoked device immediately', async () => {
    const company = await floor.exhibitors.company({ appointmentsEnabled: false })
    await floor.license(company.id, ['device'], 2)
    await devices(company, 'a', 'b')
    expect((await activate(company)).status).toBe(403)
    await rows(`update lead_devices set status = 'revoked', revoked_at = lanyard_now() where company_id = $1 and name = 'a'`, company.id)
    await devices(company, 'c')
    expect([await standing(company), await counted(company)]).toEqual([
      ['a revoked', 'b active', 'c active'],
      { capacity: 2, sold: 2, overage: 0 },
    ])
  })

  it('rejects inserting more devices than seats with a database constraint', async () => {
    const company = await floor.exhibitors.company({ appointmentsEnabled: false })
    await floor.license(company.id, ['device'])
    await devices(company, 'a')
    const forced = rows(
      `insert into lead_devices (tenant_id, event_id, id, company_id, name, platform, token_hash)
       values ($1, $2, $3, $4, 'b', 'x', sha256('b'))`,
      floor.event.tenantId,
      floor.event.eventId,
      'e'.repeat(24),
      company.id,
    )
    await expect(forced).rejects.toThrow('inventory_not_oversold')
  })

  it('revokes the lead devices that were inactive longest when device seats are returned', async () => {
    const company = await floor.exhibitors.company({ appointmentsEnabled: false })
    await floor.buyLeadProduct({ companyId: company.id }, 'lead-device', 3)
    const [a, b, c] = await devices(company, 'a', 'b', 'c')
    // The device that was activated first was also used most recently.
    expect((await sync(a!, scan(START))).status).toBe(200)
    await floor.people.returns({ companyId: company.id }, 'lead-device', 1)
    expect([await standing(company), await counted(company)]).toEqual([
      ['a active', 'b revoked', 'c active'],
      { capacity: 2, sold: 2, overage: 0 },
    ])
    expect([(await leads(a!)).status, (await leads(b!)).status, (await leads(c!)).status]).toEqual([200, 401, 200])
    expect((await activate(company)).status).toBe(403)
    await floor.people.returns({ companyId: company.id }, 'lead-device')
    expect((await standing(company)).filter((one) => one.endsWith('active'))).toEqual([])
    expect((await activate(company)).body.code).toBe('not_licensed')
  })

  it('keeps device seats if an order line of lead licences is returned and sold again in one change', async () => {
    const company = await floor.exhibitors.company({ appointmentsEnabled: false })
    await floor.license(company.id, ['device'], 2)
    await devices(company, 'a', 'b')
    await world.database.transact(async (db) => {
      await db.updateTable('lead_licences').set({ status: 'revoked', revoked_at: START }).where('company_id', '=', company.id).execute()
      await db
        .insertInto('lead_licences')
        .values({
          tenant_id: floor.event.tenantId,
          event_id: floor.event.eventId,
          id: 'd'.repeat(24),
          company_id: company.id,
          product_code: 'lead-device',
          granted_by: 'Test',
          grants: ['device'],
          seats: 2,
        })
        .execute()
    })
    expect(await standing(company)).toEqual(['a active', 'b active'])
    await rows(
      `update lead_licences set status = 'revoked', revoked_at = lanyard_now() where company_id = $1 and status = 'active'`,
      company.id,
    )
    expect(await standing(company)).toEqual(['a revoked', 'b revoked'])
  })
})

describe('revoked lead device', () => {
  it('rejects a revoked lead device, and accepts for a day the scans that the device made before', async () => {
    const company = await floor.exhibitors.company({ appointmentsEnabled: false })
    await floor.license(company.id, ['device'])
    const [token] = await devices(company, 'a')
    const before = new Date((await rows<{ now: Date }>('select lanyard_now() as now'))[0]!.now.getTime() - 1000).toISOString()
    await rows(`update lead_devices set status = 'revoked', revoked_at = lanyard_now() where company_id = $1`, company.id)
    await world.clock.advance('23 hours')
    const later = (await rows<{ now: Date }>('select lanyard_now() as now'))[0]!.now.toISOString()
    const [early, late] = [scan(before), scan(later)]
    const first = await sync(token!, early, late)
    expect([first.status, first.body.code, first.body.results.length]).toEqual([401, 'device_revoked', 1])
    expect(first.body.error).toEqual({ code: 'device_revoked', message: first.body.detail })
    expect(first.body.results[0]).toMatchObject({
      nonce: early.nonce,
      result: 'created',
      lead: { captures: 1, fields: { firstName: 'Ana' } },
    })
    const again = await sync(token!, early)
    expect([again.status, again.body.results[0].result]).toEqual([401, 'duplicate'])
    expect([(await leads(token!)).status, (await leads(token!)).body.code]).toEqual([401, 'device_revoked'])
    await world.clock.advance('1 hour')
    expect((await sync(token!, scan(before))).body.results).toEqual([])
    expect(await rows('select captures from leads where company_id = $1', company.id)).toEqual([{ captures: 1 }])
  })

  it('rejects lead devices and new activations of a cancelled company', async () => {
    const company = await floor.exhibitors.company({ appointmentsEnabled: false })
    await floor.license(company.id, ['device'], 2)
    const [token] = await devices(company, 'a', 'b')
    await rows(`update companies set status = 'cancelled' where id = $1`, company.id)
    expect([await standing(company), await counted(company)]).toEqual([['a revoked', 'b revoked'], { capacity: 0, sold: 0, overage: 0 }])
    expect([(await leads(token!)).status, (await activate(company)).status]).toEqual([401, 401])
  })

  it('revokes a lead device at its next sync if paid invoices are required and the licence is unpaid', async () => {
    const company = await floor.exhibitors.company({ appointmentsEnabled: false })
    await floor.buyLeadProduct({ companyId: company.id }, 'lead-device', 2)
    const [token] = await devices(company, 'a')
    expect((await leads(token!)).status).toBe(200)
    await floor.exhibitors.publish({ exhibitorConfig: { leadVisibleFields: [], leadLicencesNeedPayment: true } } as never)
    expect([(await leads(token!)).status, await standing(company)]).toEqual([401, ['a revoked']])
    expect((await activate(company)).body.code).toBe('not_licensed')
    await floor.people.pays({ companyId: company.id }, 40_000)
    expect((await activate(company, 'b')).status).toBe(201)
    await floor.exhibitors.publish({ exhibitorConfig: { leadVisibleFields: ['email', 'jobTitle'] } } as never)
  })

  it('rejects a revoked device if the event is archived or the client is disabled', async () => {
    const company = await floor.exhibitors.company({ appointmentsEnabled: false })
    await floor.license(company.id, ['device'])
    const [token] = await devices(company, 'a')
    for (const [table, off, on] of [
      ['events', `status = 'archived'`, `status = 'published'`],
      ['clients', 'active = false', 'active = true'],
    ] as const) {
      const id = table === 'events' ? floor.event.eventId : floor.event.clientId
      await rows(`update ${table} set ${off} where id = $1`, id)
      const refused = await sync(token!, scan(START))
      expect([table, refused.status, refused.body.code, refused.body.results]).toEqual([table, 401, 'invalid_device', undefined])
      await rows(`update ${table} set ${on} where id = $1`, id)
      expect((await leads(token!)).status).toBe(200)
    }
  })
})

it('combines scans of one attendee by the SDK and two devices into one lead', async () => {
  const company = await floor.exhibitors.company({ appointmentsEnabled: false })
  await floor.buyLeadProduct({ companyId: company.id }, 'lead-app')
  await floor.buyLeadProduct({ companyId: company.id }, 'lead-device', 2)
  const [token, other] = await devices(company, 'one', 'two')
  const bySdk = () => requestLead(served, floor.leadRequest(company, ANA_BADGE))
  const first = (await bySdk()).body
  await bySdk()
  const now = (await rows<{ now: Date }>('select lanyard_now() as now'))[0]!.now.toISOString()
  const synced = scan(now)
  expect((await sync(token!, synced)).body.results[0]).toMatchObject({
    result: 'counted',
    lead: { leadId: first.leadId, captures: 3, source: 'sdk' },
  })
  expect((await sync(token!, synced)).body.results[0]).toMatchObject({ result: 'duplicate', lead: { captures: 3 } })
  await rows(
    `insert into lead_captures (tenant_id, event_id, id, lead_id, company_id, type, at) values ($1, $2, $3, $4, $5, 'appointment', lanyard_now())`,
    floor.event.tenantId,
    floor.event.eventId,
    'f'.repeat(24),
    first.leadId,
    company.id,
  )
  expect(
    await rows(
      'select captures, source, (select count(*)::int from lead_captures c where c.lead_id = l.id) as n from leads l where company_id = $1',
      company.id,
    ),
  ).toEqual([{ captures: 3, source: 'sdk', n: 4 }])
  const emailIn = async (at: string) => 'email' in (await leads(at)).body.data[0].fields
  expect(await emailIn(other!)).toBe(true)
  await rows(`update participants set sharing = '{"email": "restrict"}' where id = $1`, floor.ana)
  expect(await emailIn(other!)).toBe(false)
  await floor.people.returns({ companyId: company.id }, 'lead-app')
  expect([(await bySdk()).status, (await leads(token!)).status, (await leads(other!)).status]).toEqual([403, 200, 200])
  await rows('update participants set badge_id = $2 where id = $1', floor.ana, 'f'.repeat(16))
  const { results } = (await sync(other!, scan(now), scan(now, 'F'.repeat(16)))).body
  expect(results.map(({ result }: { result: string }) => result)).toEqual(['unknown_badge', 'counted'])
  expect(results[1].lead).toMatchObject({ leadId: first.leadId, captures: 4, badgeId: 'f'.repeat(16) })
  await rows(`update participants set sharing = '{}' where id = $1`, floor.ana)
})

it('reports a seat counter that differs from the actual seats as an integrity violation', async () => {
  // Removes the counters of records that this test inserted directly.
  await rows(`delete from inventory where key not like 'licence:%'`)
  const broken = async () => (await checkIntegrity(world.database.read, floor.event.tenantId, floor.event.eventId)).filter(({ ok }) => !ok)
  expect(await broken()).toEqual([])
  await rows(`update inventory set sold = sold - 1 where (key, sold) in (select key, sold from inventory where sold > 0 limit 1)`)
  expect((await broken()).map(({ id, violations }) => [id, violations])).toEqual([['I2', 1]])
})
