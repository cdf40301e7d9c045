import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../../../kernel/ids.ts'
import { Secret } from '../../../../kernel/secrets.ts'
import { createSmtpMailer } from '../../../../platform/mailer.ts'
import { sendEmailBatch } from '../../../../surfaces/worker/send-emails.ts'
import { createEventContextAt } from '../../../../../test/support/at-event.ts'
import { useDraftScenario } from '../../../../../test/support/draft-scenario.ts'
import { type SmtpSink, startSmtpSink } from '../../../../../test/support/smtp-sink.ts'
import { findBuiltInEmail, type EmailTrigger } from '../built-in.ts'
import { renderEventEmail, type OutgoingEventEmail, sendEventEmail } from '../send.ts'
import { CONGRESS_EDITS, insertPassOrder, insertParticipantWith } from './congress-mail.ts'

const scenario = useDraftScenario({ startsOn: '2027-05-11', endsOn: '2027-05-13' })
let sink: SmtpSink

beforeAll(async () => {
  sink = await startSmtpSink()
})
afterAll(() => sink.stop())
beforeEach(async () => {
  await scenario.world.database.pool.query('delete from messages')
  sink.receivedEmails.length = 0
  await scenario.set(CONGRESS_EDITS)
  await scenario.call('publish_event')
})

const person = (more: Record<string, unknown> = {}) => insertParticipantWith(scenario.world, scenario.event, more)
const ctx = () => createEventContextAt(scenario.world, scenario.event)

async function mailTo(who: Awaited<ReturnType<typeof person>>, more: Partial<OutgoingEventEmail> = {}) {
  return sendEventEmail(await ctx(), {
    trigger: 'registration.completed',
    participant: who,
    to: { email: who.email ?? 'host@example.org', name: 'Ada' },
    sourceKind: 'test',
    sourceId: newId(),
    isTestData: who.is_test_data,
    ...more,
  })
}

const messages = async () => (await scenario.world.database.pool.query<Record<string, any>>('select * from messages order by id')).rows

const send = () =>
  sendEmailBatch({
    pool: scenario.world.database.pool,
    mailer: createSmtpMailer(new Secret(sink.url)),
    log: scenario.world.services.log,
    from: 'no-reply@example.org',
    batch: 50,
  })

