import { describe, expect, it } from 'vitest'
import { programSections } from '../../../../test/support/programs.ts'
import { useSalesScenario } from '../../../../test/support/sales-scenario.ts'
import { lapseUnconfirmedSubmissions } from '../../../domains/submissions/confirm.ts'
import { checkIntegrity } from '../../../domains/orders/integrity/check.ts'
import { createRecurringTaskContext } from '../../../surfaces/worker/run-recurring.ts'

const RUBRIC = [
  { code: 'content', name: 'Content', weight: 50, max: 5 },
  { code: 'style', name: 'Style', weight: 30, max: 5 },
  { code: 'fit', name: 'Fit', weight: 20, max: 5 },
]
const sections = (more: object = {}) => {
  const base = programSections()
  return { ...base, sessions: { ...base.sessions, reviewRubric: RUBRIC, reviewsPerSubmission: 1, ...more } }
}
const scenario = useSalesScenario(sections())

let made = 0
const manage = (action: string, more: object = {}) => scenario.call('manage_submission', { action, ...more })
const refused = (action: string, more: object = {}) => scenario.refused('manage_submission', { action, ...more })
const speaker = async (more: object = {}): Promise<string> => {
  const number = ++made
  const given = { firstName: 'Ada', lastName: `Speaker${number}`, email: `ada.${number}@author${number}.example`, ...more }
  return (await scenario.call('manage_speaker', { action: 'create', ...given })).speaker.id
}
/** Creates a submission with one new speaker and returns its number. */
const submission = async (more: object = {}): Promise<string> => {
  const speakers = [{ speakerId: await speaker() }]
  const fields = { title: `Talk ${++made}`, trackCode: 'build', formatCode: 'talk', status: 'submitted', speakers, ...more }
  return (await manage('create', fields)).submission.number
}
const many = async (count: number, more: object = {}): Promise<string[]> => {
  const numbers: string[] = []
  for (let i = 0; i < count; i++) numbers.push(await submission(more))
  return numbers
}
const points = (content: number, style: number, fit: number) => ({ scores: { content, style, fit }, recommendation: 'maybe' })
const countEmails = (code: string) => scenario.queryNumber(`select count(*)::int as figure from messages where email_code = '${code}'`)
const get = async (number: string, include: string[] = []) => (await scenario.call('get_submission', { number, include })).submission
const at = (time: string) => ({ startsAt: `2026-09-01T${time}:00.000Z` })

