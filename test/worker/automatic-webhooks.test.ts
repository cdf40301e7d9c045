import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readDraftConfiguration } from '../../src/domains/configuration/read.ts'
import { createCompany } from '../../src/domains/exhibitors/companies.ts'
import { recordLeadCapture } from '../../src/domains/exhibitors/leads.ts'
import { makeCreatorGroupLeader } from '../../src/domains/checkout/group-choice.ts'
import { getOrCreateOrder } from '../../src/domains/orders/orders.ts'
import { updatePrivacySettings } from '../../src/domains/registration/edit/change-sharing.ts'
import { getParticipant, insertParticipant, updateParticipant } from '../../src/domains/registration/participant-rows.ts'
import { expireCapacityHolds } from '../../src/domains/registration/promotion/expire-holds.ts'
import { RECURRING_TASK_DEFINITIONS } from '../../src/jobs.ts'
import type { EventContext } from '../../src/kernel/context.ts'
import { AppError } from '../../src/kernel/errors.ts'
import type { RecurringTask } from '../../src/kernel/recurring.ts'
import { runInSavepoint } from '../../src/kernel/savepoint.ts'
import { HEADER, libraryFile, person } from '../../src/toolsets/clients/tests/import-story.ts'
import { createRecurringTaskContext } from '../../src/surfaces/worker/run-recurring.ts'
import { createHotelAt, buildRoomAnswers, buildRoomSections } from '../support/hotels.ts'
import { ScriptedCards } from '../support/scripted-cards.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { type WebhookMessage, type WebhookWatch, watchWebhooksAt } from '../support/webhook-watch.ts'
import { createWebhookSubscription } from '../support/webhooks.ts'

const BEGIN = Date.parse('2026-04-10T10:00:00Z')
const HOUR = 3600_000

let scenario: SalesScenario
let webhookWatch: WebhookWatch
let hours = 0

const rows = async (text: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(text, values)).rows
const brief = (messages: readonly WebhookMessage[]) => messages.map(({ type, data }) => [type, data.id, data.changed] as const)
const run = (work: RecurringTask) =>
  work.run(createRecurringTaskContext(scenario.world.services, work.name, new Date(BEGIN + hours * HOUR)))

async function pass(many: number): Promise<void> {
  hours += many
  await scenario.world.clock.stopAt(new Date(BEGIN + hours * HOUR).toISOString())
  await scenario.world.renewTokens()
}

const SCENE = {
  ...buildRoomSections(),
  products: [
    ...buildRoomSections().products,
    { code: 'seat', name: 'Seat', category: 'admission', prices: [{ amount: '50.00' }], capacity: 1, waitlist: true },
  ],
  flows: buildRoomSections().flows.map((flow) => ({
    ...flow,
    pages: flow.pages.map((page) => ({
      ...page,
      widgets: (page.widgets as { id: string }[]).map((widget) =>
        widget.id === 'sale' ? { ...widget, products: ['pass', 'workshop', 'dinner', 'seat'] } : widget,
      ),
    })),
  })),
}

beforeAll(async () => {
  scenario = await openSalesScenario(SCENE, { cards: new ScriptedCards() })
  webhookWatch = watchWebhooksAt(scenario.world, scenario.event)
  await createWebhookSubscription(scenario.world, scenario.event, { url: 'https://crm.example/hook' })
})
afterAll(() => scenario.world.end())

/** A registration on the waiting list was offered the only seat more than an hour ago. */
async function offeredTooLongAgo(): Promise<string> {
  const { participant: seated } = await scenario.register({ seat: 1 })
  const { participant: waiting } = await scenario.register({ seat: 1 }, { joinWaitlist: true })
  await scenario.call('edit_participant', { participantId: seated.id, status: 'cancelled' })
  const [{ id }] = await rows(`select id from waitlist_entries where participant_id = $1 and status = 'waiting'`, [waiting.id])
  await scenario.callConfirmed('promote_waitlist_entries', { entryIds: [id], offerHours: 1 })
  await pass(2)
  return waiting.id
}
const statusOf = async (id: string) => (await rows('select status from participants where id = $1', [id]))[0].status

