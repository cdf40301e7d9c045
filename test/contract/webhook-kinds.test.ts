import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mergeContacts } from '../../src/domains/contacts/merge.ts'
import { readDraftConfiguration } from '../../src/domains/configuration/read.ts'
import { findOrCreateApplicantCompany, submitApplication } from '../../src/domains/exhibitors/applications.ts'
import { bookSlot } from '../../src/domains/exhibitors/book-slot.ts'
import { cancelAppointment } from '../../src/domains/exhibitors/cancel-appointment.ts'
import { createCompany } from '../../src/domains/exhibitors/companies.ts'
import { submitResponse } from '../../src/domains/bids/submit.ts'
import { assignBooth } from '../../src/domains/exhibitors/booths/assign.ts'
import { vacateBooth } from '../../src/domains/exhibitors/booths/vacate.ts'
import { createAndLinkRoomBlock } from '../../src/domains/groups/room-blocks.ts'
import { updatePrivacySettings } from '../../src/domains/registration/edit/change-sharing.ts'
import { getParticipant, insertParticipant } from '../../src/domains/registration/participant-rows.ts'
import { enrolInSession, cancelSessionEnrolments } from '../../src/domains/sessions/enrol.ts'
import { createSession } from '../../src/domains/sessions/sessions.ts'
import type { AnswerValue } from '../../src/domains/surveys/answers.ts'
import { findSurveyInvite } from '../../src/domains/surveys/invites.ts'
import { completeResponse, saveAnswers } from '../../src/domains/surveys/respond.ts'
import { getSurvey, readSurveyConfig } from '../../src/domains/surveys/survey-config.ts'
import { WEBHOOK_ANNOUNCEMENT_KINDS, type WebhookAnnouncementKind } from '../../src/kernel/announce.ts'
import type { Mailer } from '../../src/kernel/ports.ts'
import { createBounceSaver } from '../../src/surfaces/worker/save-bounce.ts'
import { sendEmailBatch } from '../../src/surfaces/worker/send-emails.ts'
import { createExhibitorFixtures, buildRectangle } from '../support/companies.ts'
import { createHotelAt, buildRoomAnswers, buildRoomSections } from '../support/hotels.ts'
import { programSections } from '../support/programs.ts'
import { runDueExternalCalls, saveScriptedCard, ScriptedCards } from '../support/scripted-cards.ts'
import { openSalesScenario, type SalesScenario, newAttendee } from '../support/sales-scenario.ts'
import { RESPONSE_A, createSourcingFixtures } from '../support/sourcing.ts'
import { createSurveyFixtures } from '../support/surveys.ts'
import { type WebhookWatch, watchWebhooksAt } from '../support/webhook-watch.ts'
import { createWebhookSubscription } from '../support/webhooks.ts'

/** Webhook event kinds that no scenario triggers yet. Remove entries only, never add any. */
const UNCOVERED_KINDS: readonly WebhookAnnouncementKind[] = [
  'submission.updated',
  'attendance.recorded',
  'award.executed',
  'contract.executed',
  'email.unsubscribed',
  'campaign.sent',
]
const MAX_UNCOVERED_KINDS = 6
/** Sent by the test button of a webhook endpoint, never by a change. */
const TEST_KIND: WebhookAnnouncementKind = 'webhook.test'

let scenario: SalesScenario
const euros = (amount: string) => ({ amount, currency: 'EUR' })
const rows = async (text: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(text, values)).rows
const change: WebhookWatch['change'] = (run) => watchWebhooksAt(scenario.world, scenario.event).change(run)

const EVENT_CONFIG = {
  ...buildRoomSections(),
  sessions: programSections().sessions,
  surveys: [false, true].map((anonymous) => ({
    code: anonymous ? 'anonymous' : 'feedback',
    name: 'Feedback',
    anonymous,
    questions: [
      { code: 'recommend', name: 'Would you recommend us?', type: 'nps' },
      { code: 'comment', name: 'Anything else?', type: 'text' },
    ],
  })),
  products: buildRoomSections().products.map((product) =>
    product.code === 'workshop' ? { ...product, capacity: 1, waitlist: true } : product,
  ),
}

