import { describe, expect, it } from 'vitest'
import { setUpBidsScenario, EXAMPLE_CRITERIA } from '../../../domains/bids/tests/bids-scenario.ts'
import { submitResponse } from '../../../domains/bids/submit.ts'
import type { RfpResponseContent } from '../../../domains/bids/tables.ts'
import { inEventTransaction } from '../../../../test/support/hotels.ts'
import { EXAMPLE_NEED, RESPONSE_A, RESPONSE_A_FIRST, RESPONSE_B } from '../../../../test/support/sourcing.ts'

const { story, newRfp, respond, example, call, answer, refused, query } = setUpBidsScenario()
const euros = (amount: string) => ({ amount, currency: 'EUR' })
const rowOf = ({ rows }: any, code: string) => rows.find((row: any) => row.code === code)

describe('compare_responses', () => {
  it('ranks response B with 97,655.40 before response A with 101,644.00, as in the worked example', async () => {
    const { rfpId, a, b } = await example()
    const compared = await call('compare_responses', { rfpId })
    expect(compared.columns.map(({ responseId, supplier }: any) => [responseId, supplier])).toEqual([
      [b, 'Nordkette Congress Hotel'],
      [a, 'Hotel Innbrücke'],
    ])
    expect(compared.totals).toEqual([
      {
        gross: euros('98945.40'),
        concessions: euros('1290.00'),
        net: euros('97655.40'),
        perRoomNight: euros('390.62'),
        perPerson: euros('488.28'),
      },
      {
        gross: euros('108144.00'),
        concessions: euros('6500.00'),
        net: euros('101644.00'),
        perRoomNight: euros('406.58'),
        perPerson: euros('508.22'),
      },
    ])
    expect(rowOf(compared, 'net')).toMatchObject({ section: 'cost', values: ['97655.40', '101644.00'], best: b })
    expect(rowOf(compared, 'rooms')).toMatchObject({ values: ['61275.00', '58250.00'], best: a })
    expect(rowOf(compared, 'food')).toMatchObject({ values: ['37670.40', '39894.00'], best: b })
    expect(rowOf(compared, 'concessions')).toMatchObject({ values: ['1290.00', '6500.00'], best: a })
    expect(rowOf(compared, 'aboveLowest').values).toEqual(['0.00', '3988.60'])
    expect(rowOf(compared, 'av')).toBeUndefined()
    for (const row of compared.rows) expect(row.values).toHaveLength(2)
    expect(compared).toMatchObject({ currency: 'EUR', fx: [], risks: [] })
    expect(compared.scores).toBeUndefined()
    expect(compared.xlsxUrl).toContain(`/rfps/${rfpId}/compare.xlsx`)
  })

  it('returns the cost comparison as a PNG picture', async () => {
    const { rfpId } = await example()
    const { content } = await answer('compare_responses', { rfpId })
    const picture = content.find(({ type }) => type === 'image')!
    expect(picture.mimeType).toBe('image/png')
    const bytes = Buffer.from(picture.data!, 'base64')
    expect(bytes.subarray(1, 4).toString()).toBe('PNG')
    expect(bytes.length).toBeGreaterThan(2000)
  })

  it('compares the latest round of offers, without withdrawn responses and suppliers who declined', async () => {
    const rfpId = await newRfp()
    const { recipientId, responseId: first } = await respond(rfpId, RESPONSE_A_FIRST)
    const second = await story.rows.response(recipientId, RESPONSE_A, { round: 2 })
    const withdrawn = await respond(rfpId, RESPONSE_B)
    const left = await respond(rfpId, RESPONSE_B)
    expect((await call('compare_responses', { rfpId })).columns).toHaveLength(3)
    await query(`update rfp_responses set withdrawn_at = lanyard_now() where id = $1`, [withdrawn.responseId])
    await query(`update rfp_recipients set status = 'turnedDown' where id = $1`, [left.recipientId])
    const { columns } = await call('compare_responses', { rfpId })
    expect(columns).toMatchObject([{ responseId: second, round: 2 }])
    expect((await refused('compare_responses', { rfpId, responseIds: [first] })).code).toBe('precondition_failed')
    expect((await refused('compare_responses', { rfpId, responseIds: [withdrawn.responseId] })).message).toContain('withdrawn')
    // The first-round response of a supplier who withdraws the second round is not compared either.
    await query(`update rfp_responses set withdrawn_at = lanyard_now() where id = $1`, [second])
    expect((await refused('compare_responses', { rfpId })).code).toBe('precondition_failed')
  })

  it('flags missing rooms of a response, and prices it as if those rooms were offered', async () => {
    const rfpId = await newRfp()
    const rooms = RESPONSE_A.rooms.map((one) => (one.night === '2027-06-11' ? { ...one, rooms: 80 } : one))
    const { responseId } = await respond(rfpId, { ...RESPONSE_A, rooms })
    const compared = await call('compare_responses', { rfpId })
    expect(compared.totals[0].net).toEqual(euros('101644.00'))
    expect(compared.risks).toMatchObject([{ responseId, code: 'shortRooms' }])
    expect(compared.risks[0].message).toContain('20 rooms short on 2027-06-11: 80 of 100')
    expect(rowOf(compared, 'roomNightsShort').values).toEqual(['20'])
  })

  it('lists unpriced meals, early expiry, cut-off, commitment, failed answers and an exceeded budget as risks of a response', async () => {
    const need = { ...EXAMPLE_NEED, cutoffDaysWanted: 21, attritionWanted: 75, budget: euros('90000.00') }
    const questions = [
      { code: 'shuttle', text: 'Is there a shuttle?', type: 'boolean' as const, required: true, mustBe: true },
      { code: 'wifi', text: 'Which Wi-Fi?', type: 'text' as const, required: true },
    ]
    const rfpId = await newRfp({ need, questions })
    const { decision_on } = (await query(`select decision_on::text from rfps where id = $1`, [rfpId])).rows[0]!
    const validUntil = new Date(Date.parse(decision_on) - 3 * 86_400_000).toISOString().slice(0, 10)
    await respond(rfpId, { ...RESPONSE_A, menu: [], validUntil, answers: { shuttle: false } })
    const compared = await call('compare_responses', { rfpId })
    expect(compared.risks.map(({ code }: any) => code)).toEqual([
      'unpricedMeals',
      'missingAnswers',
      'mustBeFailed',
      'expiresEarly',
      'earlyCutoff',
      'highCommitment',
      'overBudget',
    ])
    expect(compared.risks[3].message).toContain('3 days before the decision')
    expect(rowOf(compared, 'question:shuttle').values).toEqual(['No'])
    expect(rowOf(compared, 'question:wifi').values).toEqual([null])
  })

  it('compares only the selected responses and date options', async () => {
    const { rfpId, a, recipients } = await example()
    expect((await call('compare_responses', { rfpId, responseIds: [a] })).columns).toMatchObject([{ responseId: a }])
    await query(
      `update rfps set date_options = date_options || '[{"arrival": "2027-06-17", "departure": "2027-06-20"}]'::jsonb where id = $1`,
      [rfpId],
    )
    const shifted = RESPONSE_A.rooms.map((one) => ({
      ...one,
      night: new Date(Date.parse(one.night) + 7 * 86_400_000).toISOString().slice(0, 10),
    }))
    const other = await story.rows.response(recipients.a, { ...RESPONSE_A, rooms: shifted }, { dateOption: 1 })
    const compared = await call('compare_responses', { rfpId, dateOption: 1 })
    expect(compared.columns).toMatchObject([{ responseId: other, dateOption: 1, arrival: '2027-06-17' }])
    expect(compared.totals[0].net).toEqual(euros('101644.00'))
    expect(compared.risks).toEqual([])
    expect((await refused('compare_responses', { rfpId, dateOption: 2 })).code).toBe('invalid_arguments')
  })

  it('converts foreign currencies, and names the pair of currencies whose rate is missing', async () => {
    const rfpId = await newRfp()
    await respond(rfpId, RESPONSE_B)
    await respond(rfpId, { ...RESPONSE_A, currency: 'USD' })
    const missing = await refused('compare_responses', { rfpId })
    expect(missing.code).toBe('unavailable')
    expect(missing.message).toContain('USD/EUR')
    expect(missing.message).toContain('Set LANYARD_FX_PROVIDER or LANYARD_FX_FILE')
    const day = (daysAgo: number) => new Date(Date.parse('2026-11-01') - daysAgo * 86_400_000).toISOString().slice(0, 10)
    const insert = (on: string, rate: string) =>
      query(`insert into fx_rates (day, currency, per_eur, source) values ($1, 'USD', $2, 'file')`, [on, rate])
    await insert(day(30), '2')
    expect((await refused('compare_responses', { rfpId })).code).toBe('unavailable')
    await insert(day(2), '1.25')
    const compared = await call('compare_responses', { rfpId })
    expect(compared.fx).toEqual([{ from: 'USD', to: 'EUR', rate: '0.800000', day: day(2) }])
    expect(compared.totals.map(({ net }: any) => net)).toEqual([euros('81315.20'), euros('97655.40')])
    const dollars = await call('compare_responses', { rfpId, currency: 'USD' })
    expect(dollars.totals.map(({ net }: any) => net.amount)).toEqual(['101644.00', '122069.25'])
    expect((await refused('compare_responses', { rfpId, currency: 'JPY' })).message).toContain('EUR/JPY')
    await query('delete from fx_rates')
  })

  it('refuses to compare RFPs without responses and RFPs of other events', async () => {
    const rfpId = await newRfp()
    expect((await refused('compare_responses', { rfpId })).code).toBe('precondition_failed')
    const other = await story.world.event({ at: story.event })
    const { code } = await story.organizer.refused('compare_responses', { clientCode: other.clientCode, eventCode: other.eventCode, rfpId })
    expect(code).toBe('not_found')
  })
})

