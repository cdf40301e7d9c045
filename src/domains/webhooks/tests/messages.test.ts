import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { contextAt } from '../../../../test/support/at-event.ts'
import { openSelling, type Selling, somebody } from '../../../../test/support/selling.ts'
import { inSoak } from '../../../../test/support/soak.ts'
import { listenAt, type Listening } from '../../../../test/support/webhooks.ts'
import { createTestRegistrationsJob } from '../../rehearsals/create-people.ts'
import { announce } from '../../../kernel/announce.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { Job } from '../../../kernel/jobs.ts'
import { commitChange } from '../../../kernel/commit-change.ts'
import { runInSavepoint } from '../../../kernel/savepoint.ts'
import { createJobRunner } from '../../../surfaces/worker/run-jobs.ts'
import { insertParticipant } from '../../registration/participant-rows.ts'

const TESTED = inSoak(100, 20)

let story: Selling
let listening: Listening

const URL_OF = 'https://crm.example/hook'
const rows = async (text: string, values: unknown[] = []) => (await story.world.database.pool.query<any>(text, values)).rows
/** Kinds that one endpoint is to be told, with whom they are of. */
const told = async (endpointId = listening.endpointId) =>
  (
    await rows(
      `select m.body from webhook_deliveries d join webhook_messages m on m.tenant_id = d.tenant_id and m.id = d.message_id
       where d.endpoint_id = $1 order by m.id`,
      [endpointId],
    )
  ).map(({ body }: { body: string }) => JSON.parse(body))
const kinds = async (endpointId?: string) => (await told(endpointId)).map(({ type }) => type as string)
const change = <T>(run: (ctx: Awaited<ReturnType<typeof contextAt>>) => Promise<T>) =>
  story.world.database.transact(async (db) => {
    const ctx = await contextAt(story.world, story.event, db)
    return commitChange({ ...story.world.database, transact: (within) => within(db) }, { name: 'test' }, () => ctx, run)
  })

beforeAll(async () => {
  story = await openSelling()
})
afterAll(() => story.world.end())
beforeEach(async () => {
  await rows('delete from webhook_endpoints')
  await rows('delete from webhook_messages')
  listening = await listenAt(story.world, story.event, { url: URL_OF })
})

describe('a change', () => {
  it('tells each kind once, with what differs and the record as it was committed', async () => {
    const { participant } = await story.register({ pass: 1 })
    const made = await told()
    expect(made).toHaveLength(4)
    expect(new Set(made.map(({ type }) => type))).toEqual(
      new Set(['invoice.issued', 'order.created', 'participant.completed', 'participant.created']),
    )
    await rows('delete from webhook_messages')
    await story.call('edit_participant', { participantId: participant.id, data: { '@participant.company': 'Acme' } })
    const [edited, ...others] = await told()
    expect(others).toEqual([])
    expect(edited).toMatchObject({
      type: 'participant.updated',
      data: { id: participant.id, changed: ['company'], object: { company: 'Acme' } },
    })
    const [{ revision }] = await rows('select revision from participants where id = $1', [participant.id])
    expect([edited.data.revision, edited.data.object.revision]).toEqual([revision, revision])
  })

  it('that changes nothing, is only tried, or is refused tells nobody', async () => {
    const { participant } = await story.register()
    await rows('delete from webhook_messages')
    await story.call('edit_participant', { participantId: participant.id, data: { '@participant.firstName': 'Paula' } })
    await story.call('edit_participant', { participantId: participant.id, data: { '@participant.company': 'X' }, dryRun: true })
    await story.refused('edit_participant', { participantId: participant.id, data: { '@participant.company': 'X', '@custom.none': 1 } })
    expect(await kinds()).toEqual([])
  })

  it('that is undone leaves no message, neither as a whole nor in a part of it', async () => {
    const person = () => ({
      first_name: 'Una',
      last_name: String(Math.random()),
      email: 'una@example.org',
      source: 'organizer' as const,
      custom_field_responses: '{}',
    })
    await expect(
      change(async (ctx) => {
        await insertParticipant(ctx, person())
        expect(ctx.announced).toHaveLength(1)
        throw new AppError('conflict', 'no')
      }),
    ).rejects.toThrow('no')
    expect(await rows('select 1 from webhook_messages')).toEqual([])
    await change(async (ctx) => {
      const kept = await insertParticipant(ctx, person())
      const part = await runInSavepoint(ctx, async () => {
        await insertParticipant(ctx, person())
        throw new AppError('conflict', 'not this one')
      })
      expect(part.refused?.message).toBe('not this one')
      return kept.id
    })
    expect(await kinds()).toEqual(['participant.created'])
  })

  it('is told by a substitution of all that moves', async () => {
    const { participant } = await story.register({ pass: 1 })
    await rows('delete from webhook_messages')
    const { to } = await story.call('substitute_participant', { participantId: participant.id, replacement: somebody() })
    const whose = (id: string) => (id === participant.id ? 'old' : id === to.id ? 'new' : 'order')
    const all = (await told()).map(({ type, data }) => `${type} ${whose(data.id)}`)
    expect(all).toHaveLength(6)
    expect(new Set(all)).toEqual(
      new Set([
        'order.updated order',
        'participant.cancelled old',
        'participant.completed new',
        'participant.created new',
        'participant.substituted old',
        'participant.updated old',
      ]),
    )
  })

  it(`is not told of test data: ${TESTED} test registrations, no message`, async () => {
    const started = await story.call('create_test_registrations', { count: TESTED, seed: 7 })
    // More than a call makes itself are left to its job.
    if (started.status === 'queued')
      await createJobRunner(story.world.services)(createTestRegistrationsJob as Job, { tenantId: story.event.tenantId, jobId: started.jobId })
    expect((await rows('select count(*)::int as made from participants where is_test_data'))[0].made).toBeGreaterThanOrEqual(TESTED)
    expect(await rows('select 1 from webhook_messages')).toEqual([])
    // The second guard: what forgot to say so is seen by its record.
    const [{ id }] = await rows('select id from participants where is_test_data limit 1')
    await change(async (ctx) => announce(ctx, { kind: 'participant.created', entity: 'participant', id, isTestData: false }))
    expect(await rows('select 1 from webhook_messages')).toEqual([])
  })

  it('of a record too large to be sent says so', async () => {
    const { participant } = await story.register()
    await rows('delete from webhook_messages')
    await rows(`update participants set bio = repeat('ä', 40000) where id = $1`, [participant.id])
    await story.call('edit_participant', { participantId: participant.id, data: { '@participant.company': 'Acme' } })
    const [{ data }] = await told()
    expect(data).toMatchObject({ id: participant.id, changed: ['company'], object: null, truncated: true, revision: expect.any(Number) })
  })
})