const SCENARIOS: Record<string, { announces: readonly WebhookAnnouncementKind[]; run: () => Promise<unknown> }> = {
  'a supplier submits a response to an RFP, of which subscribers get ids only': {
    announces: ['rfp.response'],
    async run() {
      const sourcing = createSourcingFixtures(scenario.world, scenario.event)
      const rfpId = await sourcing.rfp(await sourcing.brief())
      const recipientId = await sourcing.recipient(rfpId, await sourcing.supplier('Riverside'))
      const response = { recipientId, dateOption: 0, content: RESPONSE_A, source: 'portal' as const }
      const { supplier_id: supplierId, id } = (await change((ctx) => submitResponse(ctx, response))) as { supplier_id: string; id: string }
      const [message] = await rows(`select body::jsonb -> 'data' -> 'object' as object from webhook_messages where kind = 'rfp.response'`)
      expect(message.object).toEqual({ id, rfpId, recipientId, supplierId })
    },
  },
  'a participant registers, pays, is refunded and cancels': {
    announces: [
      'participant.created',
      'participant.completed',
      'participant.updated',
      'participant.cancelled',
      'order.created',
      'order.updated',
      'order.paid',
      'invoice.issued',
      'payment.received',
      'payment.refunded',
    ],
    async run() {
      const { participant, order } = await scenario.register({ pass: 1 })
      await scenario.call('edit_participant', { participantId: participant.id, data: { '@participant.company': 'Acme' } })
      const of = { orderNumber: order.number, method: 'cash' }
      await scenario.call('record_manual_payment', { kind: 'payment', ...of, amount: order.balance })
      await scenario.call('edit_participant', { participantId: participant.id, status: 'cancelled' })
      const [{ held }] = await rows('select -unapplied::int as held from orders where number = $1', [order.number])
      await scenario.call('record_manual_payment', { kind: 'refund', ...of, amount: euros((held / 100).toFixed(2)) })
    },
  },
  'a registration is transferred to another participant': {
    announces: ['participant.substituted'],
    async run() {
      const { participant } = await scenario.register({ pass: 1 })
      await scenario.call('substitute_participant', { participantId: participant.id, replacement: newAttendee() })
    },
  },
  'waitlist entries are declined and promoted': {
    announces: ['waitlist.joined', 'waitlist.promoted', 'payment.failed'],
    async run() {
      const { participant: seated } = await scenario.register({ workshop: 1 })
      const waiting = await scenario.register({ workshop: 1 }, { joinWaitlist: true })
      const second = await scenario.register({ workshop: 1 }, { joinWaitlist: true })
      await saveScriptedCard(scenario, waiting.participant.id, 'declined')
      await saveScriptedCard(scenario, second.participant.id, 'ok')
      await scenario.call('edit_participant', { participantId: seated.id, status: 'cancelled' })
      const ids = (await rows(`select id from waitlist_entries where status = 'waiting' order by position`)).map(({ id }) => id)
      await scenario.callConfirmed('promote_waitlist_entries', { entryIds: [ids[0]], charge: 'savedCard' })
      await runDueExternalCalls(scenario)
      await scenario.callConfirmed('promote_waitlist_entries', { entryIds: [ids[1]], charge: 'savedCard', overrideCapacity: true })
      await runDueExternalCalls(scenario)
    },
  },
  'a whole registration is on the waiting list': {
    announces: ['participant.waitlisted'],
    run: () =>
      change(async (ctx) => {
        const columns = {
          first_name: 'Wim',
          last_name: 'Waits',
          email: 'wim@example.org',
          source: 'organizer' as const,
          custom_field_responses: '{}',
        }
        await insertParticipant(ctx, { ...columns, status: 'waitlisted', flow_slug: 'attendee' })
      }),
  },
  'a group is created, filled and deleted': {
    announces: ['group.created', 'group.updated', 'group.deleted'],
    async run() {
      await scenario.call('create_managed_group', { name: 'Delegation', kind: 'delegation', payBy: 'members', flowSlug: 'attendee' })
      await scenario.call('update_managed_group', { groupCode: 'delegation', maxMembers: 4 })
      await scenario.call('delete_managed_group', { groupCode: 'delegation' })
    },
  },
  'a company is added, gets a booth and meets a participant, who then shares less': {
    announces: [
      'company.updated',
      'booth.assigned',
      'booth.vacated',
      'lead.captured',
      'lead.updated',
      'appointment.booked',
      'appointment.cancelled',
    ],
    async run() {
      const exhibitors = createExhibitorFixtures(scenario.world, scenario.event)
      await exhibitors.plan({}, [{ number: '101', polygon: buildRectangle(2, 2, 3, 3) }])
      const { id: companyId } = await change((ctx) =>
        createCompany(ctx, {
          name: 'Borealis',
          status: 'active',
          appointmentsEnabled: true,
          contact: { name: 'Bo', email: 'bo@example.org' },
        }),
      )
      await change((ctx) => assignBooth(ctx, { number: '101', companyId }))
      await change((ctx) => vacateBooth(ctx, { number: '101', reason: 'moved out' }))
      const { participant } = await scenario.register()
      const slotId = await exhibitors.offerSlot({ companyId }, { startsAt: '2026-09-01T08:00:00Z', endsAt: '2026-09-01T08:30:00Z' })
      const { appointment } = await change((ctx) => bookSlot(ctx, { participantId: participant.id, slotId, message: undefined }))
      await change((ctx) => cancelAppointment(ctx, { participantId: participant.id, appointmentId: appointment.id, reason: undefined }))
      await change(async (ctx) => {
        const { config } = await readDraftConfiguration(ctx)
        await updatePrivacySettings(ctx, config, await getParticipant(ctx, participant.id), { fields: { email: 'restrict' } })
      })
    },
  },
  'an exhibitor applies for a booth': {
    announces: ['application.updated'],
    async run() {
      const { participant } = await scenario.register()
      const applicant = { participantId: participant.id, isTestData: false, name: 'Bo', email: 'bo@example.org', company: 'Aurora' }
      await change(async (ctx) => {
        const { companyId } = await findOrCreateApplicantCompany(ctx, applicant)
        const wanted = { sizes: [], boothNumbers: ['102'], acceptOther: true }
        await submitApplication(ctx, { ...applicant, companyId, number: 'A-000001', wanted, answers: {} })
      })
    },
  },
  'a participant books, changes and cancels a room, and a block is created': {
    announces: ['reservation.confirmed', 'reservation.changed', 'reservation.cancelled', 'block.changed'],
    async run() {
      const hotelId = await createHotelAt(scenario.world, scenario.event)
      const { participant } = await scenario.register({}, { data: buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03') })
      await scenario.call('edit_participant', {
        participantId: participant.id,
        data: buildRoomAnswers(hotelId, '2026-09-01', '2026-09-04'),
      })
      await scenario.call('edit_participant', { participantId: participant.id, status: 'cancelled' })
      await change((ctx) =>
        createAndLinkRoomBlock(ctx, {
          code: 'vip',
          name: 'VIP',
          owner: { kind: 'none' },
          rooms: [{ hotelId, roomTypeCode: 'king', nights: ['2026-09-01'], rooms: 2 }],
        }),
      )
    },
  },
  'a session is created, filled, queued for and left': {
    announces: ['session.updated'],
    async run() {
      const { sessionId, first, seat } = await createFullSession()
      await seat((await scenario.register()).participant.id)
      await change((ctx) => cancelSessionEnrolments(ctx, first, [sessionId]))
    },
  },
  'an email bounces because the address does not exist': {
    announces: ['email.bounced'],
    async run() {
      const mailer = {
        transport: 'smtp' as const,
        connections: 5,
        send: async () => ({ kind: 'refused' as const, reason: '550', address: true }),
      }
      const { services, database } = scenario.world
      const due = { pool: database.pool, mailer: mailer as unknown as Mailer, log: services.log, from: 'events@example.org', batch: 1000 }
      await sendEmailBatch({ ...due, saveBounce: createBounceSaver(services) })
    },
  },
  'two contacts are merged': {
    announces: ['contact.merged'],
    async run() {
      const [{ participant: one }, { participant: other }] = [await scenario.register(), await scenario.register()]
      const found = await rows('select id, contact_id from participants where id = any($1) order by id', [[one.id, other.id]])
      const [survivorId, loserId] = found.map(({ contact_id }) => contact_id as string)
      await change((ctx) => mergeContacts(ctx, { clientId: scenario.event.clientId, survivorId: survivorId!, loserId: loserId! }))
    },
  },
  'a participant answers a survey, and another one anonymously, which is not announced': {
    announces: ['survey.responded'],
    async run() {
      const { participant } = await scenario.register()
      const id = await answerSurvey('feedback', participant.id)
      await answerSurvey('anonymous', participant.id)
      const messages = await rows(
        `select body::jsonb -> 'data' -> 'object' as object from webhook_messages where kind = 'survey.responded'`,
      )
      expect(messages).toMatchObject([
        {
          object: {
            id,
            surveyCode: 'feedback',
            status: 'complete',
            participant: { id: participant.id },
            answers: { recommend: 9, comment: 'Great talks' },
          },
        },
      ])
    },
  },
  'an event is published and archived': {
    announces: ['event.published', 'event.archived'],
    async run() {
      await scenario.publish({ details: { contactEmail: 'new@example.org' } })
      await scenario.callConfirmed('archive_event', { force: true, reason: 'over' })
    },
  },
}

/** Answers a survey as the pages do. Returns the id of the response. */
async function answerSurvey(surveyCode: string, participantId: string): Promise<string> {
  const token = (await createSurveyFixtures(scenario.world, scenario.event).invite(surveyCode)).get(participantId)!
  const invite = (await findSurveyInvite(scenario.world.database.pool, token))!
  const answers = new Map<string, AnswerValue>([
    ['recommend', 9],
    ['comment', 'Great talks'],
  ])
  return change(async (ctx) => {
    const invitation = { invite, survey: getSurvey((await readSurveyConfig(ctx)).config.surveys, surveyCode), token }
    const response = await saveAnswers(ctx, invitation, { answers, locale: 'en' })
    await completeResponse(ctx, invitation, response)
    return response.id
  })
}

/** Creates a session with one seat, which is taken. */
async function createFullSession() {
  const startsAt = new Date('2026-09-01T08:00:00Z')
  const planned = { title: 'Turbines', trackCode: 'build', formatCode: 'talk', startsAt, capacity: 1 }
  const { id: sessionId } = await change((ctx) => createSession(ctx, planned))
  const { participant: first } = await scenario.register()
  const seat = (id: string) => change((ctx) => enrolInSession(ctx, { id, is_test_data: false }, sessionId))
  await seat(first.id)
  return { sessionId, first, seat }
}

beforeAll(async () => {
  scenario = await openSalesScenario(EVENT_CONFIG, { cards: new ScriptedCards() })
  await createWebhookSubscription(scenario.world, scenario.event, { url: 'https://crm.example/hook' })
})
afterAll(() => scenario.world.end())

it('sends waitlist.joined and waitlist.promoted for the waiting list of a program session', async () => {
  const { expectMessages } = watchWebhooksAt(scenario.world, scenario.event)
  const { sessionId, first, seat } = await createFullSession()
  const { participant: second } = await scenario.register()
  expect((await expectMessages(() => seat(second.id))).map(({ type }) => type)).toEqual(['waitlist.joined'])
  const left = await expectMessages(() => change((ctx) => cancelSessionEnrolments(ctx, first, [sessionId])))
  expect(left.filter(({ type }) => type === 'waitlist.promoted')).toMatchObject([
    { data: { object: { participantId: second.id, sessionId, status: 'enrolled' } } },
  ])
})

describe('kinds of webhook messages', () => {
  it.each(Object.keys(SCENARIOS))('sends a webhook message of the right kind when %s', async (name) => {
    const { announces, run } = SCENARIOS[name]!
    const kinds = (await watchWebhooksAt(scenario.world, scenario.event).expectMessages(run)).map(({ type }) => type)
    expect(announces.filter((kind) => !kinds.includes(kind))).toEqual([])
  })

  it('sends every kind of webhook message in a test scenario, or lists the kind as not covered', () => {
    const covered = Object.values(SCENARIOS).flatMap(({ announces }) => announces)
    expect([...covered, ...UNCOVERED_KINDS, TEST_KIND].toSorted()).toEqual([...WEBHOOK_ANNOUNCEMENT_KINDS].toSorted())
    expect(UNCOVERED_KINDS.length).toBeLessThanOrEqual(MAX_UNCOVERED_KINDS)
  })
})
