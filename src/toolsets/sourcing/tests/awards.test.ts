import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RfpResponseContent } from '../../../domains/bids/tables.ts'
import { RESPONSE_A, RESPONSE_A_FIRST, RESPONSE_B, createSourcingFixtures } from '../../../../test/support/sourcing.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'

let world: World
let place: EventHandle
let admin: OrganizerHandle

beforeAll(async () => {
  world = await newWorld()
  place = await world.event({ startsOn: '2027-06-10', endsOn: '2027-06-13', timezone: 'Europe/Lisbon' })
  admin = await world.organizer({ role: 'admin', at: place })
})
afterAll(() => world.end())

const RATIONALE = 'Nearest to the congress centre'
const euro = (amount: string) => ({ amount, currency: 'EUR' })
const at = (args: object) => ({ eventCode: place.eventCode, ...args })
let made = 0

/** Creates a closed RFP with one response for each given content. */
async function responded(...contents: RfpResponseContent[]) {
  const rows = createSourcingFixtures(world, place)
  const rfpId = await rows.rfp(await rows.brief(), { dueInDays: -1, status: 'closed' })
  const responses: string[] = []
  const recipients: string[] = []
  const suppliers: string[] = []
  for (const content of contents) {
    suppliers.push(await rows.supplier(`Hotel ${++made}`))
    recipients.push(await rows.recipient(rfpId, suppliers.at(-1)!))
    responses.push(await rows.response(recipients.at(-1)!, content))
  }
  return { rows, rfpId, responses, recipients, suppliers }
}

const propose = (rfpId: string, lines: object[], by = admin) => by.call('propose_award', at({ rfpId, lines, rationale: RATIONALE }))

/** Executes an award with the confirm token of its dry run. */
async function execute(awardId: string, by = admin, more: object = {}) {
  const { confirmToken } = await by.call('execute_award', at({ awardId, dryRun: true, ...more }))
  return by.call('execute_award', at({ awardId, confirmToken, ...more }))
}

const share = (...rooms: number[]) => rooms.map((each, day) => ({ night: `2027-06-1${day}`, rooms: each }))

const sentEmails = async (awardId: string) => {
  const { rows } = await world.database.pool.query<{ code: string; n: number }>(
    `select email_code as code, count(*)::int as n from messages where source_kind = 'award' and source_id = $1 group by 1 order by 1`,
    [awardId],
  )
  return Object.fromEntries(rows.map(({ code, n }) => [code, n]))
}