describe('manage_submission', () => {
  it('hides decisions from submitters until they are emailed, and emails every submitter once', async () => {
    const numbers = await many(10)
    const decisions = numbers.map((number, i) => ({ number, decision: i < 4 ? 'accepted' : 'rejected' }))
    expect((await refused('decide', { decisions })).message).toContain('fewer than 1 reviews')
    const before = await countEmails('submission.decided')
    const decided = await manage('decide', { decisions, force: true })
    expect(decided.submissions).toHaveLength(10)
    expect(new Set(decided.submissions.map(({ status }: any) => status))).toEqual(new Set(['submitted']))
    expect(await countEmails('submission.decided')).toBe(before)

    const informed = await manage('inform', { numbers })
    expect(informed).toMatchObject({ queued: 10, skipped: [] })
    expect(informed.submissions.filter(({ status }: any) => status === 'accepted')).toHaveLength(4)
    expect(await countEmails('submission.decided')).toBe(before + 10)
    expect(await manage('inform', { numbers })).toMatchObject({ queued: 0, skipped: [{ reason: 'already_informed', count: 10 }] })
    expect(await manage('inform', { decision: 'accepted' })).toMatchObject({
      queued: 0,
      skipped: [{ reason: 'already_informed', count: 4 }],
    })
    expect(await countEmails('submission.decided')).toBe(before + 10)
    const confirmable = await get(numbers[0]!)
    expect(confirmable).toMatchObject({ status: 'accepted', confirmBy: expect.any(String) })
    expect(confirmable).not.toHaveProperty('pending')
  })

  it('withdraws a decision before submitters are emailed, and accepts a backup submission later', async () => {
    const number = await submission()
    await manage('decide', { decisions: [{ number, decision: 'accepted' }], force: true })
    await manage('decide', { decisions: [{ number, decision: 'none' }] })
    expect(await manage('inform', { numbers: [number] })).toMatchObject({ queued: 0, skipped: [{ reason: 'not_decided', count: 1 }] })
    for (const decision of ['backup', 'accepted']) {
      await manage('decide', { decisions: [{ number, decision, trackCode: 'run' }], force: true })
      expect(await manage('inform', { numbers: [number] })).toMatchObject({ queued: 1 })
    }
    expect(await get(number)).toMatchObject({
      status: 'accepted',
      preferred: { trackCode: 'build' },
      decided: { trackCode: 'run' },
    })
    expect((await refused('decide', { decisions: [{ number, decision: 'rejected' }], force: true })).message).toContain('accepted')
  })

  it('refuses reviews that do not fit the rubric, with a conflict of interest, or after the decision was emailed', async () => {
    const number = await submission()
    const wrong = await refused('review', { number, scores: { content: 6, wit: 1 }, recommendation: 'accept' })
    expect(wrong.fields!.map(({ path }: any) => path).toSorted()).toEqual(['scores.content', 'scores.fit', 'scores.style', 'scores.wit'])
    expect((await manage('review', { number, ...points(5, 4, 3) })).submission).toMatchObject({
      status: 'under_review',
      score: 86,
      reviewsDone: 1,
    })
    expect((await manage('review', { number, ...points(3, 3, 4) })).submission).toMatchObject({ score: 64, reviewsDone: 1 })
    const domain = scenario.olga.email.split('@')[1]
    const own = await submission({ speakers: [{ speakerId: await speaker({ email: `colleague@${domain}` }) }] })
    expect((await refused('review', { number: own, ...points(1, 1, 1) })).message).toContain('same domain')
    expect((await manage('review', { number: own, recused: true })).submission).toMatchObject({ score: null, reviewsDone: 0 })
    await manage('decide', { decisions: [{ number, decision: 'rejected' }] })
    await manage('inform', { numbers: [number] })
    expect((await refused('review', { number, ...points(1, 1, 1) })).message).toContain('reviews are closed')
  })

  it('assigns reviewers evenly, never to submissions of their own company, and keeps existing assignments', async () => {
    const reviewers = []
    for (let i = 0; i < 6; i++)
      reviewers.push(await scenario.world.organizer({ role: 'program', at: scenario.event, email: `reviewer${i}@committee${i}.example` }))
    const numbers = await many(11)
    numbers.push(await submission({ speakers: [{ speakerId: await speaker({ email: 'x@committee0.example' }) }] }))
    const reviewerIds = reviewers.map(({ userId }) => userId)
    const assigned = await manage('assign_reviewers', { numbers, reviewerIds, perSubmission: 2 })
    expect(assigned).toMatchObject({ assigned: 24, unassignable: [] })
    expect(assigned.load.map(({ load }: any) => load)).toEqual([4, 4, 4, 4, 4, 4])
    expect((await get(numbers.at(-1)!)).reviewers.map(({ reviewerId }: any) => reviewerId)).not.toContain(reviewerIds[0])
    expect(await manage('assign_reviewers', { numbers, reviewerIds, perSubmission: 2 })).toMatchObject({ assigned: 0 })
    expect((await scenario.call('list_submissions', { reviewer: reviewerIds[1], limit: 100 })).total).toBe(4)
    const analyst = await scenario.world.organizer({ role: 'analyst', at: scenario.event })
    expect((await refused('assign_reviewers', { numbers, reviewerIds: [analyst.userId] })).message).toContain('sessions.write')
  })

  it('schedules, moves and frees the room of a submission, and names the conference session that occupies it', async () => {
    const [first, second] = await many(2, { status: 'accepted' })
    const scheduled = await manage('schedule', { number: first, roomCode: 'attic', ...at('08:00') })
    expect(scheduled).toMatchObject({
      session: { roomCode: 'attic', endsAt: '2026-09-01T08:40:00.000Z', status: 'scheduled' },
      conflicts: [],
    })
    const clash = await refused('schedule', { number: second, roomCode: 'attic', ...at('08:30') })
    expect(clash).toMatchObject({ code: 'conflict' })
    expect(clash.message).toContain('from 2026-09-01T10:00 to 2026-09-01T10:40')
    expect(await manage('schedule', { number: first, roomCode: 'attic', ...at('09:00') })).toMatchObject({
      session: { sessionId: scheduled.session.sessionId, startsAt: '2026-09-01T09:00:00.000Z' },
    })
    await manage('schedule', { number: second, roomCode: 'attic', ...at('08:20') })
    expect((await refused('schedule', { number: first, roomCode: 'hall', startsAt: '2026-08-31T09:00:00.000Z' })).message).toContain(
      'outside the event days',
    )
    const lastDay = { number: first, roomCode: 'hall', startsAt: '2026-09-01T20:00:00.000Z' }
    for (const endsAt of ['2026-12-24T10:00:00.000Z', '2026-09-01T22:00:00.001Z'])
      expect((await refused('schedule', { ...lastDay, endsAt })).message).toContain('endsAt')
    // The event is in Paris, where the last day ends at 22:00 UTC.
    expect(await manage('schedule', { ...lastDay, endsAt: '2026-09-01T22:00:00.000Z' })).toMatchObject({ conflicts: [] })
    const { session: unscheduled } = (await manage('unschedule', { number: second })).submission
    expect(unscheduled).toMatchObject({ status: 'draft' })
    for (const place of ['roomCode', 'startsAt']) expect(unscheduled).not.toHaveProperty(place)
    expect((await manage('update', { number: first, title: 'A new title' })).changed).toEqual(['title'])
    expect(await scenario.queryNumber(`select count(*)::int as figure from sessions where title = 'A new title'`)).toBe(1)
  })

  it('refuses to schedule a speaker who has another conference session at that time', async () => {
    const speakers = [{ speakerId: await speaker() }]
    const [first, second] = [await submission({ status: 'accepted', speakers }), await submission({ status: 'accepted', speakers })]
    await manage('schedule', { number: first, roomCode: 'hall', ...at('12:00') })
    expect((await refused('schedule', { number: second, roomCode: 'attic', ...at('12:20') })).code).toBe('conflict')
  })

  it('schedules only one of two submissions by concurrent calls for the same room and hour', async () => {
    const numbers = await many(2, { status: 'accepted' })
    const answers = await Promise.all(
      numbers.map((number) =>
        scenario.olga.answer('manage_submission', {
          eventCode: scenario.event.eventCode,
          action: 'schedule',
          number,
          roomCode: 'hall',
          ...at('14:00'),
        }),
      ),
    )
    expect(answers.filter(({ isError }) => isError).map(({ _meta }) => _meta!['lanyard/error'].code)).toEqual(['conflict'])
  })

  it('cancels the conference session of a submission, emails enrolled people and speakers once, and frees the room', async () => {
    const [number, next] = await many(2, { status: 'accepted' })
    const { session } = await manage('schedule', { number, roomCode: 'attic', ...at('16:00') })
    for (let i = 0; i < 2; i++) await scenario.register({ pass: 1 }, { data: { [`@session.${session.sessionId}`]: true } })
    const before = await countEmails('session.cancelled')
    expect(await manage('cancel', { number, reason: 'The speaker is ill' })).toMatchObject({
      queued: 3,
      submission: { status: 'cancelled' },
    })
    expect(await countEmails('session.cancelled')).toBe(before + 3)
    expect((await refused('cancel', { number, reason: 'again' })).message).toContain('already cancelled')
    expect(await manage('schedule', { number: next, roomCode: 'attic', ...at('16:00') })).toMatchObject({ session: { roomCode: 'attic' } })
    const open = await scenario.queryNumber(
      `select count(*)::int as figure from session_enrolments where session_id = '${session.sessionId}' and status <> 'cancelled'`,
    )
    expect(open).toBe(0)
  })

  it('confirms and declines accepted submissions, and releases those that were not confirmed in time', async () => {
    const numbers = await many(3)
    await manage('decide', { decisions: numbers.map((number) => ({ number, decision: 'accepted' })), force: true })
    await manage('inform', { numbers })
    const [confirmed, declined, lapsed] = numbers as [string, string, string]
    await manage('schedule', { number: declined, roomCode: 'hall', ...at('06:00') })
    expect((await manage('confirm', { number: confirmed })).submission.status).toBe('confirmed')
    expect((await manage('confirm', { number: confirmed })).submission.status).toBe('confirmed')
    expect((await manage('decline', { number: declined })).submission).toMatchObject({ status: 'rejected', session: { status: 'draft' } })
    const run = () =>
      lapseUnconfirmedSubmissions.run(createRecurringTaskContext(scenario.world.services, lapseUnconfirmedSubmissions.name, new Date()))
    await run()
    expect((await get(lapsed)).status).toBe('accepted')
    await scenario.world.database.pool.query(
      `update submissions set confirm_by = lanyard_now() - interval '1 minute' where number = any($1)`,
      [numbers],
    )
    await run()
    await run()
    expect([(await get(lapsed)).status, (await get(confirmed)).status]).toEqual(['rejected', 'confirmed'])
  })

  it('merges two submissions, and keeps the speakers of both, each speaker once', async () => {
    const shared = { speakerId: await speaker() }
    const [keep, drop] = [
      await submission({ speakers: [shared, { speakerId: await speaker() }], keywords: ['water'] }),
      await submission({ speakers: [shared, { speakerId: await speaker() }], keywords: ['rain', 'water'] }),
    ]
    expect((await manage('merge', { keep, drop })).submission).toMatchObject({ keywords: ['water', 'rain'], speakers: { length: 3 } })
    expect(await get(drop)).toMatchObject({ status: 'merged', mergedInto: keep })
    expect((await refused('merge', { keep, drop: keep })).message).toContain('another submission')
  })

  it('requires a speaker for a submission, and emails the submitter a confirmation of receipt', async () => {
    const { submission: draft } = await manage('create', { title: 'Draft', trackCode: 'build', formatCode: 'talk' })
    expect(draft).toMatchObject({ number: expect.stringMatching(/^S-\d{6}$/), status: 'draft' })
    expect((await refused('submit', { number: draft.number })).message).toContain('at least one speaker')
    await manage('update', { number: draft.number, speakers: [{ speakerId: await speaker(), role: 'panelist' }], trackCode: 'run' })
    const before = await countEmails('submission.received')
    expect((await manage('submit', { number: draft.number })).submission).toMatchObject({
      status: 'submitted',
      preferred: { trackCode: 'run' },
    })
    expect(await countEmails('submission.received')).toBe(before + 1)
    expect((await manage('withdraw', { number: draft.number })).submission.status).toBe('withdrawn')
    expect((await refused('withdraw', { number: draft.number })).message).toContain('withdrawn')
  })

  it('finds no violation of the integrity rules of submissions, and prevents storing the same review twice', async () => {
    const wrong = (await checkIntegrity(scenario.world.database.write, scenario.event.tenantId, scenario.event.eventId)).filter(
      ({ ok }) => !ok,
    )
    expect(wrong).toEqual([])
    const twice = scenario.world.database.pool.query(`insert into submission_reviews select * from submission_reviews limit 1`)
    await expect(twice).rejects.toMatchObject({ code: '23505' })
  })
})