describe("an email with the event's design", () => {
  it("renders data of the participant, their order and the event in an email with the event's design", async () => {
    const ada = await person({
      country: 'GR',
      tags: ['member'],
      custom_field_responses: JSON.stringify({ motto: 'onwards', diet: 'vegan' }),
    })
    await insertPassOrder(scenario.world, scenario.event, ada)
    expect(await mailTo(ada)).toEqual({ emailCode: 'welcome', subject: `Welcome, ${ada.first_name} ${ada.last_name}` })
    const [row] = await messages()
    const { text_body: text } = row!
    expect(row).toMatchObject({
      status: 'queued',
      email_code: 'welcome',
      category: 'transactional',
      from_name: 'Harbour team',
      locale: 'en',
    })
    expect(row!.reply_to).toBe('team@example.org')
    for (const said of ['Hello Ada', 'You said onwards, and eat Vegan food', 'Harbour Congress', 'Greece', '€535.50', 'For members.'])
      expect(text).toContain(said)
    // The email shows today's price for a member, and the order at the price it was sold for.
    for (const said of [
      'Congress pass, €300.00',
      'Congress pass: €450.00',
      'VAT 19 %: €85.50',
      'Kontorhaus, Pier 3, Hamburg, Germany',
      'You hold a pass.',
    ])
      expect(text).toContain(said)
    const home = `http://localhost:3000/tenant/demo/client/${scenario.event.clientCode}/event/${scenario.event.eventCode}`
    expect(text).toContain(`My registration: ${home}/registration`)
    expect(row!.html_body).toContain('src="cid:badge"')
    const { rows } = await scenario.world.database.pool.query('select name, mime, content_id from message_attachments order by position')
    expect(rows).toEqual([
      { name: 'badge.png', mime: 'image/png', content_id: 'badge' },
      { name: 'calendar.ics', mime: 'text/calendar; charset=utf-8', content_id: null },
    ])
  })

  it('hides email blocks whose condition is false and uses the fallbacks of missing merge fields', async () => {
    const ben = await person({ first_name: null, last_name: null, badge_id: null })
    await mailTo(ben)
    const [{ text_body: text }] = (await messages()) as [Record<string, any>]
    expect(text).toContain('Hello friend')
    expect(text).toContain('You said nothing, and eat anything')
    for (const other of ['For members', 'You hold a pass', 'VAT', 'cid:']) expect(text).not.toContain(other)
  })

  it("writes the email in the recipient's language if the event has it, otherwise in the event's language", async () => {
    await scenario.call('update_event', { locales: ['en', 'de'] })
    await scenario.set([
      { op: 'set', path: '/translations/de', value: { '/emails/welcome/subject': 'Willkommen, {{participant.fullName}}' } },
    ])
    await scenario.call('publish_event')
    await mailTo(await person({ language: 'de-AT', first_name: 'Ida' }))
    await mailTo(await person({ language: 'fr' }))
    const rows = await messages()
    expect(rows.map(({ locale, subject }) => [locale, subject.slice(0, 11)])).toEqual([
      ['de', 'Willkommen,'],
      ['en', 'Welcome, Ad'],
    ])
    expect(rows[0]!.text_body).toContain('Hamburg, Deutschland')
  })

  it('uses the published email design, and the draft design for test data', async () => {
    await scenario.set([{ op: 'set', path: '/emails/welcome/subject', value: 'In the making' }])
    expect((await mailTo(await person()))!.subject).toMatch(/^Welcome/)
    expect((await mailTo(await person({ is_test_data: true })))!.subject).toBe('In the making')
  })

  it('fills in every merge field about the contact', async () => {
    const fields = ['firstName', 'lastName', 'fullName', 'email', 'company'].map((field) => `{{contact.${field}}}`)
    await scenario.set([{ op: 'set', path: '/emails/welcome/subject', value: fields.join(' · ') }])
    const ada = await person({ is_test_data: true, company: 'Harbour Lights' })
    const { first_name: first, last_name: last, email } = ada
    expect((await mailTo(ada))!.subject).toBe(`${first} · ${last} · ${first} ${last} · ${email} · Harbour Lights`)
  })

  it('prefers merge field values given by the sender over record data', async () => {
    const values = {
      'order.balance': { amount: '1.00', currency: 'EUR' },
      'links.myRegistration': 'https://example.org/here',
      'no.such': 'x',
    }
    await mailTo(await person(), { values })
    const [{ text_body: text }] = (await messages()) as [Record<string, any>]
    expect(text).toContain('€1.00')
    expect(text).toContain('My registration: https://example.org/here')
  })

  it('renders an email preview without sending it', async () => {
    const shown = await renderEventEmail(await ctx(), {
      trigger: 'registration.completed',
      participant: await person(),
      to: { email: 'a@example.org' },
      isTestData: false,
    })
    expect(shown).toMatchObject({
      emailCode: 'welcome',
      subject: expect.stringMatching(/^Welcome/),
      missing: expect.arrayContaining(['order.balance']),
    })
    expect(await messages()).toEqual([])
  })

  it('sends an email once per address and source, unless the caller passes another recipient key', async () => {
    const ada = await person()
    const sourceId = newId()
    await mailTo(ada, { sourceId })
    await mailTo(ada, { sourceId })
    await mailTo(ada, { sourceId, recipientKey: 'again' })
    expect(await messages()).toHaveLength(2)
  })

  it('rejects an unknown email code and lists the existing ones', async () => {
    await expect(mailTo(await person(), { emailCode: 'welcom' })).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('welcome, goodbye'),
    })
  })
})

