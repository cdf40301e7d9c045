import { afterEach, describe, expect, it } from 'vitest'
import { setUpBidsScenario, EXAMPLE_CRITERIA } from '../../../domains/bids/tests/bids-scenario.ts'
import { RESPONSE_B } from '../../../../test/support/sourcing.ts'

const { story, newRfp, respond, example, call, refused, query } = setUpBidsScenario()
const rubric = { name: 'Ours', criteria: EXAMPLE_CRITERIA }
const weights = (...all: number[]) => all.map((weight, index) => ({ code: `part-${index}`, name: `Part ${index}`, weight }))
const scoreOf = ({ scores, totals }: any, responseId: string) => (scores ?? totals).find((one: any) => one.responseId === responseId)

afterEach(async () => {
  await story.world.clock.reset()
  await story.world.renewTokens()
})

describe('create_scoring_rubric', () => {
  it('saves a scoring rubric of the client, changes it, and lists the rubrics by name', async () => {
    const { rubric: created } = await call('create_scoring_rubric', { name: 'Standard', criteria: EXAMPLE_CRITERIA })
    expect(created).toMatchObject({ name: 'Standard', criteria: EXAMPLE_CRITERIA, usedBy: [] })
    const { rubric: edited } = await call('create_scoring_rubric', { rubricId: created.id, name: 'Standard 2027' })
    expect(edited).toEqual({ ...created, name: 'Standard 2027' })
    expect((await call('list_scoring_rubrics', { rubricId: created.id })).rubrics).toEqual([edited])
    expect((await call('list_scoring_rubrics', {})).rubrics.map(({ id }: any) => id)).toContain(created.id)
  })

  it('changes no rubric in a dry run', async () => {
    const before = (await query('select count(*)::int as n from scoring_rubrics')).rows[0].n
    await call('create_scoring_rubric', { name: 'Trial', criteria: EXAMPLE_CRITERIA, dryRun: true })
    expect((await query('select count(*)::int as n from scoring_rubrics')).rows[0].n).toBe(before)
  })

  it('refuses a rubric with weights that do not sum to 100, unknown or misplaced formulas, or repeated codes', async () => {
    const message = async (criteria: object[]) => (await refused('create_scoring_rubric', { name: 'Wrong', criteria })).message
    expect(await message(weights(45, 50))).toContain('weights sum to 95')
    expect(await message(weights(33.33, 33.33, 33.33))).toContain('weights sum to 99.99')
    const [first, second] = weights(50, 50)
    expect(await message([{ ...first, scorer: 'formula', formula: 'cheapest' }, second!])).toContain('unknown formula')
    expect(await message([{ ...first, scorer: 'formula' }, second!])).toContain('unknown formula')
    expect(await message([{ ...first, formula: 'lowestCost' }, second!])).toContain('only for criteria with scorer formula')
    expect(await message([first!, { ...second, code: 'part-0' }])).toContain('used twice')
    expect((await refused('create_scoring_rubric', { name: 'Wrong' })).message).toContain('criteria')
    expect((await call('create_scoring_rubric', { name: 'Thirds', criteria: weights(33.33, 33.33, 33.34) })).rubric.name).toBe('Thirds')
  })

  it('attaches a copy of the rubric to an RFP, which stays the same when the rubric changes', async () => {
    const rfpId = await newRfp({ dueInDays: 5 })
    const { rubric: own, attachedTo } = await call('create_scoring_rubric', { name: 'Copied', criteria: EXAMPLE_CRITERIA, rfpId })
    expect(attachedTo.rfpId).toBe(rfpId)
    expect(own.usedBy).toMatchObject([{ rfpId }])
    await call('create_scoring_rubric', { rubricId: own.id, criteria: weights(50, 50) })
    const { attached, rubrics, scores } = await call('list_scoring_rubrics', { rfpId })
    expect(attached).toEqual({ name: 'Copied', criteria: EXAMPLE_CRITERIA })
    expect(rubrics[0].criteria).toHaveLength(2)
    expect(scores).toEqual([])
  })

  it('requires that formulas over answers name a question of the RFP', async () => {
    const questions = [{ code: 'wifi', text: 'Wi-Fi?', type: 'boolean' as const, required: false }]
    const rfpId = await newRfp({ dueInDays: 5, questions })
    const [first, second] = weights(50, 50)
    const asks = (code: string) => [{ ...first, scorer: 'formula', formula: `answer:${code}` }, second]
    expect((await refused('create_scoring_rubric', { name: 'Asks', criteria: asks('pool'), rfpId })).message).toContain('no question pool')
    expect((await call('create_scoring_rubric', { name: 'Asks', criteria: asks('wifi'), rfpId })).attachedTo.rfpId).toBe(rfpId)
  })

  it('refuses to attach a rubric to a sealed RFP from a minute after its due time, and accepts it a minute before', async () => {
    const rfpId = await newRfp({ dueInDays: 5 })
    const { due } = (await query(`select response_due_at as due from rfps where id = $1`, [rfpId])).rows[0]
    const at = async (minutes: number) => {
      await story.world.clock.stopAt(new Date(due.getTime() + minutes * 60_000).toISOString())
      await story.world.renewTokens()
    }
    await at(-1)
    await call('create_scoring_rubric', { name: 'In time', criteria: EXAMPLE_CRITERIA, rfpId })
    await at(1)
    const late = await refused('create_scoring_rubric', { name: 'Late', criteria: EXAMPLE_CRITERIA, rfpId })
    expect(late.code).toBe('conflict')
    expect((await query(`select count(*)::int as n from scoring_rubrics where name = 'Late'`)).rows[0].n).toBe(0)
  })

  it('locks the rubric of an unsealed RFP at the first submission of a supplier', async () => {
    const rfpId = await newRfp({ dueInDays: 5, sealed: false })
    await call('create_scoring_rubric', { name: 'Open', criteria: EXAMPLE_CRITERIA, rfpId })
    await respond(rfpId, RESPONSE_B)
    await query(`update rfps set first_submitted_at = lanyard_now() where id = $1`, [rfpId])
    expect((await refused('create_scoring_rubric', { name: 'Open', criteria: EXAMPLE_CRITERIA, rfpId })).code).toBe('conflict')
  })

  it('hides the rubrics of other clients', async () => {
    const { rubric: own } = await call('create_scoring_rubric', { name: 'Secret', criteria: EXAMPLE_CRITERIA })
    const other = await story.world.event()
    const stranger = await story.world.organizer({ at: other })
    const scope = { clientCode: other.clientCode, eventCode: other.eventCode }
    expect((await stranger.refused('list_scoring_rubrics', { ...scope, rubricId: own.id })).code).toBe('not_found')
    expect((await stranger.refused('create_scoring_rubric', { ...scope, rubricId: own.id, name: 'Mine' })).code).toBe('not_found')
  })
})

