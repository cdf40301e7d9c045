import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { toCardProcessors } from '../../src/platform/card-processors.ts'
import { findProblemsInLooks, WALKED_LOOKS, openContext } from '../support/browser.ts'
import { openPaymentScenario, type PaymentScenario } from '../support/payment-scenario.ts'
import { WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve } from '../support/server.ts'
import { findLatestSignInCode, type SmtpSink, startSmtpSink, readEmailText } from '../support/smtp-sink.ts'

/** Tests the journey of an offer from the waiting list: the organizer offers a seat, and the participant follows the link of the email. */

let paying: PaymentScenario
let sink: SmtpSink

const [pass, workshop, dinner] = WORKED_EXAMPLE.products
const [AT_DESK, ON_PHONE, WITHOUT_SCRIPTS] = WALKED_LOOKS

beforeAll(async () => {
  sink = await startSmtpSink()
  const products = [pass!, { ...workshop!, capacity: 1, waitlist: true }, dinner!]
  paying = await openPaymentScenario({ ...WORKED_EXAMPLE, products }, { baseUrl: await chooseFreeBaseUrl() })
  const { world, event, publish } = paying.sales
  await world.database.pool.query(`update events set locales = '{en,de}' where id = $1`, [event.eventId])
  await publish({})
  await serve(world, {
    env: { LANYARD_ROLE: 'all', SMTP_URL: sink.url },
    extras: { cards: toCardProcessors(paying.stripe.cards) },
  })
})
afterAll(async () => {
  await paying.end()
  await sink.stop()
})

const stock = async () => (await paying.rows(`select held, sold from inventory where key = 'product:workshop'`))[0]
const emailsTo = (email: string) => sink.receivedEmails.filter(({ to }) => to.includes(email))

/** A participant who waited for the workshop and was offered its only seat, and the link of the email about it. */
async function offeredSeat(): Promise<{ id: string; email: string; link: string }> {
  const buy = async () => (await paying.sales.register({ workshop: 1 }, { joinWaitlist: true })).participant
  const seated = await buy()
  const { id, email } = await buy()
  await paying.sales.call('edit_participant', { participantId: seated.id, status: 'cancelled' })
  const [entry] = await paying.rows(`select id from waitlist_entries where participant_id = $1 and status = 'waiting'`, [id])
  await paying.sales.callConfirmed('promote_waitlist_entries', { entryIds: [entry.id], offerHours: 1 })
  await expect.poll(() => emailsTo(email).length).toBe(1)
  const link = /https?:\/\/\S+\/registration\/pay/.exec(readEmailText(emailsTo(email)[0]!))?.[0]
  expect(link, 'the email links to the page with the offer').toBeDefined()
  return { id, email, link: link! }
}

/** Follows the link of the email, which asks the participant to sign in with a code that is sent to the same address. */
async function follow(page: Page, { email, link }: { email: string; link: string }): Promise<void> {
  await page.goto(link)
  await page.fill('[name="email"]', email)
  const before = emailsTo(email).length
  await Promise.all([page.waitForURL(/\/code/), page.press('[name="email"]', 'Enter')])
  await expect.poll(() => emailsTo(email).length).toBe(before + 1)
  await page.fill('[name="code"]', findLatestSignInCode(sink, email))
  await Promise.all([page.waitForURL(/\/registration\/pay$/), page.press('[name="code"]', 'Enter')])
}

/** Moves the focus with the Tab key to the button with the given name, and presses it with the Enter key. */
async function pressByKeyboard(page: Page, name: string): Promise<void> {
  const isFocused = async () => (await page.locator('button:focus').allTextContents()).some((text) => text.trim() === name)
  for (let i = 0; i < 60 && !(await isFocused()); i++) await page.keyboard.press('Tab')
  expect(await isFocused(), `${name} can be reached by keyboard`).toBe(true)
  await page.keyboard.press('Enter')
}

it('accepts a waiting list offer from the email on a phone by keyboard, and continues to the payment', async () => {
  const offered = await offeredSeat()
  const page = await (await openContext(WITHOUT_SCRIPTS)).newPage()
  await follow(page, offered)
  expect(await page.textContent('main')).toContain('A seat is free for you')
  expect(await page.textContent('main')).toContain('€179.99')
  expect(await findProblemsInLooks(page, [WITHOUT_SCRIPTS], 'offer')).toEqual([])
  await pressByKeyboard(page, 'Accept the seat')
  await page.waitForURL(/\/registration\/offers\/\w+$/)
  expect(await page.textContent('main')).toContain('The seat is yours')
  expect(await findProblemsInLooks(page, [WITHOUT_SCRIPTS], 'offer-accepted')).toEqual([])
  expect(await page.textContent('main')).toContain('Pay €179.99')
  expect(await stock()).toEqual({ held: 0, sold: 1 })
  // Sending the form again, as after going back, changes nothing.
  await page.goBack()
  const again = page.getByRole('button', { name: 'Accept the seat' })
  if ((await again.count()) > 0) await Promise.all([page.waitForURL(/\/offers\/\w+$/), again.click()])
  expect(await stock()).toEqual({ held: 0, sold: 1 })
  await paying.mustAddUp()
  await paying.sales.call('edit_participant', { participantId: offered.id, status: 'cancelled' })
})

it("declines a waiting list offer in German on the participant's page", async () => {
  const offered = await offeredSeat()
  const page = await (await openContext(AT_DESK)).newPage()
  await follow(page, offered)
  await page.goto(`${offered.link.replace(/\/pay$/, '')}?lang=de`)
  expect(await page.textContent('main')).toContain('Für Sie ist ein Platz frei')
  expect(await findProblemsInLooks(page, [AT_DESK, ON_PHONE], 'offer-german')).toEqual([])
  await pressByKeyboard(page, 'Platz ablehnen')
  await page.waitForURL(/\/registration\/offers\/\w+$/)
  expect(await findProblemsInLooks(page, [AT_DESK, ON_PHONE], 'offer-declined')).toEqual([])
  expect(await page.textContent('main')).toContain('Sie haben den Platz abgelehnt')
  expect(await page.getByRole('button', { name: 'Platz annehmen' }).count()).toBe(0)
  expect(await stock()).toEqual({ held: 0, sold: 0 })
})

it('explains that a waiting list offer has expired, and refuses to accept it', async () => {
  const offered = await offeredSeat()
  const page = await (await openContext(ON_PHONE)).newPage()
  await follow(page, offered)
  await paying.sales.world.clock.stopAt('2026-04-10T11:30:00Z')
  await Promise.all([page.waitForURL(/\/registration\/offers\/\w+$/), page.getByRole('button', { name: 'Accept the seat' }).click()])
  expect(await page.textContent('main')).toContain('This offer has expired')
  expect(await findProblemsInLooks(page, [ON_PHONE], 'offer-expired')).toEqual([])
  await page.goto(offered.link)
  expect(await page.textContent('main')).toContain('This offer has expired')
  expect(await page.getByRole('button', { name: 'Accept the seat' }).count()).toBe(0)
  expect((await stock()).sold).toBe(0)
  await paying.mustAddUp()
})