describe('webhook messages of automatic changes', () => {
  it('sends webhook messages for an expired waiting list offer when the cleanup task runs', async () => {
    const waiting = await offeredTooLongAgo()
    expect(await statusOf(waiting)).toBe('waitlisted')
    const messages = await webhookWatch.expectMessages(() => run(expireCapacityHolds))
    expect(brief(messages)).toEqual([['participant.updated', waiting, ['status']]])
    expect(messages[0]!.data.object).toMatchObject({ id: waiting, status: 'incomplete' })
    expect(await webhookWatch.expectMessages(() => run(expireCapacityHolds))).toEqual([])
  })

  it('sends webhook messages for an expired waiting list offer when another participant takes the seat before the cleanup task runs', async () => {
    const waiting = await offeredTooLongAgo()
    const messages = await webhookWatch.expectMessages(() => scenario.register({ seat: 1 }))
    expect(brief(messages)).toContainEqual(['participant.updated', waiting, ['status']])
    expect(await statusOf(waiting)).toBe('incomplete')
  })

  it('sends webhook messages for a participant removed from the waiting list', async () => {
    await rows(`update inventory set capacity = sold where key = 'product:seat'`)
    const { participant } = await scenario.register({ seat: 1 }, { joinWaitlist: true })
    const [{ id }] = await rows(`select id from waitlist_entries where participant_id = $1`, [participant.id])
    const messages = await webhookWatch.expectMessages(() =>
      scenario.callConfirmed('promote_waitlist_entries', { action: 'remove', entryIds: [id] }),
    )
    expect(brief(messages)).toEqual([['participant.updated', participant.id, ['status']]])
    await rows(`update inventory set capacity = sold + 1 where key = 'product:seat'`)
  })

  it('sends webhook messages for every record that scheduled tasks change', async () => {
    const hotelId = await createHotelAt(scenario.world, scenario.event)
    await scenario.register({}, { data: buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03') })
    const waiting = await offeredTooLongAgo()
    const messages = await webhookWatch.expectMessages(async () => {
      for (const work of RECURRING_TASK_DEFINITIONS) await run(work)
    })
    expect(brief(messages)).toEqual([['participant.updated', waiting, ['status']]])
  })
})

describe('webhook messages of imports', () => {
  it('sends no webhook messages for imported records', async () => {
    const names = [101, 102, 150].map((n) => person(n, { on: '2025-03-04' }))
    const people = await libraryFile(scenario, [HEADER, ...names, ''].join('\n'), 'people.csv')
    const paid = 'Registration ID,Amount,Payment method,Payment date,Transaction ID\nR101,120.00,Visa,2025-03-05,tx-101\n'
    const payments = await libraryFile(scenario, paid, 'payments.csv')
    const { setupId } = await scenario.call('setup_import_flow', { fileIds: [people, payments], sourceSystem: 'old', save: true })
    const live = { setupId, mode: 'live', withPayments: true, publish: true }
    const { messages, unannounced: silent } = await webhookWatch.watchChange(() => scenario.callConfirmed('import_event', live))
    expect(silent.map((record) => record.replace(/ [0-9a-f]{24}/, '')).toSorted()).toEqual([
      ...Array.from({ length: 2 }, () => 'order: it was added'),
      ...Array.from({ length: 3 }, () => 'participant: it was added'),
    ])
    expect(messages.map(({ type }) => type)).toEqual(['event.published'])
  })
})

describe('webhook messages about records that change indirectly', () => {
  const met = async (): Promise<string> => {
    const { participant } = await scenario.register()
    await webhookWatch.change(async (ctx) => {
      const { id: companyId } = await createCompany(ctx, { name: `Exhibitor of ${participant.id}`, status: 'active' })
      await recordLeadCapture(ctx, { companyId, participantId: participant.id, isTestData: false, type: 'appointment', at: new Date() })
    })
    return participant.id
  }
  const restrict = async (ctx: EventContext, id: string) => {
    const { config } = await readDraftConfiguration(ctx)
    await updatePrivacySettings(ctx, config, await getParticipant(ctx, id), { fields: { email: 'restrict' } })
  }

  it('sends webhook messages for leads whose attendee changes the sharing settings', async () => {
    const id = await met()
    const messages = await webhookWatch.expectMessages(() => webhookWatch.change((ctx) => restrict(ctx, id)))
    expect(messages.map(({ type }) => type).toSorted()).toEqual(['lead.updated', 'participant.updated'])
    const lead = messages.find(({ type }) => type === 'lead.updated')!.data
    expect(lead.changed).toContain('fields')
    expect(lead.object.fields).not.toHaveProperty('email')
  })

  it('sends webhook messages for a participant who gets an order later, and for a group that gets a leader', async () => {
    const { id } = await webhookWatch.change((ctx) =>
      insertParticipant(ctx, { source: 'organizer', flow_slug: 'attendee', custom_field_responses: '{}' }),
    )
    const opened = await webhookWatch.expectMessages(() =>
      webhookWatch.change((ctx) => getOrCreateOrder(ctx, { owner: { participantId: id }, origin: 'real' })),
    )
    expect(brief(opened).filter(([, whose]) => whose === id)).toEqual([['participant.updated', id, ['orderId']]])
    const { participant } = await scenario.register()
    await scenario.call('create_managed_group', { name: 'Own', kind: 'other', payBy: 'members', flowSlug: 'attendee' })
    await scenario.call('update_managed_group_members', { groupCode: 'own', add: [{ participantId: participant.id }] })
    await rows(`update participants set answers = answers || '{"@group.name": "Own"}' where id = $1`, [participant.id])
    const led = await webhookWatch.expectMessages(() =>
      webhookWatch.change(async (ctx) => makeCreatorGroupLeader(ctx, await getParticipant(ctx, participant.id))),
    )
    expect(led.map(({ type, data }) => [type, data.object.leaderIds])).toEqual([['group.updated', [participant.id]]])
  })

  it('sends webhook messages for a reservation whose participant joins a group or whose hotel is renamed', async () => {
    const hotelId = await createHotelAt(scenario.world, scenario.event, { code: 'other', name: 'Other' })
    const { participant } = await scenario.register({}, { data: buildRoomAnswers(hotelId, '2026-09-01', '2026-09-02') })
    await scenario.call('create_managed_group', { name: 'Roomy', kind: 'other', payBy: 'members', flowSlug: 'attendee' })
    const joined = await webhookWatch.expectMessages(() =>
      scenario.call('update_managed_group_members', { groupCode: 'roomy', add: [{ participantId: participant.id }] }),
    )
    expect(joined.map(({ type }) => type).toSorted()).toEqual(['group.updated', 'participant.updated', 'reservation.changed'])
    const renamed = await webhookWatch.expectMessages(() =>
      webhookWatch.change(({ db }) => db.updateTable('event_hotels').set({ name: 'Another' }).where('id', '=', hotelId).execute()),
    )
    expect(renamed.map(({ type, data }) => [type, data.changed])).toEqual([['reservation.changed', ['hotelName']]])
  })

  it('sends no webhook messages for changes in a savepoint that was rolled back', async () => {
    const [kept, refused] = [await met(), await met()]
    const messages = await webhookWatch.expectMessages(() =>
      webhookWatch.change(async (ctx) => {
        await restrict(ctx, kept)
        const part = await runInSavepoint(ctx, async () => {
          await restrict(ctx, refused)
          await updateParticipant(ctx, await getParticipant(ctx, refused), { company: 'Never' })
          throw new AppError('conflict', 'not this one')
        })
        expect(part.refused?.message).toBe('not this one')
      }),
    )
    expect(messages.map(({ type, data }) => `${type} ${data.object.participantId ?? data.id}`).toSorted()).toEqual([
      `lead.updated ${kept}`,
      `participant.updated ${kept}`,
    ])
  })

  it('sends no webhook messages for test data', async () => {
    await scenario.call('update_event', { testMode: true })
    const messages = await webhookWatch.expectMessages(async () => {
      const { participant } = await scenario.register({ pass: 1 })
      expect((await rows('select is_test_data from participants where id = $1', [participant.id]))[0].is_test_data).toBe(true)
      await webhookWatch.change(async (ctx) => {
        const { id: companyId } = await createCompany(ctx, { name: 'Test company', status: 'active', isTestData: true })
        await recordLeadCapture(ctx, { companyId, participantId: participant.id, isTestData: true, type: 'appointment', at: new Date() })
      })
      await webhookWatch.change((ctx) => restrict(ctx, participant.id))
      await webhookWatch.change(async (ctx) => updateParticipant(ctx, await getParticipant(ctx, participant.id), { company: 'Test' }))
    })
    expect(messages).toEqual([])
    await scenario.call('update_event', { testMode: false })
  })
})
