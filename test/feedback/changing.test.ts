import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { OPERATOR_ENV, operatorAt, feedbackWriterIn } from './operator.ts'

let world: World
let served: Served
let operator: ReturnType<typeof operatorAt>
let said: ReturnType<typeof feedbackWriterIn>['said']
let set: ReturnType<typeof feedbackWriterIn>['set']

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  served = await serve(world, { env: OPERATOR_ENV })
  operator = operatorAt(served)
  ;({ said, set } = feedbackWriterIn(world))
})
afterAll(() => world.end())
beforeEach(() => world.database.pool.query('delete from feedback'))

describe('update_feedback', () => {
  it('changes the given feedback fields, increases the revision once and adds a note', async () => {
    const feedbackId = await said('the badge printer jams')
    const { feedback, changed } = await operator.call('update_feedback', {
      feedbackId,
      status: 'triaged',
      assignee: 'Maria',
      ifRevision: 1,
    })
    expect(changed).toEqual(['status', 'assignee'])
    expect(feedback).toMatchObject({ status: 'triaged', assignee: 'Maria', revision: 2, noteCount: 1 })
    expect(feedback.notes[0]).toMatchObject({
      kind: 'change',
      author: 'operator',
      text: 'status: new -> triaged; assignee: unassigned -> Maria',
    })
    const again = await operator.call('update_feedback', { feedbackId, status: 'triaged', assignee: 'Maria' })
    expect([again.changed, again.feedback.revision, again.feedback.noteCount]).toEqual([[], 2, 1])
    const cleared = await operator.call('update_feedback', { feedbackId, clear: ['assignee'], kind: 'idea' })
    expect(cleared).toMatchObject({ changed: ['kind', 'assignee'], feedback: { kind: 'idea', revision: 3 } })
    expect(cleared.feedback).not.toHaveProperty('assignee')
  })

  it('rejects an edit based on an older revision of the feedback', async () => {
    const feedbackId = await said('the badge printer jams')
    await operator.call('update_feedback', { feedbackId, status: 'planned' })
    expect(await operator.refused('update_feedback', { feedbackId, status: 'fixed', ifRevision: 1 })).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('is at revision 2, not 1'),
    })
  })

  it('allows only valid status transitions of feedback', async () => {
    const feedbackId = await said('the badge printer jams')
    await operator.call('update_feedback', { feedbackId, status: 'planned' })
    expect(await operator.refused('update_feedback', { feedbackId, status: 'new' })).toMatchObject({
      code: 'precondition_failed',
      message: 'This feedback is planned and cannot become new — it can only become triaged, fixed, declined or duplicate',
    })
    expect((await operator.refused('update_feedback', { feedbackId, status: 'duplicate' })).code).toBe('invalid_arguments')
    for (const status of ['declined', 'new', 'fixed', 'triaged']) await operator.call('update_feedback', { feedbackId, status })
  })

  it('saves both of two concurrent edits of one feedback entry', async () => {
    const feedbackId = await said('the badge printer jams')
    await Promise.all([
      operator.call('update_feedback', { feedbackId, status: 'triaged' }),
      operator.call('update_feedback', { feedbackId, assignee: 'Maria' }),
    ])
    expect((await operator.call('get_feedback', { feedbackId })).feedback).toMatchObject({
      status: 'triaged',
      assignee: 'Maria',
      revision: 3,
    })
  })
})

describe('add_feedback_note', () => {
  it('returns the newest twenty notes of a feedback entry, newest first', async () => {
    const feedbackId = await said('the badge printer jams')
    for (let i = 1; i <= 22; i++) await operator.call('add_feedback_note', { feedbackId, text: `look ${i}` })
    const { feedback } = await operator.call('get_feedback', { feedbackId })
    expect(feedback).toMatchObject({ noteCount: 22, revision: 1 })
    expect(feedback.notes).toHaveLength(20)
    expect(feedback.notes[0]).toMatchObject({ kind: 'note', author: 'operator', text: 'look 22' })
  })

  it('rejects a feedback note that is empty, too long or for an unknown feedback', async () => {
    const feedbackId = await said('the badge printer jams')
    for (const text of ['  ', 'x'.repeat(2001)])
      expect((await operator.refused('add_feedback_note', { feedbackId, text })).code).toBe('invalid_arguments')
    expect((await operator.refused('add_feedback_note', { feedbackId: '0'.repeat(24), text: 'x' })).code).toBe('not_found')
  })
})