describe('list_submissions and get_submission', () => {
  it("hides speakers and other reviews from an assigned reviewer until the reviewer's own review is submitted", async () => {
    await scenario.publish(sections({ blind: 'double' }))
    const rita = await scenario.world.organizer({ role: 'program', at: scenario.event, email: `rita${++made}@elsewhere.example` })
    const speakerId = await speaker({ firstName: 'Quintessa', lastName: 'Unforgettable', company: 'Secretive Ltd' })
    const number = await submission({ speakers: [{ speakerId }] })
    await manage('review', { number, ...points(5, 4, 3) })
    await manage('assign_reviewers', { numbers: [number], reviewerIds: [rita.userId], perSubmission: 2 })
    const here = { eventCode: scenario.event.eventCode }
    const look = async () =>
      JSON.stringify(await rita.call('get_submission', { ...here, number, include: ['reviews', 'history', 'similar'] }))
    const find = async (filter: object) => (await rita.call('list_submissions', { ...here, ...filter })).submissions
    expect(await look()).not.toMatch(/Quintessa|Unforgettable|Secretive|author|86/)
    expect(JSON.stringify(await find({ reviewer: 'me' }))).not.toContain('Quintessa')
    expect(await find({ reviewer: 'me' })).toMatchObject([{ number, score: null }])
    expect([await find({ search: 'Quintessa' }), await find({ speakerId })]).toEqual([[], []])
    await rita.call('manage_submission', { ...here, action: 'review', number, ...points(3, 3, 4) })
    expect(await look()).toMatch(/Quintessa.*"score":75,"adjusted":[\d.]+,"spread":11/)
    expect(await find({ search: 'Quintessa' })).toMatchObject([{ score: 75, spread: 11, reviews: { done: 2 } }])
    await scenario.publish(sections())
  })

  it('counts submissions by status, filters them by reviews and score, and sorts those without a score last', async () => {
    const [good, poor, unread] = await many(3, { trackCode: 'run' })
    await manage('review', { number: good, ...points(5, 5, 5) })
    await manage('review', { number: poor, ...points(1, 1, 1) })
    const track = { trackCode: 'run', status: ['submitted', 'under_review'] }
    const all = await scenario.call('list_submissions', { ...track, sort: 'score' })
    expect(all.submissions.map(({ number }: any) => number)).toEqual([good, poor, unread])
    expect(all.submissions.at(-1)).toMatchObject({ score: null, adjusted: null, reviews: { done: 0, wanted: 1 } })
    expect(Object.values<number>(all.counts).reduce((sum, n) => sum + n, 0)).toBe(all.total)
    expect((await scenario.call('list_submissions', { ...track, reviewsBelow: 1 })).submissions).toMatchObject([{ number: unread }])
    const second = await scenario.world.organizer({ role: 'program', at: scenario.event, email: 'second@committee.example' })
    const review = { eventCode: scenario.event.eventCode, action: 'review', number: good, ...points(5, 5, 5) }
    await second.call('manage_submission', review)
    const fewer = await scenario.call('list_submissions', { ...track, reviewsBelow: 2, sort: 'score' })
    expect(fewer.submissions).toMatchObject([{ number: poor, reviews: { done: 1 } }, { number: unread }])
    expect((await scenario.call('list_submissions', { ...track, minScore: 50 })).submissions).toMatchObject([{ number: good }])
    const first = await scenario.call('list_submissions', { ...track, sort: 'adjusted', limit: 2 })
    const rest = await scenario.call('list_submissions', { ...track, sort: 'adjusted', limit: 2, cursor: first.nextCursor })
    expect([...first.submissions, ...rest.submissions].map(({ number }: any) => number)).toEqual([good, poor, unread])
  })

  it('finds submissions with nearly the same text', async () => {
    const text = (topic: string) => ({
      title: `${topic} under bridges`,
      abstract: `Low cost ${topic} measure the level of rivers under bridges in eleven countries.`,
    })
    const [one, two] = [await submission(text('Gauges')), await submission(text('Gauges'))]
    const other = await submission({ title: 'Leadership for introverts', abstract: 'How quiet people lead teams.' })
    const { similar } = await get(one, ['similar'])
    expect(similar[0]).toMatchObject({ number: two, similarity: 1 })
    expect(similar.map(({ number }: any) => number)).not.toContain(other)
  })
})
