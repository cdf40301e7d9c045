import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createEventContextAt } from '../../../../test/support/at-event.ts'
import { openSalesScenario, type SalesScenario, newAttendee } from '../../../../test/support/sales-scenario.ts'
import { chooseForSoak } from '../../../../test/support/soak.ts'
import { createWebhookSubscription, type WebhookSubscription } from '../../../../test/support/webhooks.ts'
import { createTestRegistrationsJob } from '../../rehearsals/create-people.ts'
import { announceToWebhooks } from '../../../kernel/announce.ts'
import { AppError } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Job } from '../../../kernel/jobs.ts'
import { commitChange } from '../../../kernel/commit-change.ts'
import { runInSavepoint } from '../../../kernel/savepoint.ts'
import { createJobRunner } from '../../../surfaces/worker/run-jobs.ts'
import { insertParticipant } from '../../registration/participant-rows.ts'
import { insertWebhookMessages } from '../write-messages.ts'

const TEST_REGISTRATIONS = chooseForSoak(100, 20)

let scenario: SalesScenario
let listening: WebhookSubscription

const ENDPOINT_URL = 'https://crm.example/hook'
const rows = async (text: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(text, values)).rows
/** Lists the message bodies for one endpoint. */
const listMessages = async (endpointId = listening.endpointId) =>
  (
    await rows(
      `select m.body from webhook_deliveries d join webhook_messages m on m.tenant_id = d.tenant_id and m.id = d.message_id
       where d.endpoint_id = $1 order by m.id`,
      [endpointId],
    )
  ).map(({ body }: { body: string }) => JSON.parse(body))
const kinds = async (endpointId?: string) => (await listMessages(endpointId)).map(({ type }) => type as string)
const change = <T>(run: (ctx: Awaited<ReturnType<typeof createEventContextAt>>) => Promise<T>) =>
  scenario.world.database.transact(async (db) => {
    const ctx = await createEventContextAt(scenario.world, scenario.event, db)
    return commitChange({ ...scenario.world.database, transact: (within) => within(db) }, { name: 'test' }, () => ctx, run)
  })

beforeAll(async () => {
  scenario = await openSalesScenario()
})
afterAll(() => scenario.world.end())
beforeEach(async () => {
  await rows('delete from webhook_endpoints')
  await rows('delete from webhook_messages')
  listening = await createWebhookSubscription(scenario.world, scenario.event, { url: ENDPOINT_URL })
})

