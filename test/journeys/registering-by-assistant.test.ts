import { afterAll, beforeAll, expect, it } from 'vitest'
import { processorsOf } from '../../src/platform/card-processors.ts'
import { newestCodeOf, wrong } from '../support/codes.ts'
import { apiAccountAt } from '../support/participants.ts'
import { registrantAt } from '../support/registering.ts'
import { openPaying, type Paying } from '../support/paying.ts'
import { WORKED_EXAMPLE } from '../support/selling.ts'
import { freeBaseUrl, serve, type Served } from '../support/server.ts'
import { signed } from '../support/stripe-server.ts'
import { visitor } from '../support/visitor.ts'

let paying: Paying
let served: Served

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
  paying = await openPaying(EVENT, { baseUrl: await freeBaseUrl() })
  served = await serve(paying.story.world, { extras: { cards: processorsOf(paying.stripe.cards) } })
})
afterAll(() => paying.end())

it('an assistant begins a registration and the person pays it in the browser: one payment, one confirmation', async () => {
  const { world, event } = paying.story
  const email = 'ada@example.org'
  const account = await apiAccountAt(world, event, 'Concierge by Acme')
  const at = { tenantCode: event.tenantCode, clientCode: event.clientCode, eventCode: event.eventCode }
  let asked = 0
  const call = async (name: string, args: object, session?: string) => {
    const response = await fetch(served.url('/api/mcp/participant'), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${account.token}`,
        ...(session ? { 'x-participant-session': session } : {}),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++asked, method: 'tools/call', params: { name, arguments: args } }),
    })
    const { result } = (await response.json()) as any
    return result.isError ? { refused: result.content[0].text } : result.structuredContent
  }
  const signIn = async () => {
    await call('agent_request_otp', { ...at, email })
    return newestCodeOf(world, email)
  }

  const code = await signIn()
  expect(await call('agent_verify_otp', { ...at, email, code: wrong(code) })).toMatchObject({ verified: false, attemptsRemaining: 2 })
  const verified = await call('agent_verify_otp', { ...at, email, code })
  expect(verified).toMatchObject({ verified: true, participantExists: false })
  const session = verified.session.token
  expect((await call('get_my_registration', {}, session)).refused).toContain('No verified participant identity for this run.')
  const answers = { '@participant.firstName': 'Ada', '@participant.lastName': 'Lovelace', '@custom.newsletter': 'A friend' }
  const submitted = await call('agent_submit_registration', { flowSlug: 'attendee', data: answers }, session)
  expect(submitted).toMatchObject({ matchStatus: 'new' })
  const again = await call('agent_submit_registration', { flowSlug: 'attendee', data: answers }, session)
  expect(again).toMatchObject({ matchStatus: 'existing_incomplete' })

  const browser = visitor(served)
  const ada = registrantAt(browser, event)
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
  expect((await ada.open('pay/return')).text).toContain('We are waiting for your bank')

  paying.stripe.pay(charge.id)
  const body = JSON.stringify({
    id: 'evt_story',
    type: 'checkout.session.completed',
    data: { object: { object: 'checkout.session', metadata: { charge: charge.id } } },
  })
  const [{ now }] = await paying.rows('select lanyard_now() as now')
  const notice = fetch(served.url('/api/payments/stripe/webhook'), {
    method: 'POST',
    headers: { 'stripe-signature': signed(body, now) },
    body,
  })
  const [returned] = await Promise.all([ada.open(`pay/return?charge=${charge.id}`), notice])
  expect(returned.status).toBeLessThan(400)
  await paying.runDueCalls()
  expect((await ada.open(`pay/return?charge=${charge.id}`)).location).toMatch(/\/done$/)
  expect((await ada.open('done')).text).toContain('€900.00 is paid')

  expect(await call('agent_submit_registration', { flowSlug: 'attendee', data: answers }, session)).toMatchObject({
    matchStatus: 'existing_complete',
  })
  const second = await signIn()
  const known = await call('agent_verify_otp', { ...at, email, code: second })
  expect(known).toMatchObject({ verified: true, participantExists: true })
  const mine = known.session.token
  expect(JSON.stringify(await call('check_balance_due', {}, mine))).toContain('0.00')
  // The post has gone out meanwhile.
  await paying.rows(`update messages set status = 'sent', sent_at = lanyard_now() where status = 'queued'`)
  const { emails } = await call('resend_my_confirmation_email', {}, mine)
  expect(emails).toHaveLength(1)
  const resent = await call('resend_my_confirmation_email', { emailId: emails[0].id ?? emails[0].emailId }, mine)
  expect(resent.refused).toBeUndefined()

  expect(await paying.count('participants')).toBe(1)
  expect(await paying.count('payments')).toBe(1)
  expect(await paying.count('one_time_codes')).toBe(2)
  expect(await paying.count('messages')).toBe(4)
  await paying.mustAddUp()
})