describe('scores in query_data', () => {
  it('returns the scores of the rubric, and none for a sealed RFP, an RFP without rubric or one without exchange rate', async () => {
    const { rfpId, a, b } = await example({ rubric })
    const scores = [a, b].flatMap((responseId) => [
      { responseId, criterion: 'location', score: 4.5 },
      { responseId, criterion: 'space', score: 4 },
    ])
    const saved = await call('record_manual_scores', { rfpId, scores })
    const { a: unrated } = await example()
    const yen = await respond(await newRfp({ rubric }), { ...RESPONSE_B, currency: 'JPY' })
    const sealed = await respond(await newRfp({ rubric, dueInDays: 5 }), RESPONSE_B)
    const { eventCode } = story.event
    const responses = { entity: 'rfpResponse', fields: ['id', 'score'], orderBy: ['-score'], limit: 1000 }
    const { rows } = await story.organizer.call('query_data', { eventCode, ...responses })
    const found = new Map(rows.map(({ id, score }: any) => [id, score]))
    expect([a, b].map((id) => found.get(id))).toEqual([a, b].map((id) => scoreOf(saved, id).total))
    expect(found.get(a)).toBeCloseTo(89.43, 2)
    expect([unrated, yen.responseId].map((id) => found.get(id))).toEqual([null, null])
    expect(found.has(sealed.responseId)).toBe(false)
    const best = { entity: 'rfpResponse', aggregates: ['max(score) as best'], filter: { field: 'rfp.id', op: 'equals', value: rfpId } }
    expect((await story.organizer.call('query_data', { eventCode, ...best })).rows).toEqual([
      { best: Math.max(found.get(a) as number, found.get(b) as number) },
    ])
  })
})

