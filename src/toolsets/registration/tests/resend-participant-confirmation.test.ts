import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Secret } from '../../../kernel/secrets.ts'
import { createSmtpMailer } from '../../../platform/mailer.ts'
import { sendEmailBatch } from '../../../surfaces/worker/send-emails.ts'
import { openSalesScenario, type SalesScenario, newAttendee, WORKED_EXAMPLE } from '../../../../test/support/sales-scenario.ts'
import { type SmtpSink, startSmtpSink } from '../../../../test/support/smtp-sink.ts'

const TOOL = 'resend_participant_confirmation'

const text = (id: string, html: string) => ({ id, type: 'text', html })
const EMAILS = [
  {
    code: 'confirmed',
    name: 'Confirmation',
    trigger: 'registration.completed',
    subject: 'See you, {{participant.fullName}}',
    blocks: [text('a', '<p>Dear {{participant.lastName}}, your number is {{participant.confirmationNumber}}.</p>')],
  },
  { code: 'bye', name: 'Cancelled', trigger: 'registration.cancelled', subject: 'Cancelled', blocks: [text('a', '<p>Bye</p>')] },
  { code: 'parking', name: 'Parking', trigger: 'none', subject: 'Where to park', blocks: [text('a', '<p>Here</p>')] },
  { code: 'off', name: 'Off', trigger: 'registration.updated', subject: 'Off', enabled: false, blocks: [text('a', '<p>x</p>')] },
  { code: 'paid', name: 'Paid', trigger: 'payment.received', subject: 'Paid', blocks: [text('a', '<p>x</p>')] },
]

let scenario: SalesScenario
let sink: SmtpSink

beforeAll(async () => {
  const flows = WORKED_EXAMPLE.flows.map((flow) => ({ ...flow, confirmationEmail: 'confirmed', guests: { enabled: true } }))
  scenario = await openSalesScenario({ ...WORKED_EXAMPLE, flows, emails: EMAILS })
  sink = await startSmtpSink()
})
afterAll(async () => {
  await sink.stop()
  await scenario.world.end()
})
beforeEach(async () => {
  sink.receivedEmails.length = 0
  sink.setBehavior(() => 'accept')
  await scenario.world.database.pool.query('delete from messages')
})

const send = () =>
  sendEmailBatch({
    pool: scenario.world.database.pool,
    mailer: createSmtpMailer(new Secret(sink.url)),
    log: scenario.world.services.log,
    from: 'no-reply@example.org',
    batch: 50,
  })
const resend = (participantId: string, more: object = {}) => scenario.call(TOOL, { participantId, ...more })
const refused = (participantId: string, more: object = {}) => scenario.refused(TOOL, { participantId, ...more })
const someone = async (products: Record<string, number> = {}, more: Record<string, unknown> = {}) =>
  (await scenario.register(products, more)).participant
const messages = async () => (await scenario.world.database.pool.query<Record<string, any>>('select * from messages order by id')).rows