describe('webhook messages', () => {
  it('writes 10,000 webhook messages for one change', async () => {
    const by = [{ endpointId: listening.endpointId }]
    const messages = Array.from({ length: 10_000 }, () => ({
      id: `msg_${newId()}`,
      kind: 'participant.updated',
      eventId: null,
      body: '{}',
      fullBody: null,
      by,
    }))
    await scenario.world.database.transact((db) => insertWebhookMessages({ db, tenantId: scenario.event.tenantId }, messages))
    expect((await rows('select count(*)::int n from webhook_deliveries'))[0].n).toBe(10_000)
  })

  it('sends one webhook message for each kind of change, with the changed fields and the committed record', async () => {
    const { participant } = await scenario.register({ pass: 1 })
    const made = await listMessages()
    expect(made).toHaveLength(4)
    expect(new Set(made.map(({ type }) => type))).toEqual(
      new Set(['invoice.issued', 'order.created', 'participant.completed', 'participant.created']),
    )
    await rows('delete from webhook_messages')
    await scenario.call('edit_participant', { participantId: participant.id, data: { '@participant.company': 'Acme' } })
    const [edited, ...others] = await listMessages()
    expect(others).toEqual([])
    expect(edited).toMatchObject({
      type: 'participant.updated',
      data: { id: participant.id, changed: ['company'], object: { company: 'Acme' } },
    })
    const [{ revision }] = await rows('select revision from participants where id = $1', [participant.id])
    expect([edited.data.revision, edited.data.object.revision]).toEqual([revision, revision])
  })

  it('sends no webhook message for an edit without changes, a dry run or a rejected call', async () => {
    const { participant } = await scenario.register()
    await rows('delete from webhook_messages')
    await scenario.call('edit_participant', { participantId: participant.id, data: { '@participant.firstName': 'Paula' } })
    await scenario.call('edit_participant', { participantId: participant.id, data: { '@participant.company': 'X' }, dryRun: true })
    await scenario.refused('edit_participant', { participantId: participant.id, data: { '@participant.company': 'X', '@custom.none': 1 } })
    expect(await kinds()).toEqual([])
  })

  it('writes no webhook message for a rolled back transaction or savepoint', async () => {
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

  it('sends a webhook message for each record that a substitution changes', async () => {
    const { participant } = await scenario.register({ pass: 1 })
    await rows('delete from webhook_messages')
    const { to } = await scenario.call('substitute_participant', { participantId: participant.id, replacement: newAttendee() })
    const whose = (id: string) => (id === participant.id ? 'old' : id === to.id ? 'new' : 'order')
    const all = (await listMessages()).map(({ type, data }) => `${type} ${whose(data.id)}`)
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

  it(`sends no webhook message for ${TEST_REGISTRATIONS} test registrations`, async () => {
    const started = await scenario.call('create_test_registrations', { count: TEST_REGISTRATIONS, seed: 7 })
    // Creating many test registrations runs as a background job.
    if (started.status === 'queued')
      await createJobRunner(scenario.world.services)(createTestRegistrationsJob as Job, {
        tenantId: scenario.event.tenantId,
        jobId: started.jobId,
      })
    expect((await rows('select count(*)::int as made from participants where is_test_data'))[0].made).toBeGreaterThanOrEqual(
      TEST_REGISTRATIONS,
    )
    expect(await rows('select 1 from webhook_messages')).toEqual([])
    // A record of test data gets no message, even if its announcement is wrongly marked as real.
    const [{ id }] = await rows('select id from participants where is_test_data limit 1')
    await change(async (ctx) => announceToWebhooks(ctx, { kind: 'participant.created', entity: 'participant', id, isTestData: false }))
    expect(await rows('select 1 from webhook_messages')).toEqual([])
  })

  it('marks a webhook message about a record of more than 64 KB as truncated', async () => {
    const { participant } = await scenario.register()
    await rows('delete from webhook_messages')
    await rows(`update participants set bio = repeat('ä', 40000) where id = $1`, [participant.id])
    await scenario.call('edit_participant', { participantId: participant.id, data: { '@participant.company': 'Acme' } })
    const [{ data }] = await listMessages()
    expect(data).toMatchObject({ id: participant.id, changed: ['company'], object: null, truncated: true, revision: expect.any(Number) })
  })
})

describe('webhook endpoints', () => {
  it('sends a webhook endpoint the kinds of messages it requested, about the events that its account covers', async () => {
    const elsewhere = await scenario.world.event({ at: scenario.event, status: 'draft' })
    const orders = await createWebhookSubscription(scenario.world, scenario.event, { url: ENDPOINT_URL, kinds: ['order.created'] })
    const other = await createWebhookSubscription(scenario.world, scenario.event, { url: ENDPOINT_URL, onlyEvents: [elsewhere] })
    const narrow = await createWebhookSubscription(scenario.world, scenario.event, { url: ENDPOINT_URL, eventCode: elsewhere.eventCode })
    const paused = await createWebhookSubscription(scenario.world, scenario.event, { url: ENDPOINT_URL })
    await rows(`update webhook_endpoints set status = 'paused' where id = $1`, [paused.endpointId])
    const foreign = await scenario.world.event({ at: await scenario.world.client({ tenant: 'foreign' }) })
    const far = await createWebhookSubscription(scenario.world, foreign, { url: ENDPOINT_URL })
    await scenario.register({ pass: 1 })
    expect(await kinds(orders.endpointId)).toEqual(['order.created'])
    expect((await kinds()).length).toBe(4)
    for (const { endpointId } of [other, narrow, paused, far]) expect(await kinds(endpointId)).toEqual([])
    // All endpoints share one stored message.
    expect(await rows(`select count(*)::int as n from webhook_messages where kind = 'order.created'`)).toEqual([{ n: 1 }])
  })

  it('sends sensitive answers only to endpoints whose account may read them', async () => {
    const { event, world } = scenario
    await world.database.pool.query(`update events set sensitive_questions = '{diet}' where id = $1`, [event.eventId])
    const trusted = await createWebhookSubscription(world, event, { url: ENDPOINT_URL, kinds: ['participant.updated'] })
    await rows(`update api_accounts set sensitive_data = true where id = $1`, [trusted.accountId])
    const { participant } = await scenario.register()
    await rows(`update participants set custom_field_responses = '{"diet": "vegan"}' where id = $1`, [participant.id])
    await rows('delete from webhook_messages')
    await scenario.call('edit_participant', { participantId: participant.id, data: { '@participant.company': 'Acme' } })
    const [{ body, full_body }] = await rows('select body, full_body from webhook_messages')
    expect(body).not.toContain('vegan')
    expect(JSON.parse(full_body).data.object.customFieldResponses).toEqual({ diet: 'vegan' })
    await world.database.pool.query(`update events set sensitive_questions = '{}' where id = $1`, [event.eventId])
  })

  it('runs only one webhook query per change for a tenant that has no endpoints', async () => {
    await rows('delete from webhook_endpoints')
    const asked: string[] = []
    const { database } = scenario.world
    await database.transact(async (db) => {
      const ctx = await createEventContextAt(scenario.world, scenario.event, db)
      const seen = db.withPlugin({
        transformQuery: ({ node }) => (asked.push(node.kind), node),
        transformResult: async ({ result }) => result,
      })
      await ctx.writeAnnouncements({ ...ctx, db: seen }, [
        { kind: 'participant.created', entity: 'participant', id: '0'.repeat(24), eventId: scenario.event.eventId, changed: [] },
      ])
    })
    expect(asked).toHaveLength(1)
  })
})