describe('propose_award', () => {
  it('totals the gross cost of supplier response A to 108,144.00 with all offered rooms, and warns that B costs less', async () => {
    const { rfpId, responses } = await responded(RESPONSE_A, RESPONSE_B)
    expect(await propose(rfpId, [{ responseId: responses[0] }])).toMatchObject({
      award: { status: 'proposed', lines: [{ responseId: responses[0], share: share(100, 100, 50), rooms: 250 }] },
      total: euro('108144.00'),
      savings: euro('0.00'),
      overLimit: false,
      warnings: [{ code: 'notBest', responseIds: [responses[1]] }],
    })
  })

  it('reports the price reduction since the first round of offers as savings', async () => {
    const { rows, rfpId, recipients } = await responded(RESPONSE_A_FIRST)
    const second = await rows.response(recipients[0]!, RESPONSE_A, { round: 2 })
    expect(await propose(rfpId, [{ responseId: second }])).toMatchObject({ savings: euro('17349.00'), warnings: [] })
  })

  it('splits an award of 100/100/50 rooms into 60/60/30 and 40/40/20, and refuses one room more', async () => {
    const { rfpId, responses } = await responded(RESPONSE_A, RESPONSE_B)
    const lines = (last: number) => [
      { responseId: responses[0], share: share(60, 60, 30) },
      { responseId: responses[1], share: share(40, last, 20) },
    ]
    const refused = await admin.refused('propose_award', at({ rfpId, lines: lines(41), rationale: RATIONALE }))
    expect(refused).toMatchObject({
      code: 'invalid_arguments',
      fields: [{ path: 'lines.1.share', message: '2027-06-11: 101 rooms of 100 asked for' }],
    })
    const { award, total, warnings } = await propose(rfpId, lines(40))
    expect(award.lines.map(({ rooms }: { rooms: number }) => rooms)).toEqual([150, 100])
    // A costs 150 × (200.00 + 14 %) + 150 × 5.00, rental and food. B costs 100 × (215.00 + 14 %), without meals.
    expect(total).toEqual(euro('109354.00'))
    expect(warnings.map(({ code }: { code: string }) => code)).not.toContain('shortRooms')
  })

  it('refuses an award of more rooms than offered, and warns when a night has too few rooms', async () => {
    const { rfpId, responses } = await responded({
      ...RESPONSE_A,
      rooms: RESPONSE_A.rooms.map((one) => ({ ...one, rooms: one.rooms - 10 })),
    })
    const refused = await admin.refused(
      'propose_award',
      at({ rfpId, lines: [{ responseId: responses[0], share: share(91) }], rationale: RATIONALE }),
    )
    expect(refused).toMatchObject({ fields: [{ message: '2027-06-10: 91 rooms of 90 offered' }] })
    const { warnings } = await propose(rfpId, [{ responseId: responses[0] }])
    expect(warnings).toMatchObject([{ code: 'shortRooms', message: expect.stringContaining('2027-06-12: 40 of 50') }])
  })

  it('refuses a second award of an RFP until the first one is withdrawn', async () => {
    const { rfpId, responses } = await responded(RESPONSE_A)
    const lines = [{ responseId: responses[0] }]
    const { award } = await propose(rfpId, lines)
    expect(await admin.refused('propose_award', at({ rfpId, lines, rationale: RATIONALE }))).toMatchObject({ code: 'conflict' })
    expect(await admin.call('propose_award', at({ awardId: award.id, withdraw: true }))).toMatchObject({ award: { status: 'withdrawn' } })
    expect(await admin.refused('propose_award', at({ awardId: award.id, withdraw: true }))).toMatchObject({ code: 'conflict' })
    expect((await propose(rfpId, lines)).award.id).not.toBe(award.id)
  })

  it('refuses to award withdrawn or expired responses, responses of another RFP, and a sealed RFP before its due time', async () => {
    const { rfpId, responses } = await responded({ ...RESPONSE_A, validUntil: '2020-01-01' }, RESPONSE_B)
    const other = await responded(RESPONSE_B)
    const refusal = (responseId: string | undefined) =>
      admin.refused('propose_award', at({ rfpId, lines: [{ responseId }], rationale: RATIONALE }))
    expect(await refusal(responses[0])).toMatchObject({ code: 'precondition_failed', message: expect.stringContaining('2020-01-01') })
    expect(await refusal(other.responses[0])).toMatchObject({ code: 'not_found' })
    await world.database.pool.query('update rfp_responses set withdrawn_at = lanyard_now() where id = $1', [responses[1]])
    expect(await refusal(responses[1])).toMatchObject({ code: 'precondition_failed', message: expect.stringContaining('withdrawn') })
    await world.database.pool.query(`update rfps set response_due_at = lanyard_now() + interval '1 minute' where id = $1`, [other.rfpId])
    const sealed = await admin.refused(
      'propose_award',
      at({ rfpId: other.rfpId, lines: [{ responseId: other.responses[0] }], rationale: RATIONALE }),
    )
    expect(sealed).toMatchObject({ code: 'precondition_failed', message: expect.stringContaining('is sealed') })
  })

  it('refuses to award an offer that the supplier replaced in a later round', async () => {
    const { rows, rfpId, responses, recipients } = await responded(RESPONSE_A_FIRST)
    const latest = await rows.response(recipients[0]!, RESPONSE_A, { round: 2 })
    const lines = [{ responseId: responses[0] }]
    expect(await admin.refused('propose_award', at({ rfpId, lines, rationale: RATIONALE }))).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('was replaced in a later round'),
    })
    const { award } = await propose(rfpId, [{ responseId: latest }])
    await rows.response(recipients[0]!, RESPONSE_B, { round: 3 })
    expect(await admin.refused('execute_award', at({ awardId: award.id, dryRun: true }))).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('was replaced in a later round'),
    })
  })

  it('warns about an answer that differs from the required one, but not in upper and lower case', async () => {
    const rows = createSourcingFixtures(world, place)
    const question = { code: 'green', text: 'Green?', type: 'text' as const, required: false, mustBe: 'Yes' }
    const warningsFor = async (answer: string) => {
      const rfpId = await rows.rfp(await rows.brief(), { dueInDays: -1, status: 'closed', questions: [question] })
      const recipient = await rows.recipient(rfpId, await rows.supplier(`Hotel ${++made}`))
      const responseId = await rows.response(recipient, { ...RESPONSE_A, answers: { green: answer } })
      const { responses } = await admin.call('list_rfp_responses', at({ rfpId }))
      const { warnings } = await propose(rfpId, [{ responseId }])
      return [responses[0].mustHavesFailed, warnings.map(({ code }: { code: string }) => code)]
    }
    expect(await warningsFor('yes')).toEqual([[], []])
    expect(await warningsFor('no')).toEqual([['question:green'], ['knockedOut']])
  })

  it('saves no award in a dry run', async () => {
    const { rfpId, responses } = await responded(RESPONSE_A)
    const lines = [{ responseId: responses[0] }]
    await admin.call('propose_award', at({ rfpId, lines, rationale: RATIONALE, dryRun: true }))
    expect((await propose(rfpId, lines)).award.status).toBe('proposed')
  })
})