describe('email that the event turned off', () => {
  it('does not send an email that the event turned off', async () => {
    expect(await mailTo(await person(), { trigger: 'registration.cancelled' })).toBeNull()
    expect(await mailTo(await person(), { trigger: 'registration.cancelled', emailCode: 'goodbye' })).toBeNull()
    expect(await messages()).toEqual([])
  })

  it('sends the built-in email if the event turned off an email that must always be sent', async () => {
    await scenario.set([{ op: 'set', path: '/emails/welcome/enabled', value: false }])
    await scenario.call('publish_event')
    const ada = await person()
    expect(await mailTo(ada)).toEqual({ emailCode: null, subject: 'You are registered for Harbour Congress' })
    const [row] = await messages()
    expect(row!.email_code).toBe('registration.completed')
    expect(row!.text_body).toContain(`Your confirmation number is ${ada.confirmation_number}.`)
  })
})

describe('built-in emails', () => {
  const TRIGGERS: EmailTrigger[] = [
    'registration.completed',
    'registration.cancelled',
    'registration.incomplete',
    'registration.substituted',
    'waitlist.joined',
    'waitlist.offered',
    'waitlist.promoted',
    'payment.received',
    'payment.due',
    'payment.failed',
    'payment.refunded',
    'group.invited',
  ]
  const values = {
    'product.name': 'Workshop',
    'product.price': { amount: '80.00', currency: 'EUR' },
    'product.deadline': { instant: new Date('2027-02-01T12:00:00Z'), zone: 'Europe/Berlin' },
    'order.amount': { amount: '12.00', currency: 'EUR' },
    'order.receiptNumber': 'RC-000001',
    'group.name': 'Acme',
    'group.inviter': 'Olga',
    'invite.expiresAt': { instant: new Date('2027-02-01T12:00:00Z'), zone: 'Europe/Berlin' },
    'links.invite': 'https://example.org/join',
    'links.register': 'https://example.org/finish',
  }

  it.each(TRIGGERS)('has a built-in email for %s in English and German without unfilled merge fields', async (trigger) => {
    await scenario.set([
      { op: 'remove', path: '/emails/welcome' },
      { op: 'remove', path: '/emails/goodbye' },
    ])
    await scenario.call('update_event', { locales: ['en', 'de'] })
    await scenario.call('publish_event')
    const ada = await person()
    await insertPassOrder(scenario.world, scenario.event, ada)
    const subjects: string[] = []
    for (const locale of ['en', 'de']) {
      const shown = await renderEventEmail(await ctx(), {
        trigger,
        participant: ada,
        to: { email: ada.email!, locale },
        values,
        isTestData: false,
      })
      expect(shown!.missing).toEqual([])
      expect(`${shown!.subject}${shown!.text}`).not.toMatch(/[{}]/)
      expect(shown!.emailCode).toBeNull()
      subjects.push(shown!.subject)
    }
    expect(subjects[0]).not.toBe(subjects[1])
  })

  it("has no built-in email for triggers that need the event's own text", async () => {
    expect(await mailTo(await person(), { trigger: 'registration.updated' })).toBeNull()
    expect(findBuiltInEmail('none', { locale: 'en', direction: 'ltr', say: () => '' })).toBeNull()
  })
})

describe('emails about test data', () => {
  it('stores an email about test data and never sends it', async () => {
    const test = await person({ is_test_data: true })
    expect(await mailTo(test, { isTestData: false })).toMatchObject({ emailCode: 'welcome' })
    // Even if the email's status is reset to queued by hand, the worker does not send it.
    await mailTo(await person({ is_test_data: true }))
    expect((await messages()).map(({ status, is_test_data }) => [status, is_test_data])).toEqual([
      ['kept', true],
      ['kept', true],
    ])
    await scenario.world.database.pool.query(`update messages set status = 'queued' where id = (select max(id) from messages)`)
    await mailTo(await person())
    expect(await send()).toBe(1)
    expect(sink.receivedEmails).toHaveLength(1)
  })
})
