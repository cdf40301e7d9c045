import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cancelUnverifiedDuplicatesJob } from '../../src/domains/checkout/unverified-duplicates.ts'
import type { Job } from '../../src/kernel/jobs.ts'
import { createJobRunner } from '../../src/surfaces/worker/run-jobs.ts'
import { openEventLedger } from '../support/event-ledger.ts'
import { eventHomePath, signInVisitor, verifyMailbox } from '../support/own-pages.ts'
import { buildEventPath, openFormAs, type Registrant } from '../support/registration-form.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { assistantAt } from '../support/sign-in-codes.ts'
import { visitor } from '../support/visitor.ts'

let scenario: SalesScenario
let served: Served
let home: string

const [attendee] = WORKED_EXAMPLE.flows

beforeAll(async () => {
  const sections = { ...WORKED_EXAMPLE, flows: [attendee!, { ...attendee!, slug: 'press', name: 'Press' }] }
  scenario = await openSalesScenario(sections, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world, { env: { LANYARD_TRUSTED_PROXIES: '127.0.0.1,::1' } })
  home = eventHomePath(scenario.event)
})
afterAll(() => scenario.world.end())

const rows = async (query: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(query, values)).rows
const NAME = { '@participant.firstName': 'Bob', '@participant.lastName': 'Owner' }

let made = 0
const newAddress = () => `Bob-${++made}@example.org`
/** A browser in a network of its own. */
const newBrowser = () => visitor(served, { 'x-forwarded-for': `203.0.113.${++made % 250}` })

/** Starts a registration with this address in a new browser. Returns the form and the new registration. */
async function begin(email: string, flow = 'attendee'): Promise<Registrant & { id: string }> {
  const form = openFormAs(newBrowser(), scenario.event, flow)
  await form.begin(email)
  const [{ id }] = await rows(`select id from participants where lower(email) = lower($1) order by created_at desc, id desc limit 1`, [
    email,
  ])
  return { ...form, id }
}

async function finish(form: Registrant, name = NAME) {
  await form.fill('contact', { ...name, '@participant.company': 'Secret Ltd' })
  await form.fill('choices', { '@product.pass': '1' })
  return form.fill('summary', {}, { press: 'finish' })
}

/** Runs the queued jobs that cancel duplicates, as the worker does. */
async function runJobs() {
  const queued = await rows(
    `select tenant_id as "tenantId", id as "jobId" from jobs where name = 'cancel_unverified_duplicates' and status = 'queued'`,
  )
  for (const job of queued) await createJobRunner(scenario.world.services)(cancelUnverifiedDuplicatesJob as unknown as Job, job)
}

const soldPasses = async () => (await rows(`select sold from inventory where key = 'product:pass'`))[0].sold

const statusOf = async (id: string) => (await rows(`select status from participants where id = $1`, [id]))[0].status
const emailsTo = async (email: string) =>
  (await rows(`select text_body from messages where lower(to_address) = lower($1)`, [email])).map(({ text_body }) => text_body as string)

/** Fails if the browser still sees or changes a registration. */
async function expectNoAccess({ who, open }: Registrant, flow = 'attendee') {
  for (const page of ['contact', 'choices', 'summary', 'done']) {
    const answer = await open(page)
    expect([page, answer.status, answer.location]).toEqual([page, 303, `${buildEventPath(scenario.event)}/register/${flow}`])
  }
  for (const page of ['', '/edit', '/cancel', '/pay', '/sharing']) {
    const answer = await who.get(`${home}/registration${page}`)
    // The payment page is opened again after sign-in.
    expect([page, answer.text.includes('Secret Ltd'), answer.location?.split('?')[0] ?? answer.status]).toEqual([
      page,
      false,
      `${home}/registration/sign-in`,
    ])
  }
  await who.post(`${home}/registration/cancel`, { agree: 'on' }, { from: `${home}/registration/sign-in` })
}