describe('execute_award', () => {
  it('emails the winning supplier and three losing ones once for two concurrent calls', async () => {
    const { rfpId, responses, recipients, suppliers } = await responded(RESPONSE_A, RESPONSE_B, RESPONSE_B, RESPONSE_B)
    const { award } = await propose(rfpId, [{ responseId: responses[0] }])
    const reasons = { [recipients[1]!]: 'Too far from the station' }
    const outcomes = await Promise.allSettled([1, 2].map(() => execute(award.id, admin, { declineReasons: reasons, discloseWinner: true })))
    const done = outcomes.filter(({ status }) => status === 'fulfilled')
    expect(done).toHaveLength(1)
    expect(done[0]).toMatchObject({ value: { award: { status: 'executed' }, emails: { won: 1, declined: 3 }, rfp: { status: 'awarded' } } })
    expect(await sentEmails(award.id)).toEqual({ 'award-won': 1, 'award-declined': 3 })
    const { rows } = await world.database.pool.query(
      `select r.status, r.reason, s.awards from rfp_recipients r join suppliers s on s.id = r.supplier_id where r.rfp_id = $1 order by r.id`,
      [rfpId],
    )
    expect(rows).toEqual([
      { status: 'awarded', reason: null, awards: 1 },
      { status: 'declined', reason: 'Too far from the station', awards: 0 },
      { status: 'declined', reason: null, awards: 0 },
      { status: 'declined', reason: null, awards: 0 },
    ])
    expect(suppliers).toHaveLength(4)
  })

  it("emails every supplier of a hotel chain that shares one address, in the event's language and the client's name", async () => {
    const { rfpId, responses, recipients } = await responded(RESPONSE_A, RESPONSE_B, RESPONSE_B)
    await world.database.pool.query(`update rfp_recipients set contact_email = 'sales@chain.example' where id = any($1)`, [recipients])
    await world.database.pool.query(`update events set locale = 'de' where id = $1`, [place.eventId])
    const { award } = await propose(rfpId, [{ responseId: responses[0] }])
    expect((await execute(award.id)).emails).toEqual({ won: 1, declined: 2 })
    expect(await sentEmails(award.id)).toEqual({ 'award-won': 1, 'award-declined': 2 })
    const { rows } = await world.database.pool.query(`select distinct locale, from_name from messages where source_id = $1`, [award.id])
    const { rows: clients } = await world.database.pool.query<{ name: string }>('select name from clients where id = $1', [place.clientId])
    expect(rows).toEqual([{ locale: 'de', from_name: clients[0]!.name }])
    await world.database.pool.query(`update events set locale = 'en' where id = $1`, [place.eventId])
  })

  it('declines no supplier with keepOpen, and refuses reasons for suppliers that are not to be declined', async () => {
    const { rfpId, responses, recipients } = await responded(RESPONSE_A, RESPONSE_B)
    const { award } = await propose(rfpId, [{ responseId: responses[0] }])
    const refused = await admin.refused(
      'execute_award',
      at({ awardId: award.id, dryRun: true, declineReasons: { [recipients[0]!]: 'No' } }),
    )
    expect(refused).toMatchObject({ code: 'invalid_arguments' })
    expect(await execute(award.id, admin, { keepOpen: true })).toMatchObject({ emails: { won: 1, declined: 0 } })
  })

  it('requires a second person with the money permission for awards above the approval limit', async () => {
    const limited = await world.event({ startsOn: '2027-06-10', endsOn: '2027-06-13' })
    const [first, second] = [await world.organizer({ role: 'admin', at: limited }), await world.organizer({ role: 'admin', at: limited })]
    const buyer = await world.organizer({ role: 'sourcing', at: limited })
    const rows = createSourcingFixtures(world, limited)
    const here = (args: object) => ({ eventCode: limited.eventCode, ...args })
    const limit = (amount: string, currency = 'EUR') =>
      first.call('update_client', { clientCode: limited.clientCode, sourcing: { approvalLimit: { amount, currency } } })
    const proposeHere = async () => {
      const rfpId = await rows.rfp(await rows.brief(), { dueInDays: -1, status: 'closed' })
      const responseId = await rows.response(await rows.recipient(rfpId, await rows.supplier(`Hotel ${++made}`)), RESPONSE_A)
      return first.call('propose_award', here({ rfpId, lines: [{ responseId }], rationale: RATIONALE }))
    }
    const refused = (by: OrganizerHandle, awardId: string) => by.refused('execute_award', here({ awardId, dryRun: true }))

    await limit('108143.99')
    const above = await proposeHere()
    expect(above.overLimit).toBe(true)
    expect(await refused(first, above.award.id)).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('second person'),
    })
    expect(await refused(buyer, above.award.id)).toMatchObject({ code: 'forbidden' })
    const { confirmToken } = await second.call('execute_award', here({ awardId: above.award.id, dryRun: true }))
    expect(await second.call('execute_award', here({ awardId: above.award.id, confirmToken }))).toMatchObject({
      award: { status: 'executed' },
    })

    await limit('108144.00')
    const equal = await proposeHere()
    expect(equal.overLimit).toBe(false)
    const token = (await first.call('execute_award', here({ awardId: equal.award.id, dryRun: true }))).confirmToken
    await first.call('execute_award', here({ awardId: equal.award.id, confirmToken: token }))

    // A limit in another currency cannot be compared, so a second person decides.
    await limit('999999.00', 'USD')
    expect((await proposeHere()).overLimit).toBe(true)
  })

  it('refuses an award whose response expired after the proposal', async () => {
    const { rfpId, responses } = await responded(RESPONSE_A)
    const { award } = await propose(rfpId, [{ responseId: responses[0] }])
    await world.database.pool.query('update rfp_responses set withdrawn_at = lanyard_now() where id = $1', [responses[0]])
    expect(await admin.refused('execute_award', at({ awardId: award.id, dryRun: true }))).toMatchObject({ code: 'precondition_failed' })
  })
})