describe('resend_participant_confirmation', () => {
  it('resends an event email to one recipient, rendered again with the last name that was changed since', async () => {
    const person = await someone({ pass: 1 })
    await scenario.call('edit_participant', { participantId: person.id, data: { '@participant.lastName': 'Nováková' } })
    expect(await resend(person.id)).toEqual({
      queued: 1,
      to: 'p***@example.org',
      emailCode: 'confirmed',
      subject: 'See you, Paula Nováková',
    })
    expect(await send()).toBe(1)
    const [mail, ...others] = sink.receivedEmails
    expect([others, mail!.to]).toEqual([[], [person.email]])
    const [row] = await messages()
    expect(row!.text_body).toContain(`Dear Nováková, your number is ${person.confirmationNumber}.`)
    expect(row!.text_body).not.toContain(person.lastName)
  })

  it('attaches the invoices of the order to a resent confirmation as PDF', async () => {
    const person = await someone({ pass: 1 })
    await resend(person.confirmationNumber)
    const { rows } = await scenario.world.database.pool.query(
      "select name, mime, size from message_attachments where mime = 'application/pdf'",
    )
    expect(rows).toEqual([{ name: expect.stringMatching(/^INV-2026-\d{6}\.pdf$/), mime: 'application/pdf', size: expect.any(Number) }])
    await send()
    expect(sink.receivedEmails[0]!.raw).toContain('application/pdf')
  })

  it('resends the event email with the given code, and rejects a code that is unknown, disabled or unsuitable', async () => {
    const person = await someone()
    expect(await resend(person.id, { emailCode: 'parking' })).toMatchObject({ emailCode: 'parking', subject: 'Where to park' })
    expect(await refused(person.id, { emailCode: 'parkin' })).toMatchObject({ message: expect.stringContaining('parking') })
    expect((await refused(person.id, { emailCode: 'off' })).code).toBe('precondition_failed')
    expect((await refused(person.id, { emailCode: 'paid' })).message).toContain('not about a registration')
    expect((await refused(person.id, { emailCode: 'bye' })).message).toContain('has not cancelled')
    expect(await messages()).toHaveLength(1)
  })

  it('emails a link to finish an incomplete registration, and does not return that link to the caller', async () => {
    const { participant } = await scenario.call('add_participant', { flowSlug: 'attendee', data: newAttendee(), status: 'incomplete' })
    expect(await resend(participant.id, { emailCode: 'confirmed' })).toMatchObject({
      subject: expect.stringMatching(/^Finish your registration/),
    })
    const [row] = await messages()
    const [, path, token] = /\n\S+ \S+ \S+: (\S+)\?token=(\S+)/.exec(row!.text_body)!
    expect(path).toBe(
      `http://localhost:3000/tenant/demo/client/${scenario.event.clientCode}/event/${scenario.event.eventCode}/register/attendee`,
    )
    const [header, claims, signature] = token!.split('.')
    expect(JSON.parse(Buffer.from(header!, 'base64url').toString())).toMatchObject({ alg: 'HS256', typ: 'JWT' })
    const sentText = JSON.parse(Buffer.from(claims!, 'base64url').toString())
    expect(sentText).toMatchObject({ aud: 'registration', sub: participant.id, evt: scenario.event.eventId, flow: 'attendee' })
    expect(sentText.exp - sentText.iat).toBe(86_400)
    expect(scenario.world.services.keys.verify('registration token', `${header}.${claims}`, signature!)).toBe(true)
  })

  it('sends a guest’s email to the host if the guest has no address, and fails if neither has one', async () => {
    const host = await someone()
    const data = { '@participant.firstName': 'Gil', '@participant.lastName': 'Guest' }
    const { participant } = await scenario.call('add_participant', { flowSlug: 'attendee', hostId: host.id, data })
    await resend(participant.id)
    const [row] = await messages()
    expect([row!.to_address, row!.subject]).toEqual([host.email, 'See you, Gil Guest'])
    await scenario.world.database.pool.query('update participants set email = null where id = $1', [host.id])
    expect(await refused(host.id)).toMatchObject({ code: 'precondition_failed', message: expect.stringContaining('has no email address') })
  })

  it('refuses to resend emails of a cancelled registration, except the cancellation email', async () => {
    const person = await someone({ pass: 1 })
    await scenario.call('edit_participant', { participantId: person.id, status: 'cancelled', credit: 'full' })
    expect(await refused(person.id)).toMatchObject({ code: 'precondition_failed', message: expect.stringContaining('has cancelled') })
    expect((await refused(person.id, { emailCode: 'confirmed' })).code).toBe('precondition_failed')
    expect(await resend(person.id, { emailCode: 'bye' })).toMatchObject({ queued: 1, emailCode: 'bye' })
  })

  it('refuses to resend an email to an address that bounced, until an email is delivered or the address changes', async () => {
    const person = await someone()
    sink.setBehavior(() => 'refuse-address')
    await resend(person.id)
    await send()
    expect((await messages())[0]!.status).toBe('bounced')
    expect(await refused(person.id)).toMatchObject({ code: 'precondition_failed', message: expect.stringContaining('p***@example.org') })
    // An address that merely contains the bounced one is not affected.
    const neighbour = await someone({}, { data: { '@participant.email': `x${person.email}` } })
    await resend(neighbour.id)
    await scenario.call('edit_participant', { participantId: person.id, data: { '@participant.email': `new.${person.email}` } })
    await resend(person.id)
    sink.setBehavior(() => 'accept')
    expect(await send()).toBe(2)
  })

  it('sends at most five emails per day to a participant', async () => {
    const person = await someone()
    for (let i = 0; i < 5; i++) await resend(person.id)
    const refusal = await refused(person.id)
    expect(refusal).toMatchObject({ code: 'limit_exceeded', retryAfterSeconds: expect.any(Number) })
    expect(refusal.retryAfterSeconds).toBeGreaterThan(86_000)
    // The limit is per participant.
    await resend((await someone()).id)
    await scenario.world.clock.advance('24 hours 1 second')
    await scenario.world.renewTokens()
    await resend(person.id)
    expect(await messages()).toHaveLength(7)
  })

  it('resends one email per idempotency key, and at most five under concurrent calls', async () => {
    const person = await someone()
    const once = { idempotencyKey: 'again-1' }
    expect(await resend(person.id, once)).toEqual(await resend(person.id, once))
    expect(await messages()).toHaveLength(1)
    const calls = await Promise.all(
      Array.from({ length: 8 }, () => scenario.olga.answer(TOOL, { eventCode: scenario.event.eventCode, participantId: person.id })),
    )
    expect(calls.filter(({ isError }) => !isError)).toHaveLength(4)
    expect(await messages()).toHaveLength(5)
  })

  it('stores emails about test data instead of sending them', async () => {
    await scenario.call('update_event', { testMode: true })
    const person = await someone({ pass: 1 })
    await scenario.call('update_event', { testMode: false })
    expect(person.isTestData).toBe(true)
    expect(await resend(person.id)).toMatchObject({ queued: 0, emailCode: 'confirmed' })
    expect((await messages()).map(({ status }) => status)).toEqual(['kept'])
    expect(await send()).toBe(0)
    expect(sink.receivedEmails).toEqual([])
  })
})