describe('list_rfp_responses', () => {
  it('lists the totals and missing parts of each supplier response, and suppliers who have not responded', async () => {
    const questions = [{ code: 'wifi', text: 'Wi-Fi?', type: 'boolean' as const, required: true, mustBe: true }]
    const { rfpId, a } = await example({ questions })
    await story.rows.recipient(rfpId, await story.rows.supplier('Silent Lodge'), { status: 'opened' })
    const listed = await call('list_rfp_responses', { rfpId })
    expect(listed.sealed).toBe(false)
    expect(listed.responses).toMatchObject([
      { id: a, supplier: { name: 'Hotel Innbrücke' }, status: 'submitted', round: 1, total: euros('101644.00'), gross: euros('108144.00') },
      { total: euros('97655.40'), missing: ['answer:wifi', 'validUntil'], mustHavesFailed: ['question:wifi'] },
    ])
    expect(listed.pending).toMatchObject([{ supplier: { name: 'Silent Lodge' }, status: 'opened' }])
  })

  it('returns one supplier response in full, with earlier rounds on request', async () => {
    const rfpId = await newRfp()
    const { recipientId, responseId } = await respond(rfpId, RESPONSE_A_FIRST)
    const second = await story.rows.response(recipientId, RESPONSE_A, { round: 2 })
    expect((await call('list_rfp_responses', { rfpId })).responses.map(({ id }: any) => id)).toEqual([second])
    expect((await call('list_rfp_responses', { rfpId, allRounds: true })).responses.map(({ id }: any) => id)).toEqual([responseId, second])
    const { responses } = await call('list_rfp_responses', { rfpId, responseId })
    expect(responses).toMatchObject([
      { round: 1, content: { rental: euros('15000.00'), rooms: [{ rates: { single: euros('220.00') } }, {}, {}] } },
    ])
    expect((await refused('list_rfp_responses', { rfpId, responseId: rfpId })).code).toBe('not_found')
  })

  it('shows the scores that disqualify a supplier response', async () => {
    const criteria = EXAMPLE_CRITERIA.map((one) => (one.code === 'cost' ? { ...one, mustHave: { op: '>=' as const, value: 4.9 } } : one))
    const { rfpId } = await example({ rubric: { name: 'Ours', criteria } })
    const { responses } = await call('list_rfp_responses', { rfpId })
    expect(responses.map(({ mustHavesFailed }: any) => mustHavesFailed)).toEqual([['criterion:cost'], []])
  })
})