describe('merge_feedback', () => {
  it('merges counts, period and references of several feedback entries into one, and links each duplicate to the original', async () => {
    const [a, b, c] = [await said('a'), await said('b'), await said('c')]
    await set(a, `count = 3, first_at = '2026-01-01Z', error_references = '[{"reference":"aa","at":"2026-02-01T00:00:00.000Z"}]'`)
    await set(b, `count = 2, error_references = '[{"reference":"bb","at":"2026-01-15T00:00:00.000Z"}]'`)
    const merged = await operator.call('merge_feedback', { feedbackId: a, intoId: b })
    expect(merged).toMatchObject({ mergedId: a, feedback: { id: b, count: 5, firstAt: '2026-01-01T00:00:00.000Z', errorRef: 'aa' } })
    expect(merged.feedback.errorReferences.map((one: { reference: string }) => one.reference)).toEqual(['aa', 'bb'])
    expect(merged.feedback.notes[0].text).toBe(`merged ${a}; count: 2 -> 5`)
    expect((await operator.call('merge_feedback', { feedbackId: b, intoId: c })).feedback.count).toBe(6)
    for (const feedbackId of [a, b]) {
      expect((await operator.call('get_feedback', { feedbackId })).feedback).toMatchObject({ status: 'duplicate', duplicateOf: c })
    }
  })

  it('rejects merging a feedback entry with itself or a duplicate, and changing a duplicate', async () => {
    const [a, b, c] = [await said('a'), await said('b'), await said('c')]
    expect(await operator.refused('merge_feedback', { feedbackId: a, intoId: a })).toMatchObject({
      code: 'conflict',
      message: `Feedback ${a} cannot be merged into itself`,
    })
    await operator.call('merge_feedback', { feedbackId: a, intoId: b })
    const taken = { code: 'conflict', message: `Feedback ${a} is already a duplicate of ${b}. Merge with that one` }
    expect(await operator.refused('merge_feedback', { feedbackId: c, intoId: a })).toMatchObject(taken)
    expect(await operator.refused('merge_feedback', { feedbackId: a, intoId: c })).toMatchObject(taken)
    expect(await operator.refused('update_feedback', { feedbackId: a, status: 'fixed' })).toMatchObject({
      code: 'precondition_failed',
      fix: { tool: 'get_feedback', arguments: { feedbackId: b } },
    })
    expect((await operator.refused('merge_feedback', { feedbackId: c, intoId: '0'.repeat(24) })).code).toBe('not_found')
  })

  it('merges two feedback entries once if two concurrent calls merge each into the other', async () => {
    const [a, b] = [await said('a'), await said('b')]
    const answers = await Promise.all([
      operator.answer('merge_feedback', { feedbackId: a, intoId: b }),
      operator.answer('merge_feedback', { feedbackId: b, intoId: a }),
    ])
    expect(answers.filter((one) => one.isError)).toHaveLength(1)
    expect((await operator.call('get_feedback_stats')).occurrences).toBe(2)
  })
})

describe('get_feedback_stats', () => {
  it('counts feedback by status, kind, tool and version, and counts each duplicate once', async () => {
    const [a, b] = [await said('a', { tool: 'list_events' }), await said('b', { kind: 'idea', appVersion: '0.2.0' })]
    await set(a, `count = 4`)
    await set(b, `last_at = '2026-05-01Z'`)
    expect(await operator.call('get_feedback_stats')).toEqual({
      items: 2,
      occurrences: 5,
      byStatus: [{ status: 'new', items: 2, occurrences: 5 }],
      byKind: [
        { kind: 'bug', items: 1, occurrences: 4 },
        { kind: 'idea', items: 1, occurrences: 1 },
      ],
      byTool: [{ tool: 'list_events', items: 1, occurrences: 4 }],
      byVersion: [
        { version: '0.1.0', items: 1, occurrences: 4 },
        { version: '0.2.0', items: 1, occurrences: 1 },
      ],
    })
    const may = await operator.call('get_feedback_stats', { from: '2026-05-01T00:00:00Z', until: '2026-05-02T00:00:00Z' })
    expect(may).toMatchObject({ items: 1, occurrences: 1, byKind: [{ kind: 'idea' }] })
    expect((await operator.call('get_feedback_stats', { until: '2026-05-01T00:00:00Z' })).items).toBe(0)
    await operator.call('merge_feedback', { feedbackId: a, intoId: b })
    expect(await operator.call('get_feedback_stats')).toMatchObject({ items: 2, occurrences: 5 })
    expect((await operator.refused('get_feedback_stats', { from: '2026-05-02T00:00:00Z', until: '2026-05-01T00:00:00Z' })).code).toBe(
      'invalid_arguments',
    )
  })
})