describe('who listens', () => {
  it('is told the kinds they asked for, at the events their account covers', async () => {
    const elsewhere = await story.world.event({ at: story.event, status: 'draft' })
    const orders = await listenAt(story.world, story.event, { url: URL_OF, kinds: ['order.created'] })
    const other = await listenAt(story.world, story.event, { url: URL_OF, onlyEvents: [elsewhere] })
    const narrow = await listenAt(story.world, story.event, { url: URL_OF, eventCode: elsewhere.eventCode })
    const paused = await listenAt(story.world, story.event, { url: URL_OF })
    await rows(`update webhook_endpoints set status = 'paused' where id = $1`, [paused.endpointId])
    const foreign = await story.world.event({ at: await story.world.client({ tenant: 'foreign' }) })
    const far = await listenAt(story.world, foreign, { url: URL_OF })
    await story.register({ pass: 1 })
    expect(await kinds(orders.endpointId)).toEqual(['order.created'])
    expect((await kinds()).length).toBe(4)
    for (const { endpointId } of [other, narrow, paused, far]) expect(await kinds(endpointId)).toEqual([])
    // One message for all who are told it.
    expect(await rows(`select count(*)::int as n from webhook_messages where kind = 'order.created'`)).toEqual([{ n: 1 }])
  })

  it('is told sensitive answers only where the account may know them', async () => {
    const { event, world } = story
    await world.database.pool.query(`update events set sensitive_questions = '{diet}' where id = $1`, [event.eventId])
    const trusted = await listenAt(world, event, { url: URL_OF, kinds: ['participant.updated'] })
    await rows(`update api_accounts set sensitive_data = true where id = $1`, [trusted.accountId])
    const { participant } = await story.register()
    await rows(`update participants set custom_field_responses = '{"diet": "vegan"}' where id = $1`, [participant.id])
    await rows('delete from webhook_messages')
    await story.call('edit_participant', { participantId: participant.id, data: { '@participant.company': 'Acme' } })
    const [{ body, full_body }] = await rows('select body, full_body from webhook_messages')
    expect(body).not.toContain('vegan')
    expect(JSON.parse(full_body).data.object.customFieldResponses).toEqual({ diet: 'vegan' })
    await world.database.pool.query(`update events set sensitive_questions = '{}' where id = $1`, [event.eventId])
  })

  it('costs a tenant without endpoints one question, and no record is read', async () => {
    await rows('delete from webhook_endpoints')
    const asked: string[] = []
    const { database } = story.world
    await database.transact(async (db) => {
      const ctx = await contextAt(story.world, story.event, db)
      const seen = db.withPlugin({
        transformQuery: ({ node }) => (asked.push(node.kind), node),
        transformResult: async ({ result }) => result,
      })
      await ctx.writeAnnouncements({ ...ctx, db: seen }, [
        { kind: 'participant.created', entity: 'participant', id: '0'.repeat(24), eventId: story.event.eventId, changed: [] },
      ])
    })
    expect(asked).toHaveLength(1)
  })
})