describe('registration started with the address of another person', () => {
  it.each(['attendee', 'press'])(
    "hides the data of a mailbox owner from a stranger who registered with the owner's address: flow %s",
    async (flow) => {
      const email = newAddress()
      const stranger = await begin(email.toLowerCase(), flow)
      await stranger.fill('contact', { '@participant.firstName': 'Mallory', '@participant.lastName': 'Stranger' })
      // The session works until the owner proves access to the mailbox.
      expect((await stranger.open('choices')).status).toBe(200)
      const owner = await begin(email, flow)
      expect(owner.id).not.toBe(stranger.id)
      expect((await owner.open('contact')).html).not.toContain('Mallory')
      await verifyMailbox(scenario.world, owner.who, scenario.event, email)
      expect((await finish(owner)).location).toMatch(/\/done$/)
      const shown = await stranger.open('contact')
      expect(shown.html).not.toMatch(/Secret Ltd|Owner/)
      await stranger.who.post(`${home}/registration/cancel`, { agree: 'on' }, { from: `${home}/registration/sign-in?email=` })
      expect(await statusOf(owner.id)).toBe('complete')
      // No email leads into the registration that the other person started.
      for (const text of await emailsTo(email)) expect(text).not.toMatch(/register\/\w+\?token=/)
    },
  )

  it("ends the session of a stranger who registered with another's address once the mailbox owner signs in", async () => {
    const email = newAddress()
    const stranger = await begin(email)
    expect((await finish(stranger)).location).toMatch(/\/done$/)
    expect((await stranger.who.get(`${home}/registration`)).text).toContain('Secret Ltd')
    const owner = await signInVisitor(scenario.world, served, scenario.event, email.toUpperCase())
    expect((await owner.get(`${home}/registration`)).text).toContain('Secret Ltd')
    await expectNoAccess(stranger)
    expect(await statusOf(stranger.id)).toBe('complete')
    // Another device of the owner stays signed in.
    await signInVisitor(scenario.world, served, scenario.event, email)
    expect((await owner.get(`${home}/registration`)).text).toContain('Secret Ltd')
  })

  it("ends the session of a stranger who registered with another's address once its owner signs in by assistant", async () => {
    const email = newAddress()
    const stranger = await begin(email)
    await finish(stranger)
    const assistant = await assistantAt(scenario.world, scenario.event)
    const { participantExists } = await assistant.verify(email, await assistant.requestCode(email))
    expect(participantExists).toBe(true)
    await expectNoAccess(stranger)
    // A registration that was only started is not the owner's.
    const other = newAddress()
    const draft = await begin(other)
    expect((await assistant.verify(other, await assistant.requestCode(other))).participantExists).toBe(false)
    expect((await draft.open('contact')).status).toBe(200)
  })

  it("ends the session of a stranger who registered with another's address once its owner opens a registration link", async () => {
    const email = newAddress()
    const stranger = await begin(email)
    await stranger.fill('contact', NAME)
    const { url } = await scenario.call('describe_participant_flow', { participantId: stranger.id })
    const owner = openFormAs(newBrowser(), scenario.event)
    await owner.who.get(url.slice(served.baseUrl.length))
    expect((await owner.open('choices')).status).toBe(200)
    await expectNoAccess(stranger)
  })

  it("includes a registration link in a resent confirmation only if the participant's mailbox is verified", async () => {
    const email = newAddress()
    const form = await begin(email)
    await form.fill('contact', NAME)
    await scenario.call('resend_participant_confirmation', { participantId: form.id })
    const [text] = await emailsTo(email)
    expect(text).toContain(`/register/attendee?email=${encodeURIComponent(email)}`)
    expect(text).not.toContain('token=')
    await verifyMailbox(scenario.world, form.who, scenario.event, email)
    await scenario.call('resend_participant_confirmation', { participantId: form.id })
    expect((await emailsTo(email)).filter((one) => /register\/attendee\?token=/.test(one))).toHaveLength(1)
  })
})