describe('record_manual_scores', () => {
  it('scores response A 89.43 before response B 88.00, as in the worked example', async () => {
    const { rfpId, a, b } = await example({ rubric })
    const colleague = await story.world.organizer({ at: story.event, name: 'Lena Bauer' })
    const mine = [
      { responseId: a, criterion: 'location', score: 4 },
      { responseId: a, criterion: 'space', score: 4 },
      { responseId: b, criterion: 'location', score: 3 },
      { responseId: b, criterion: 'space', score: 5, note: 'Largest hall' },
    ]
    expect(await call('record_manual_scores', { rfpId, scores: mine })).toMatchObject({ saved: 4, replaced: 0 })
    const scores = [{ responseId: a, criterion: 'location', score: 5 }]
    const saved = await call('record_manual_scores', { rfpId, scores }, colleague)
    expect(saved).toMatchObject({ saved: 1, replaced: 0 })
    const listed = await call('list_scoring_rubrics', { rfpId })
    expect(listed.scores).toEqual(saved.totals)
    expect(listed.scores).toMatchObject([
      { responseId: a, total: 89.43, rank: 1, knockedOut: false },
      { responseId: b, total: 88, rank: 2, knockedOut: false },
    ])
    expect(scoreOf(listed, a).byCriterion).toEqual([
      { criterion: 'cost', average: 4.8038, spread: 0, evaluators: 0 },
      { criterion: 'location', average: 4.5, spread: 1, evaluators: 2 },
      { criterion: 'space', average: 4, spread: 0, evaluators: 1 },
    ])
    const compared = await call('compare_responses', { rfpId })
    expect(compared.scores).toEqual(listed.scores)
    expect(compared.rows.find((row: any) => row.code === 'score')).toMatchObject({ values: ['88.00', '89.43'], best: a })
    // The first evaluator scores again, with 5.
    const again = await call('record_manual_scores', { rfpId, scores })
    expect(again).toMatchObject({ saved: 0, replaced: 1 })
    expect(scoreOf(again, a).byCriterion[1]).toMatchObject({ average: 5, spread: 0, evaluators: 2 })
  })

  it('records scores on behalf of another reviewer only for an administrator of the client', async () => {
    const { rfpId, a } = await example({ rubric })
    const buyer = await story.world.organizer({ at: story.event, role: 'sourcing' })
    const scores = [{ responseId: a, criterion: 'space', score: 2.5 }]
    expect((await refused('record_manual_scores', { rfpId, scores, evaluator: story.organizer.userId }, buyer)).code).toBe('forbidden')
    expect(await call('record_manual_scores', { rfpId, scores, evaluator: buyer.userId }, buyer)).toMatchObject({ saved: 1 })
    expect(await call('record_manual_scores', { rfpId, scores, evaluator: buyer.userId })).toMatchObject({ saved: 0, replaced: 1 })
    expect((await refused('record_manual_scores', { rfpId, scores, evaluator: rfpId })).code).toBe('not_found')
    const { rows } = await query(`select evaluator, score from response_scores where response_id = $1`, [a])
    expect(rows).toEqual([{ evaluator: buyer.userId, score: '2.5' }])
  })

  it('refuses scores for formula criteria and unknown criteria, scores that are not multiples of a half, and scores out of range', async () => {
    const { rfpId, a } = await example({ rubric })
    const code = async (criterion: string, score: number) =>
      (await refused('record_manual_scores', { rfpId, scores: [{ responseId: a, criterion, score }] })).code
    for (const [criterion, score] of [
      ['cost', 4],
      ['price', 4],
      ['space', 4.25],
      ['space', 5.5],
      ['space', -0.5],
    ] as const)
      expect(await code(criterion, score)).toBe('invalid_arguments')
    const twice = [1, 2].map((score) => ({ responseId: a, criterion: 'space', score }))
    expect((await refused('record_manual_scores', { rfpId, scores: twice })).message).toContain('scored twice')
    expect((await query(`select count(*)::int as n from response_scores where response_id = $1`, [a])).rows[0].n).toBe(0)
  })

  it('refuses scores for sealed responses, responses to other RFPs, RFPs without a rubric, and awarded RFPs', async () => {
    const { rfpId, a } = await example({ rubric })
    const score = (of: string, responseId: string) =>
      refused('record_manual_scores', { rfpId: of, scores: [{ responseId, criterion: 'space', score: 3 }] })
    const sealed = await example({ rubric, dueInDays: 5 })
    expect((await score(sealed.rfpId, sealed.a)).code).toBe('precondition_failed')
    expect((await score(rfpId, sealed.a)).code).toBe('not_found')
    const plain = await example()
    expect((await score(plain.rfpId, plain.a)).message).toContain('no rubric')
    await story.rows.award(rfpId, a)
    expect((await score(rfpId, a)).code).toBe('conflict')
  })

  it('saves no scores in a dry run, and saves them once for a repeated idempotency key', async () => {
    const { rfpId, a } = await example({ rubric })
    const scores = [{ responseId: a, criterion: 'space', score: 3 }]
    const preview = await call('record_manual_scores', { rfpId, scores, dryRun: true })
    expect(scoreOf(preview, a).byCriterion[2]).toMatchObject({ average: 3 })
    expect((await query(`select count(*)::int as n from response_scores where response_id = $1`, [a])).rows[0].n).toBe(0)
    const first = await call('record_manual_scores', { rfpId, scores, idempotencyKey: `score ${rfpId}` })
    expect(await call('record_manual_scores', { rfpId, scores, idempotencyKey: `score ${rfpId}` })).toEqual(first)
  })
})

