import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RfpResponseContent } from '../../../domains/bids/tables.ts'
import { RESPONSE_A, RESPONSE_A_FIRST, RESPONSE_B, createSourcingFixtures } from '../../../../test/support/sourcing.ts'
import { newWorld, type World } from '../../../../test/support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.end())

const euro = (amount: string) => ({ amount, currency: 'EUR' })

describe('get_sourcing_savings and get_sourcing_summary', () => {
  it('divides award savings of 17,349.00 (13.8 %) and concessions of 6,500.00 into categories that add up', async () => {
    const own = await world.event({ startsOn: '2027-06-10', endsOn: '2027-06-13' })
    const organizer = await world.organizer({ role: 'admin', at: own })
    const rows = createSourcingFixtures(world, own)
    const rfpId = await rows.rfp(await rows.brief(), { dueInDays: -1, status: 'closed' })
    const [a, b, c, d] = [await rows.supplier('A'), await rows.supplier('B'), await rows.supplier('C'), await rows.supplier('D')]
    const recipientA = await rows.recipient(rfpId, a)
    await rows.response(recipientA, RESPONSE_A_FIRST)
    const best = await rows.response(recipientA, RESPONSE_A, { round: 2 })
    await rows.response(await rows.recipient(rfpId, b), RESPONSE_B)
    await rows.recipient(rfpId, c, { status: 'turnedDown', reason: 'Full' })
    await rows.recipient(rfpId, d, { status: 'noResponse' })
    const here = { eventCode: own.eventCode }
    const before = await organizer.call('get_sourcing_summary', here)
    expect(before.responses).toEqual({ expected: 4, received: 2, turnedDown: 1 })
    const awardId = await rows.award(rfpId, best)
    const { lines, totals, excluded } = await organizer.call('get_sourcing_savings', here)
    expect(totals).toEqual({
      baseline: euro('125493.00'),
      negotiated: euro('108144.00'),
      savings: euro('17349.00'),
      percent: 13.8,
      avoidance: euro('6500.00'),
    })
    expect(lines).toMatchObject([
      {
        supplier: 'A',
        parts: { rooms: euro('5700.00'), space: euro('5000.00'), food: euro('6649.00'), av: euro('0.00'), fees: euro('0.00') },
      },
    ])
    expect(excluded).toEqual([])
    const highest = await organizer.call('get_sourcing_savings', { ...here, baseline: 'highestBid' })
    expect(highest.totals).toMatchObject({ baseline: euro('98945.40'), savings: euro('-9198.60'), percent: -9.3 })
    const budget = await organizer.call('get_sourcing_savings', { ...here, baseline: 'budget' })
    expect(budget).toMatchObject({ lines: [], excluded: [{ supplier: 'A', reason: 'The brief has no budget' }] })
    const summary = await organizer.call('get_sourcing_summary', { ...here, include: ['rfps'] })
    expect(summary).toMatchObject({
      counts: { rfps: { awarded: 1 }, awards: { executed: 1 } },
      awarded: euro('108144.00'),
      contracted: euro('0.00'),
      actions: [{ what: 'publishAward', tool: 'publish_award_to_block', id: awardId }],
      rfps: [{ id: rfpId, status: 'awarded' }],
    })
  })

  it('compares with the offer that the supplier left standing in its first round, not with one that it replaced', async () => {
    const own = await world.event({ startsOn: '2027-06-10', endsOn: '2027-06-13' })
    const organizer = await world.organizer({ role: 'admin', at: own })
    const rows = createSourcingFixtures(world, own)
    const rfpId = await rows.rfp(await rows.brief(), { dueInDays: -1, status: 'closed' })
    const recipient = await rows.recipient(rfpId, await rows.supplier('A'))
    const replaced = await rows.response(recipient, { ...RESPONSE_A_FIRST, rental: 9_000_000 })
    await world.database.pool.query('update rfp_responses set withdrawn_at = lanyard_now() where id = $1', [replaced])
    await rows.response(recipient, RESPONSE_A_FIRST)
    await rows.award(rfpId, await rows.response(recipient, RESPONSE_A, { round: 2 }))
    const { totals } = await organizer.call('get_sourcing_savings', { eventCode: own.eventCode })
    expect(totals).toMatchObject({ baseline: euro('125493.00'), savings: euro('17349.00') })
  })

  it('divides the savings against a budget of 120,000.00 into categories that add up', async () => {
    const own = await world.event({ startsOn: '2027-06-10', endsOn: '2027-06-13' })
    const organizer = await world.organizer({ role: 'admin', at: own })
    const rows = createSourcingFixtures(world, own)
    const rfpId = await rows.rfp(await rows.brief(), { dueInDays: -1, status: 'closed' })
    await world.database.pool.query(
      `update rfps set requirements = requirements || '{"budget":{"amount":"120000.00","currency":"EUR"}}' where id = $1`,
      [rfpId],
    )
    await rows.award(rfpId, await rows.response(await rows.recipient(rfpId, await rows.supplier('A')), RESPONSE_A))
    const { lines } = await organizer.call('get_sourcing_savings', { eventCode: own.eventCode, baseline: 'budget' })
    expect(lines[0].savings).toEqual(euro('11856.00'))
    const cents = Object.values(lines[0].parts as Record<string, { amount: string }>).map(({ amount }) => Math.round(Number(amount) * 100))
    expect(cents.reduce((sum, each) => sum + each, 0)).toBe(1_185_600)
  })

  it('compares an award with that of the same supplier at an earlier event, and names a missing exchange rate', async () => {
    const old = await world.event({ startsOn: '2026-06-11', endsOn: '2026-06-14' })
    const next = await world.event({ startsOn: '2027-06-10', endsOn: '2027-06-13', at: old })
    const organizer = await world.organizer({ role: 'admin', at: old })
    const [rows, later] = [createSourcingFixtures(world, old), createSourcingFixtures(world, next)]
    const supplier = await rows.supplier('A')
    const shifted = (content: RfpResponseContent) => ({
      ...content,
      rooms: content.rooms.map((one) => ({ ...one, night: one.night.replace('2027-06-1', '2026-06-1') })),
    })
    const oldRfp = await rows.rfp(await rows.brief(), { dueInDays: -1, status: 'closed' })
    await world.database.pool.query(`update rfps set date_options = '[{"arrival":"2026-06-10","departure":"2026-06-13"}]' where id = $1`, [
      oldRfp,
    ])
    await rows.award(oldRfp, await rows.response(await rows.recipient(oldRfp, supplier), shifted(RESPONSE_A_FIRST)))
    const rfpId = await later.rfp(await later.brief(), { dueInDays: -1, status: 'closed' })
    await later.award(rfpId, await later.response(await later.recipient(rfpId, supplier), RESPONSE_A))
    const savings = await organizer.call('get_sourcing_savings', { eventCode: next.eventCode, baseline: 'priorYear' })
    expect(savings.totals).toMatchObject({ savings: euro('17349.00'), percent: 13.8 })
    const dollars = await later.rfp(await later.brief(), { dueInDays: -1, status: 'closed' })
    await later.award(dollars, await later.response(await later.recipient(dollars, supplier), { ...RESPONSE_B, currency: 'USD' }))
    const refused = await organizer.refused('get_sourcing_savings', { eventCode: next.eventCode, scope: 'client' })
    expect(refused).toMatchObject({ code: 'unavailable', message: expect.stringContaining('USD/EUR') })
  })
})