describe('total of rfpResponse in query_data', () => {
  const later = (day: string, days: number) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
  /** The rooms of response A with a higher rate each night, a number of days later. */
  const risingRates = (days: number) =>
    RESPONSE_A.rooms.map((one, index) => ({ ...one, night: later(one.night, days), rates: { single: 20_000 + index * 7_001 } }))

  /** Submits responses of two suppliers in two rounds, for two date options and in three currencies. */
  async function submitResponses(rfpId: string) {
    await query(
      `update rfps set date_options = date_options || '[{"arrival": "2027-06-17", "departure": "2027-06-20"}]'::jsonb where id = $1`,
      [rfpId],
    )
    const one = await story.rows.recipient(rfpId, await story.rows.supplier('Rising Rates'))
    const other = await story.rows.recipient(rfpId, await story.rows.supplier('Other Currencies'))
    const submit = (recipientId: string, dateOption: number, content: RfpResponseContent) =>
      inEventTransaction(story.world, story.event, (ctx) => submitResponse(ctx, { recipientId, dateOption, content, source: 'portal' }))
    await submit(one, 0, RESPONSE_A_FIRST)
    await submit(one, 0, { ...RESPONSE_A, rooms: risingRates(0) })
    await submit(one, 1, { ...RESPONSE_B, rooms: risingRates(7) })
    await submit(other, 0, { ...RESPONSE_B, currency: 'USD' })
    await submit(other, 1, { ...RESPONSE_A, currency: 'JPY', rooms: risingRates(7) })
    await query('update rfps set round = 2 where id = $1', [rfpId])
    await submit(one, 0, RESPONSE_A)
  }

  const readTotals = async (rfpId: string) => {
    const { responses } = await call('list_rfp_responses', { rfpId, allRounds: true })
    const filter = { field: 'rfpId', op: 'equals', value: rfpId }
    const { rows } = await call('query_data', { entity: 'rfpResponse', fields: ['id', 'total'], filter })
    const byId = (list: any[]) => Object.fromEntries(list.map(({ id, total }) => [id, total]))
    return { listed: byId(responses), queried: byId(rows) }
  }

  it('returns in query_data the same response totals as list_rfp_responses for each round, date option and currency', async () => {
    const rfpId = await newRfp({ dueInDays: 10, sealed: false })
    await submitResponses(rfpId)
    const { listed, queried } = await readTotals(rfpId)
    expect(queried).toEqual(listed)
    const totals = Object.values<any>(queried).map(({ amount, currency }) => `${amount} ${currency}`)
    expect(new Set(totals).size).toBe(6)
    expect(totals).toEqual(expect.arrayContaining(['101644.00 EUR', '118893.00 EUR', '97655.40 USD']))
    const { rows } = await call('query_data', {
      entity: 'rfpResponse',
      aggregates: ['max(total) as highest'],
      filter: { field: 'rfpId', op: 'equals', value: rfpId },
    })
    expect(rows.map(({ highest }: any) => highest.currency).toSorted()).toEqual(['EUR', 'JPY', 'USD'])
  })

  it('hides response totals in query_data until the due time of a sealed RFP, and never changes stored totals', async () => {
    const rfpId = await newRfp({ dueInDays: 10 })
    await submitResponses(rfpId)
    expect((await readTotals(rfpId)).queried).toEqual({})
    await expect(query('update rfp_responses set total = total + 1 where rfp_id = $1', [rfpId])).rejects.toThrow('never changes')
    await query('update rfps set sealed = false where id = $1', [rfpId])
    const { listed, queried } = await readTotals(rfpId)
    expect(Object.keys(queried)).toHaveLength(6)
    expect(queried).toEqual(listed)
  })
})
