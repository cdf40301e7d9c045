import { afterAll, beforeAll, expect, it } from 'vitest'
import { toCardProcessors } from '../../src/platform/card-processors.ts'
import { Secret } from '../../src/kernel/secrets.ts'
import { createSmtpMailer } from '../../src/platform/mailer.ts'
import { sendEmailBatch } from '../../src/surfaces/worker/send-emails.ts'
import { chooseWrongCode } from '../support/sign-in-codes.ts'
import { createApiAccountAt } from '../support/participants.ts'
import { openFormAs } from '../support/registration-form.ts'
import { openPaymentScenario, type PaymentScenario } from '../support/payment-scenario.ts'
import { WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { connectAssistant } from '../support/scripted-assistant.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { findLatestSignInCode, type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { signWebhook } from '../support/stripe-server.ts'
import { visitor } from '../support/visitor.ts'

let paying: PaymentScenario
let served: Served
let sink: SmtpSink

const [contact, choices, done] = WORKED_EXAMPLE.flows[0]!.pages
const EVENT = {
  ...WORKED_EXAMPLE,
  customFields: [{ code: 'newsletter', name: 'How did you hear of us?', responseType: 'text' }],
  flows: [
    {
      ...WORKED_EXAMPLE.flows[0]!,
      pages: [
        { ...contact!, widgets: [...contact!.widgets, { id: 'heard', type: 'field', binding: '@custom.newsletter' }] },
        {
          ...choices!,
          widgets: choices!.widgets.map((widget) => (widget.type === 'payment' ? { ...widget, methods: ['card', 'bank'] } : widget)),
        },
        done!,
      ],
    },
  ],
}

beforeAll(async () => {
  sink = await startSmtpSink()
  paying = await openPaymentScenario(EVENT, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(paying.sales.world, { extras: { cards: toCardProcessors(paying.stripe.cards) } })
})
afterAll(async () => {
  await paying.end()
  await sink.stop()
})

const post = () => {
  const { database, log } = paying.sales.world.services
  return sendEmailBatch({ pool: database.pool, mailer: createSmtpMailer(new Secret(sink.url)), log, from: 'events@example.org', batch: 50 })
}

it('lets an assistant start a registration that the participant pays in the browser, with one payment and one confirmation', async () => {
  const { world, event } = paying.sales
  const email = 'ada@example.org'
  const account = await createApiAccountAt(world, event, 'Concierge by Acme')
  const { signIn, connect, verifyEmail: verified, at, close } = await connectAssistant(served, account.token, event)
  /** Sends the queued emails and reads the code from the latest one. */
  const readCode = async () => {
    await post()
    return findLatestSignInCode(sink, email)
  }

  await signIn.call('agent_request_otp', { ...at, email })
  const code = await readCode()
  expect(await signIn.call('agent_verify_otp', { ...at, email, code: chooseWrongCode(code) })).toMatchObject({
    verified: false,
    attemptsRemaining: 2,
  })
  const { session, ...verification } = await signIn.call('agent_verify_otp', { ...at, email, code })
  expect(verification).toEqual({ verified: true, participantExists: false })
  const early = await connect(session.token)
  expect(await early.refused('get_my_registration')).toContain('No verified participant identity for this run.')
  const answers = { '@participant.firstName': 'Ada', '@participant.lastName': 'Lovelace', '@custom.newsletter': 'A friend' }
  const submitted = await early.call('agent_submit_registration', { flowSlug: 'attendee', data: answers })
  expect(submitted).toMatchObject({ matchStatus: 'new' })
  const again = await early.call('agent_submit_registration', { flowSlug: 'attendee', data: answers })
  expect(again).toMatchObject({ matchStatus: 'existing_incomplete' })

  const browser = visitor(served)
  const ada = openFormAs(browser, event)
  const entered = await browser.get(submitted.url)
  expect(entered).toMatchObject({ status: 303, location: expect.not.stringContaining('token') })
  expect(entered.headers.get('referrer-policy')).toBe('no-referrer')
  expect(entered.headers.get('cache-control')).toBe('no-store')
  expect((await ada.open('contact')).html).toContain('value="A friend"')
  await ada.fill('contact', answers)
  await ada.fill('choices', { '@product.pass': '1', _method: 'card' })
  const summary = await ada.open('summary')
  expect(summary.text).toContain('Pay €900.00')
  const toProcessor = await ada.fill('summary', {}, { press: 'finish' })
  expect(toProcessor.status).toBe(303)
  expect(toProcessor.location).not.toContain(served.baseUrl)
  const [charge] = await paying.rows('select id, amount::int as amount, status from charges')
  expect(charge).toMatchObject({ amount: 90_000, status: 'pending' })
  expect((await ada.open('pay/return')).text).toContain('Waiting for your bank')

  paying.stripe.pay(charge.id)
  const body = JSON.stringify({
    id: 'evt_story',
    type: 'checkout.session.completed',
    data: { object: { object: 'checkout.session', metadata: { charge: charge.id } } },
  })
  const [{ now }] = await paying.rows('select lanyard_now() as now')
  const notice = fetch(served.url('/api/payments/stripe/webhook'), {
    method: 'POST',
    headers: { 'stripe-signature': signWebhook(body, now) },
    body,
  })
  const [returned] = await Promise.all([ada.open(`pay/return?charge=${charge.id}`), notice])
  expect(returned.status).toBeLessThan(400)
  await paying.runDueCalls()
  expect((await ada.open(`pay/return?charge=${charge.id}`)).location).toMatch(/\/done$/)
  expect((await ada.open('done')).text).toContain('€900.00 is paid')

  expect(await early.call('agent_submit_registration', { flowSlug: 'attendee', data: answers })).toMatchObject({
    matchStatus: 'existing_complete',
  })
  const mine = await verified(email, readCode)
  expect(mine.participantExists).toBe(true)
  expect((await mine.call('check_balance_due')).balance).toEqual({ amount: '0.00', currency: 'EUR' })
  const { emails } = await mine.call('resend_my_confirmation_email')
  expect(emails).toHaveLength(1)
  await mine.call('resend_my_confirmation_email', { emailId: emails[0].emailId })
  await post()

  expect(await paying.count('participants')).toBe(1)
  expect(await paying.count('payments')).toBe(1)
  expect(await paying.count('one_time_codes')).toBe(2)
  expect(await paying.count('messages')).toBe(4)
  expect(sink.receivedEmails.map(({ to }) => to)).toEqual([[email], [email], [email], [email]])
  await paying.mustAddUp()
  await close()
})