describe('two registrations started for the same person', () => {
  it('registers the owner who verifies the mailbox, and not a stranger who used the same name and address', async () => {
    const email = newAddress()
    const [stranger, owner] = [await begin(email), await begin(email)]
    await stranger.fill('contact', NAME)
    expect((await owner.fill('contact', NAME)).location).toMatch(/\/choices$/)
    await verifyMailbox(scenario.world, owner.who, scenario.event, email)
    expect(await rows(`select id from participants where lower(email) = lower($1) and not email_unverified`, [email])).toEqual([
      { id: owner.id },
    ])
    expect((await finish(owner)).location).toMatch(/\/done$/)
    // The stranger sees only what the stranger wrote, and does not learn that the person is registered.
    await stranger.fill('choices', { '@product.pass': '1' })
    expect((await stranger.fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
    expect([await statusOf(stranger.id), await statusOf(owner.id)]).toEqual(['complete', 'complete'])
    await runJobs()
    expect(await statusOf(stranger.id)).toBe('complete')
    // The next proof of the mailbox ends the stranger's session and registration.
    await signInVisitor(scenario.world, served, scenario.event, email)
    await runJobs()
    expect([await statusOf(stranger.id), await statusOf(owner.id)]).toEqual(['cancelled', 'complete'])
    await expectNoAccess(stranger)
    await openEventLedger(scenario.world, scenario.event).assertInvariants()
  })

  it.each([
    ['before', true],
    ['after', false],
  ])(
    "registers the mailbox owner although a stranger used the owner's address; the name is entered %s the code",
    async (_when, isNamed) => {
      const email = newAddress()
      const [stranger, owner] = [await begin(email), await begin(email)]
      expect((await finish(stranger)).location).toMatch(/\/done$/)
      const sold = await soldPasses()
      if (isNamed) await owner.fill('contact', NAME)
      await verifyMailbox(scenario.world, owner.who, scenario.event, email)
      await expectNoAccess(stranger)
      expect((await finish(owner)).location).toMatch(/\/done$/)
      await runJobs()
      expect([await statusOf(stranger.id), await statusOf(owner.id)]).toEqual(['cancelled', 'complete'])
      expect(await rows(`select email_unverified from participants where id = $1`, [owner.id])).toEqual([{ email_unverified: false }])
      expect(await soldPasses()).toBe(sold)
      await openEventLedger(scenario.world, scenario.event).assertInvariants()
    },
  )

  it("keeps a paid registration of a stranger with another's address, and the registration of the mailbox owner", async () => {
    const email = newAddress()
    const [stranger, owner] = [await begin(email), await begin(email)]
    await finish(stranger)
    const [{ number }] = await rows(`select number from orders where participant_id = $1`, [stranger.id])
    const payment = { kind: 'payment', orderNumber: number, method: 'cash', amount: { amount: '5.00', currency: 'EUR' } }
    await scenario.call('record_manual_payment', payment)
    await owner.fill('contact', NAME)
    await verifyMailbox(scenario.world, owner.who, scenario.event, email)
    expect((await finish(owner)).location).toMatch(/\/done$/)
    await runJobs()
    expect([await statusOf(stranger.id), await statusOf(owner.id)]).toEqual(['complete', 'complete'])
    // The organizer can edit both.
    for (const { id } of [stranger, owner]) {
      await scenario.call('edit_participant', { participantId: id, data: { '@participant.company': 'Edited' } })
    }
    await openEventLedger(scenario.world, scenario.event).assertInvariants()
  })

  it('verifies the paid one of two finished registrations of the same person, and cancels the unpaid one', async () => {
    const email = newAddress()
    const forms = [await begin(email), await begin(email)]
    for (const form of forms) expect((await finish(form)).location).toMatch(/\/done$/)
    const [{ number }] = await rows(`select number from orders where participant_id = $1`, [forms[1]!.id])
    const payment = { kind: 'payment', orderNumber: number, method: 'cash', amount: { amount: '5.00', currency: 'EUR' } }
    await scenario.call('record_manual_payment', payment)
    await signInVisitor(scenario.world, served, scenario.event, email)
    await runJobs()
    expect([await statusOf(forms[0]!.id), await statusOf(forms[1]!.id)]).toEqual(['cancelled', 'complete'])
    for (const form of forms) await expectNoAccess(form)
    await openEventLedger(scenario.world, scenario.event).assertInvariants()
  })

  it('returns the finished, unverified registration when an organizer adds the same person, instead of creating a second one', async () => {
    const email = newAddress()
    const form = await begin(email)
    await finish(form)
    const data = { '@participant.firstName': 'Bob', '@participant.lastName': 'Owner', '@participant.email': email }
    const added = await scenario.call('add_participant', { flowSlug: 'attendee', data })
    expect([added.status, added.participant.id]).toEqual(['existing_complete', form.id])
  })

  it('verifies only one of several registrations of a person if all are verified concurrently', async () => {
    const email = newAddress()
    const forms = [await begin(email), await begin(email), await begin(email)]
    for (const { fill } of forms) await fill('contact', NAME)
    // Links of the organizer, because one code can be used only once.
    const links = await Promise.all(
      forms.map(async ({ id }) =>
        (await scenario.call('describe_participant_flow', { participantId: id })).url.slice(served.baseUrl.length),
      ),
    )
    const answers = await Promise.all(links.map((link) => newBrowser().get(link)))
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303])
    expect(await rows(`select 1 from participants where lower(email) = lower($1) and not email_unverified`, [email])).toHaveLength(1)
    await openEventLedger(scenario.world, scenario.event).assertInvariants()
  })

  it('keeps both registrations of two people who share a mailbox', async () => {
    const email = newAddress()
    const [ann, ben] = [await begin(email), await begin(email)]
    await finish(ann, { '@participant.firstName': 'Ann', '@participant.lastName': 'Share' })
    await finish(ben, { '@participant.firstName': 'Ben', '@participant.lastName': 'Share' })
    expect([await statusOf(ann.id), await statusOf(ben.id)]).toEqual(['complete', 'complete'])
    const both = await signInVisitor(scenario.world, served, scenario.event, email)
    const choice = await both.get(`${home}/registration`)
    for (const name of ['Ann Share', 'Ben Share']) expect(choice.text).toContain(name)
  })
})

describe('browser session of a participant', () => {
  it('refuses access to a verified registration in an unverified session, even if the session was not deleted', async () => {
    const email = newAddress()
    const stranger = await begin(email)
    await stranger.fill('contact', { ...NAME, '@participant.company': 'Secret Ltd' })
    expect((await stranger.open('contact')).html).toContain('Secret Ltd')
    await rows(`update participants set email_unverified = false where id = $1`, [stranger.id])
    expect((await stranger.open('contact')).location).toBe(`${buildEventPath(scenario.event)}/register/attendee`)
    // Control: the same session with proof opens the registration.
    await rows(`update person_sessions set verified = true where participant_id = $1`, [stranger.id])
    expect((await stranger.open('contact')).html).toContain('Secret Ltd')
  })
})