describe('formulas of a scoring rubric', () => {
  it('measures the distance of a supplier from the nearest city centre of the brief', async () => {
    const criteria = [
      { code: 'near', name: 'Near', weight: 60, scorer: 'formula' as const, formula: 'distance' },
      { code: 'rooms', name: 'Rooms', weight: 40, scorer: 'formula' as const, formula: 'roomsFit' },
    ]
    const rfpId = await newRfp({ rubric: { name: 'Place', criteria } })
    // 0.045 degrees of latitude are 5.0 km: half of the radius of 10 km.
    const porto = { latitude: 41.14961 + 0.04496, longitude: -8.61099 }
    const near = await respond(rfpId, RESPONSE_B, { supplier: porto })
    const far = await respond(
      rfpId,
      { ...RESPONSE_B, rooms: RESPONSE_B.rooms.slice(0, 2) },
      { supplier: { latitude: 38.7, longitude: -9.1 } },
    )
    const unknown = await respond(rfpId, RESPONSE_B)
    const { scores } = await call('list_scoring_rubrics', { rfpId })
    expect(scoreOf({ scores }, near.responseId).byCriterion[0].average).toBeCloseTo(2.5, 2)
    expect(scoreOf({ scores }, far.responseId).byCriterion).toMatchObject([{ average: 0 }, { average: 4 }])
    expect(scoreOf({ scores }, unknown.responseId)).toMatchObject({ total: 40, byCriterion: [{ average: null }, { average: 5 }] })
  })

  it('ranks disqualified responses last, even if they are the cheapest', async () => {
    const questions = [{ code: 'wifi', text: 'Wi-Fi?', type: 'boolean' as const, required: false, mustBe: true }]
    const rfpId = await newRfp({ rubric, questions })
    const cheap = await respond(rfpId, { ...RESPONSE_B, answers: { wifi: false } })
    const dear = await respond(rfpId, { ...RESPONSE_B, rental: 90_000_00, answers: { wifi: true } })
    expect((await call('list_scoring_rubrics', { rfpId })).scores).toMatchObject([
      { responseId: dear.responseId, rank: 1, knockedOut: false },
      { responseId: cheap.responseId, rank: 2, knockedOut: true, failed: ['question:wifi'] },
    ])
  })
})
