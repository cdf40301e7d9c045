import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { toCardProcessors } from '../../src/platform/card-processors.ts'
import { openContext } from '../support/browser.ts'
import { chooseWrongCode } from '../support/sign-in-codes.ts'
import { createExhibitorFixtures, buildRectangle } from '../support/companies.ts'
import { createHotelAt } from '../support/hotels.ts'
import { eventHomePath } from '../support/own-pages.ts'
import { createApiAccountAt } from '../support/participants.ts'
import { openPaymentScenario, type PaymentScenario } from '../support/payment-scenario.ts'
import { updateProfiles } from '../support/recommendations.ts'
import { connectAssistant, type AssistantConnection, type ScriptedAssistant } from '../support/scripted-assistant.ts'
import { newAttendee, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { findLatestSignInCode, type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { signWebhook } from '../support/stripe-server.ts'

/**
 * Tests the complete journey: an assistant over MCP, a participant in a browser, codes sent by email, and a card payment on another site.
 */

let paying: PaymentScenario
let served: Served
let sink: SmtpSink
let assistant: ScriptedAssistant

const [contact, choices, done] = WORKED_EXAMPLE.flows[0]!.pages
const EVENT = {
  ...WORKED_EXAMPLE,
  housing: { enabled: true, seeAvailability: 'exact' },
  exhibitorConfig: { meetingHours: [{ day: '2026-09-01', from: '10:00', until: '12:00' }] },
  customFields: [{ code: 'heard', name: 'How did you hear of us?', responseType: 'text' }],
  flows: [
    {
      ...WORKED_EXAMPLE.flows[0]!,
      pages: [
        {
          ...contact!,
          widgets: [
            ...contact!.widgets,
            { id: 'heard', type: 'field', binding: '@custom.heard' },
            { id: 'job', type: 'field', binding: '@participant.jobTitle' },
            { id: 'city', type: 'field', binding: '@participant.city' },
          ],
        },
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
  const { world, event } = paying.sales
  await createHotelAt(world, event)
  const exhibitors = createExhibitorFixtures(world, event)
  await exhibitors.plan({}, [{ number: '101', polygon: buildRectangle(6, 7, 3, 3) }])
  const { id } = await exhibitors.company({ name: 'Borealis', contact: { name: 'Connie', email: 'connie@borealis.example' } })
  await exhibitors.assign('101', id)
  await exhibitors.company({ name: 'Cumulus' })
  served = await serve(world, {
    env: { LANYARD_ROLE: 'all', SMTP_URL: sink.url },
    extras: { cards: toCardProcessors(paying.stripe.cards) },
  })
  const account = await createApiAccountAt(world, event, 'Concierge by Acme')
  assistant = await connectAssistant(served, account.token, event)
})
afterAll(async () => {
  await assistant.close()
  await paying.end()
  await sink.stop()
})

const emailsTo = (email: string) => sink.receivedEmails.filter(({ to }) => to.includes(email)).length

/** Returns a function that reads the latest sign-in code from the participant's email. */
function reading(email: string): () => Promise<string> {
  const before = emailsTo(email)
  return async () => {
    await expect.poll(() => emailsTo(email)).toBe(before + 1)
    return findLatestSignInCode(sink, email)
  }
}

/** Completes the registration in the browser, from the assistant's link through the payment page. Returns the final page. */
async function finishInBrowser(page: Page, link: string, received: string): Promise<Page> {
  const button = '.bar button.primary'
  await page.goto(`${served.baseUrl}${link}`)
  expect(page.url()).toMatch(/\/register\/attendee\/contact$/)
  expect(await page.inputValue('[name="@custom.heard"]')).toBe(received)
  await page.click(button)
  await page.waitForURL(/\/choices$/)
  await page.check('[name="@product.pass"]')
  await page.check('[name="_method"][value="card"]')
  await page.click(button)
  await page.waitForURL(/\/summary$/)
  expect(await page.textContent(button)).toBe('Pay €900.00')
  // The processor's payment page does not exist here, so the participant returns in another window.
  await Promise.all([page.waitForRequest(/^https:\/\/checkout\.example\//), page.click(button)])
  const [charge] = await paying.rows(`select id, amount::int as amount from charges where status = 'pending'`)
  expect(charge.amount).toBe(90_000)
  paying.stripe.pay(charge.id)
  // The processor's webhook and the participant arrive concurrently.
  const notice = JSON.stringify({
    id: `evt_${charge.id}`,
    type: 'checkout.session.completed',
    data: { object: { object: 'checkout.session', metadata: { charge: charge.id } } },
  })
  const [{ now }] = await paying.rows('select lanyard_now() as now')
  const webhookSent = fetch(served.url('/api/payments/stripe/webhook'), {
    method: 'POST',
    headers: { 'stripe-signature': signWebhook(notice, now) },
    body: notice,
  })
  const back = await page.context().newPage()
  await Promise.all([back.goto(paying.stripe.pageOf(charge.id).form['success_url']!), webhookSent])
  await back.waitForURL(/\/done$/)
  expect(await back.textContent('main')).toContain('€900.00 is paid')
  return back
}

/** Calls every tool that the endpoint offers to a registered participant. */
async function useEveryTool(person: AssistantConnection, email: string, groupCode: string): Promise<void> {
  const mine = await person.call('get_my_registration')
  expect(mine).toMatchObject({ status: 'complete', flowSlug: 'attendee' })
  expect(mine.answers).toContainEqual(expect.objectContaining({ binding: '@custom.heard', value: 'A friend' }))
  const { fields } = await person.call('describe_my_flow')
  expect(fields).toContainEqual(expect.objectContaining({ binding: '@custom.heard', answered: true, editable: true }))
  const data = { '@custom.heard': 'A colleague', '@participant.jobTitle': 'Engineer', '@participant.city': 'Paris' }
  expect(await person.call('update_my_registration', { data, dryRun: true })).toMatchObject({ status: 'updated' })
  expect(await person.call('update_my_registration', { data, ifRevision: mine.revision })).toMatchObject({ status: 'updated' })
  expect(await person.call('update_my_registration', { data })).toMatchObject({ status: 'unchanged' })
  expect((await person.call('check_balance_due')).balance).toEqual({ amount: '0.00', currency: 'EUR' })
  expect((await person.call('list_data_fields', { flowSlug: 'attendee' })).fields.length).toBeGreaterThan(3)

  const before = emailsTo(email)
  const { emails } = await person.call('resend_my_confirmation_email')
  expect(emails).toHaveLength(1)
  expect(emailsTo(email)).toBe(before)
  expect(await person.call('resend_my_confirmation_email', { emailId: emails[0].emailId })).toMatchObject({ queued: 1 })
  await expect.poll(() => emailsTo(email)).toBe(before + 1)

  expect((await person.call('get_booth_map')).booths).toMatchObject([{ number: '101', company: 'Borealis' }])
  const { companies } = await person.call('list_exhibitor_availability', {})
  const [slot] = companies[0].slots
  const noticed = emailsTo('connie@borealis.example')
  expect((await person.call('book_exhibitor_appointment', { slotId: slot.slotId, dryRun: true })).shared).toBeDefined()
  const { appointment } = await person.call('book_exhibitor_appointment', { slotId: slot.slotId })
  await expect.poll(() => [emailsTo(email), emailsTo('connie@borealis.example')]).toEqual([before + 2, noticed + 1])
  expect((await person.call('list_my_appointments')).appointments).toMatchObject([{ id: appointment.id }])
  await person.call('cancel_my_appointment', { appointmentId: appointment.id, reason: 'Train' })
  await expect.poll(() => emailsTo('connie@borealis.example')).toBe(noticed + 2)

  const { group } = await person.call('get_group_import_template', { groupCode })
  expect(group).toMatchObject({ code: groupCode })
  const members = [{ data: newAttendee({ '@product.pass': 1 }) }]
  expect(await person.call('import_group_members', { groupCode, members, dryRun: true })).toMatchObject({ status: 'imported' })
  expect(await person.call('import_group_members', { groupCode, members })).toMatchObject({ status: 'imported', added: 1 })

  const stay = { checkIn: '2026-09-01', checkOut: '2026-09-03' }
  expect((await person.call('get_hotel_list', stay)).hotels).toMatchObject([{ name: 'Grand' }])
  expect((await person.call('recommend_hotel', stay)).recommendations).toHaveLength(1)
  await updateProfiles(paying.sales)
  expect((await person.call('recommend_products')).recommendations.map(({ productCode }: any) => productCode)).toContain('workshop')
  // Recommendations exclude companies that the participant already met.
  expect((await person.call('recommend_companies')).companies).toMatchObject([{ name: 'Cumulus' }])
  await person.call('recommend_participants')
  await person.call('generate_participant_profile')
  expect((await person.call('get_my_registration')).aiProfile).toBeTruthy()
}

it.each([
  { name: 'Ada', scripts: true },
  { name: 'Ben', scripts: false },
])(
  'lets a participant register with an assistant, pay in a browser ($name, scripts $scripts) and then use every tool',
  async ({ name, scripts }) => {
    const { world, event } = paying.sales
    const email = `${name.toLowerCase()}@example.org`
    const groupCode = `crew-${name.toLowerCase()}`
    await paying.sales.call('create_managed_group', {
      name: `Crew of ${name}`,
      code: groupCode,
      kind: 'company',
      payBy: 'group',
      flowSlug: 'attendee',
      admins: [{ email, name }],
    })

    const { signIn, at } = assistant
    const mistyped = reading(email)
    expect(await signIn.call('agent_request_otp', { ...at, email })).toEqual({ sent: true, expiresInSeconds: 900 })
    const code = await mistyped()
    expect(await signIn.call('agent_verify_otp', { ...at, email, code: chooseWrongCode(code) })).toEqual({
      verified: false,
      reason: 'wrong_code',
      attemptsRemaining: 2,
    })
    const first = await assistant.verifyEmail(email, reading(email))
    expect(first.participantExists).toBe(false)
    // The previous code no longer works.
    expect(await signIn.call('agent_verify_otp', { ...at, email, code })).toEqual({ verified: false, reason: 'expired_or_missing' })
    expect(await first.refused('get_my_registration')).toContain('No verified participant identity for this run.')
    expect(await first.refused('recommend_products')).toContain('No participant identity available')

    const { flows } = await first.call('agent_list_flows')
    expect(flows).toMatchObject([
      { slug: 'attendee', visibleForTags: null, descriptor: { timezone: 'Europe/Paris', eventStartOn: '2026-09-01' } },
    ])
    const data = { '@participant.firstName': name, '@participant.lastName': 'Lovelace', '@custom.heard': 'A friend' }
    const failed = await first.call('agent_submit_registration', { data: { ...data, '@custom.nosuch': 'x' } })
    expect(failed).toMatchObject({ status: 'validation_failed', errors: [{ binding: '@custom.nosuch', code: 'unknown' }] })
    const submitted = await first.call('agent_submit_registration', { data })
    expect(submitted).toMatchObject({ status: 'new', matchStatus: 'new', flowSlug: 'attendee' })
    expect(submitted.url).toBe(`${eventHomePath(event)}/register/attendee?token=${submitted.jwt}`)
    const again = await first.call('agent_submit_registration', { data })
    expect(again).toMatchObject({ status: 'existing_incomplete' })
    expect(again).not.toHaveProperty('participantId')

    const context = await openContext({ width: 390, scheme: 'light', scripts })
    const page = await finishInBrowser(await context.newPage(), submitted.url, 'A friend')
    await page.goto(`${served.baseUrl}${eventHomePath(event)}/registration/sharing`)
    await page.check('[name="visible"]')
    await page.click('main form button[type=submit]')
    await page.waitForLoadState()

    const complete = await first.call('agent_submit_registration', { data })
    expect(complete).toEqual({
      status: 'existing_complete',
      matchStatus: 'existing_complete',
      url: `${eventHomePath(event)}/registration/sign-in?email=${encodeURIComponent(email)}`,
    })
    await page.goto(`${served.baseUrl}${complete.url}`)
    expect(await page.textContent('h1')).toContain(name)
    await context.close()
    expect(await first.refused('check_balance_due')).toContain('No verified participant identity for this run.')

    // Waits for the confirmation email, which is sent independently of the code.
    await expect.poll(() => emailsTo(email)).toBe(3)
    const known = await assistant.verifyEmail(email, reading(email))
    expect(known.participantExists).toBe(true)
    await useEveryTool(known, email, groupCode)
    expect([...assistant.called].toSorted()).toEqual(assistant.listed.toSorted())
    expect(await world.database.pool.query(`select from messages where category = 'signin.code' and text_body <> ''`)).toMatchObject({
      rows: [],
    })
    await paying.mustAddUp()
  },
)