describe('get_sourcing_savings for all events of the client', () => {
  const shifted = (content: RfpResponseContent): RfpResponseContent => ({
    ...content,
    rooms: content.rooms.map((one) => ({ ...one, night: one.night.replace('2027-', '2026-') })),
  })

  /** Creates an event in 2026 and one in 2027 of the same client, both with an award to the same supplier. */
  async function twoAwardedEvents() {
    const client = await world.client()
    const earlier = await world.event({ at: client, startsOn: '2026-06-10', endsOn: '2026-06-13' })
    const later = await world.event({ at: client, startsOn: '2027-06-10', endsOn: '2027-06-13' })
    const [before, now] = [createSourcingFixtures(world, earlier), createSourcingFixtures(world, later)]
    const supplier = await before.supplier('Secret Hotel')
    const oldRfp = await before.rfp(await before.brief(), { dueInDays: -1, status: 'closed' })
    const dates = JSON.stringify([{ arrival: '2026-06-10', departure: '2026-06-13' }])
    await world.database.pool.query('update rfps set date_options = $2 where id = $1', [oldRfp, dates])
    await before.award(oldRfp, await before.response(await before.recipient(oldRfp, supplier), shifted(RESPONSE_A_FIRST)))
    const newRfp = await now.rfp(await now.brief(), { dueInDays: -1, status: 'closed' })
    await now.award(newRfp, await now.response(await now.recipient(newRfp, supplier), RESPONSE_A))
    return { client, earlier, later }
  }

  it('leaves out awards of events that staff of another event may not see', async () => {
    const { client, earlier, later } = await twoAwardedEvents()
    const third = await world.event({ at: client, startsOn: '2027-06-10', endsOn: '2027-06-13' })
    const linesFor = async (options: object, eventCode: string) =>
      (await (await world.organizer(options)).call('get_sourcing_savings', { eventCode, scope: 'client' })).lines.length
    expect(await linesFor({ staffOf: third, staffRole: 'sourcing' }, third.eventCode)).toBe(0)
    expect(await linesFor({ staffOf: later, staffRole: 'sourcing' }, later.eventCode)).toBe(1)
    expect(await linesFor({ at: client, role: 'sourcing' }, later.eventCode)).toBe(2)
    // The role of a registrar at the client does not include sourcing, so only the role at the single event counts.
    expect(await linesFor({ at: client, role: 'registrar', staffOf: earlier, staffRole: 'finance' }, earlier.eventCode)).toBe(1)
  })

  it('compares with the award of an earlier event only if the caller may see that event', async () => {
    const { client, later } = await twoAwardedEvents()
    const savingsFor = async (options: object) =>
      (await world.organizer(options)).call('get_sourcing_savings', { eventCode: later.eventCode, baseline: 'priorYear' })
    expect(await savingsFor({ staffOf: later, staffRole: 'sourcing' })).toMatchObject({
      lines: [],
      excluded: [{ supplier: 'Secret Hotel', reason: 'No award to this supplier at an earlier event' }],
    })
    expect(await savingsFor({ at: client, role: 'sourcing' })).toMatchObject({ totals: { savings: euro('17349.00') }, excluded: [] })
  })
})