describe('publish_award_to_block', () => {
  async function executed(...contents: RfpResponseContent[]) {
    const { rows, rfpId, responses, suppliers } = await responded(...contents)
    return { awardId: await rows.award(rfpId, responses[0]!), rfpId, suppliers }
  }
  const publish = (awardId: string, more: object = {}) => admin.call('publish_award_to_block', at({ awardId, ...more }))

  it('contracts 250 room nights at 200.00 with the terms of the offer, and adds an addendum when published again', async () => {
    const { awardId } = await executed(RESPONSE_A)
    const { hotels, roomNights, unmapped } = await publish(awardId)
    expect({ roomNights, unmapped }).toEqual({ roomNights: 250, unmapped: [] })
    expect(hotels).toMatchObject([
      { created: true, contracted: 250, nights: share(100, 100, 50).map(({ night, rooms }) => ({ night, contracted: rooms })) },
    ])
    const [{ hotelId }] = hotels
    const { rows } = await world.database.pool.query(
      `select c.status, c.cutoff_on::text as cutoff, c.attrition ->> 'commitPercent' as commit, c.comp_per as comp,
         c.rebate_per_room_night::int as rebate, h.sell_status as sells, (select min(rate_single)::int from room_nights r where r.hotel_id = h.id) as rate
       from housing_contracts c join event_hotels h on h.id = c.hotel_id where c.hotel_id = $1`,
      [hotelId],
    )
    expect(rows).toEqual([
      { status: 'tentative', cutoff: '2027-05-11', commit: '80', comp: 50, rebate: 1000, sells: 'closed', rate: 20_000 },
    ])
    await admin.call(
      'amend_contract',
      at({ hotelId, nights: [{ roomTypeCode: 'standard', nights: ['2027-06-12'], delta: 5 }], reason: 'Five more rooms' }),
    )
    expect(await publish(awardId)).toMatchObject({ roomNights: 255, hotels: [{ hotelId, created: false, contracted: 255 }] })
    const { rows: addenda } = await world.database.pool.query('select count(*)::int as n from housing_addenda where hotel_id = $1', [
      hotelId,
    ])
    expect(addenda).toEqual([{ n: 2 }])
  })

  it('contracts the cheapest offered rooms first, with the given cut-off date', async () => {
    const two = RESPONSE_A.rooms.flatMap((one) => [
      { ...one, roomType: 'Deluxe', rates: { single: 30_000, double: 33_000 } },
      { ...one, roomType: 'Standard', rooms: 70 },
    ])
    const { awardId, suppliers } = await executed({ ...RESPONSE_A, rooms: two })
    await world.database.pool.query(`update awards set lines = jsonb_set(lines, '{0,share}', $2) where id = $1`, [
      awardId,
      JSON.stringify(share(100)),
    ])
    const { hotels } = await publish(awardId, { cutoffOn: '2027-05-20', status: 'definite' })
    const { rows } = await world.database.pool.query(
      `select room_type_code as type, contracted from room_nights where hotel_id = $1 order by 1`,
      [hotels[0].hotelId],
    )
    expect(rows).toEqual([
      { type: 'deluxe', contracted: 30 },
      { type: 'standard', contracted: 70 },
    ])
    expect(suppliers).toHaveLength(1)
  })

  it('refuses to publish an award that is not executed, and to a hotel that has another contract', async () => {
    const { awardId, suppliers } = await executed(RESPONSE_A)
    await publish(awardId)
    const { rows, rfpId } = await responded()
    const again = await rows.response(await rows.recipient(rfpId, suppliers[0]!), RESPONSE_B)
    const second = await rows.award(rfpId, again)
    expect(await admin.refused('publish_award_to_block', at({ awardId: second }))).toMatchObject({ code: 'conflict' })
    const open = await responded(RESPONSE_A)
    const { award } = await propose(open.rfpId, [{ responseId: open.responses[0] }])
    expect(await admin.refused('publish_award_to_block', at({ awardId: award.id }))).toMatchObject({ code: 'precondition_failed' })
  })

  it('publishes an award once for two concurrent calls', async () => {
    const { awardId, suppliers } = await executed(RESPONSE_A)
    await Promise.all([publish(awardId), publish(awardId)])
    const { rows } = await world.database.pool.query('select count(*)::int as n from event_hotels where supplier_id = $1', suppliers)
    expect(rows).toEqual([{ n: 1 }])
  })
})
