import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expireCapacityHolds } from '../../src/domains/registration/promotion/expire-holds.ts'
import { createRecurringTaskContext } from '../../src/surfaces/worker/run-recurring.ts'
import { buildLimitedProduct } from '../support/limited-product.ts'
import { eventHomePath, signInVisitor, verifyMailbox } from '../support/own-pages.ts'
import { createSessionAt, programSections } from '../support/programs.ts'
import { openFormAs } from '../support/registration-form.ts'
import { newAttendee, openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type Visitor, visitor } from '../support/visitor.ts'

const program = programSections()
const [flow] = program.flows
const [contact, choices, sessions] = flow!.pages
const THANKS = 'Thank you, your ticket is attached.'
const done = { code: 'done', title: 'Done', widgets: [{ id: 'end', type: 'confirmation', body: `<p>${THANKS}</p>` }] }

/** A workshop with one seat and a waiting list, a form that is full after one registration, and a program. */
const SECTIONS = {
  ...program,
  products: [...program.products, buildLimitedProduct(1, { waitlist: true })],
  flows: [
    {
      ...flow!,
      pages: [
        contact!,
        { ...choices!, widgets: [{ id: 'seats', type: 'products', products: ['seat'] }, ...choices!.widgets] },
        sessions!,
        done,
      ],
    },
    { ...flow!, slug: 'small', name: 'Small', capacity: 1, waitlist: true, pages: [contact!, choices!, done] },
  ],
}

let scenario: SalesScenario
let served: Served

beforeAll(async () => {
  scenario = await openSalesScenario(SECTIONS, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
  await scenario.call('add_participant', { flowSlug: 'small', data: newAttendee({ '@product.pass': 1 }) })
})
afterAll(() => scenario.world.end())

const mine = (path = '') => `${eventHomePath(scenario.event)}/registration${path}`
const rows = async (query: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(query, values)).rows
const sweep = () => expireCapacityHolds.run(createRecurringTaskContext(scenario.world.services, expireCapacityHolds.name, new Date()))
const emailsAbout = (trigger: string, email: string): Promise<{ subject: string; text_body: string }[]> =>
  rows(`select subject, text_body from messages where to_address = $1 and recipient_key like $2 order by id`, [email, `${trigger}%`])

let made = 0
const NAME = { '@participant.firstName': 'Wanda', '@participant.lastName': 'Waiting' }

describe('confirmation of a registration on the waiting list', () => {
  it('explains on the page and in the email of a waitlisted registration that there is no ticket yet and how to leave', async () => {
    const email = `waits-${++made}@example.org`
    const form = openFormAs(visitor(served), scenario.event, 'small')
    await form.begin(email)
    await form.fill('contact', NAME)
    await form.fill('choices', { '@product.pass': '1' })
    expect((await form.open('summary')).text).toContain('You are registering for the waiting list')
    await form.fill('summary', {}, { press: 'finish' })
    const page = await form.open('done')
    for (const expected of ['You are on the waiting list, Wanda.', 'first in line', 'You have no ticket yet', 'Leave the waiting list'])
      expect(page.text).toContain(expected)
    for (const promise of [THANKS, 'Confirmation number', 'Add to calendar', 'See you in Paris']) expect(page.text).not.toContain(promise)
    const [sent] = await emailsAbout('waitlist.joined', email)
    for (const expected of [
      'This is not a ticket',
      'We will email you as soon as a seat is free',
      'leave the waiting list',
      '/registration',
    ])
      expect(sent!.text_body).toContain(expected)
    expect(sent!.text_body).not.toContain(THANKS)
    // The link leads to a page that leaves the waiting list.
    await verifyMailbox(scenario.world, form.who, scenario.event, email)
    const own = (await form.who.get(mine())).text
    expect(own).toMatch(/Position 1 Your answers .*Leave the waiting list/)
    const asked = await form.who.get(mine('/cancel'))
    expect(asked.text).toContain('Leave the waiting list?')
    expect(asked.text).toMatch(/On the waiting list \S/)
    expect(asked.text).not.toContain('Also cancelled')
    await form.who.post(mine('/cancel'), { agree: 'on' })
    expect(await rows(`select status from participants where email = $1`, [email])).toEqual([{ status: 'cancelled' }])
    expect(await rows(`select 1 from waitlist_entries where status = 'waiting'`)).toEqual([])
  })
})

describe('a full program session', () => {
  it('marks a full session as a waiting list entry on the review page, the confirmation and the participant page', async () => {
    const open = await createSessionAt(scenario.world, scenario.event, { title: 'Opening' })
    const full = await createSessionAt(scenario.world, scenario.event, { title: 'Full house', from: '2026-09-02T10:00', capacity: 0 })
    const email = `waits-${++made}@example.org`
    const form = openFormAs(visitor(served), scenario.event)
    await form.begin(email)
    await form.fill('contact', NAME)
    await form.fill('choices', { '@product.pass': '1' })
    await form.fill('program', { [`@session.${open}`]: 'true', [`@session.${full}`]: 'true' })
    const review = await form.open('summary')
    expect(review.text).toMatch(/Full house · On the waiting list/)
    expect(review.text).not.toMatch(/Opening · On the waiting list/)
    await form.fill('summary', {}, { press: 'finish' })
    const page = await form.open('done')
    expect(page.text).toContain('Full house · on the waiting list, position 1')
    expect(page.text).toMatch(/Your sessions .*Opening/)
    expect(page.text).not.toMatch(/Opening · on the waiting list/)
    await verifyMailbox(scenario.world, form.who, scenario.event, email)
    expect((await form.who.get(mine())).text).toContain('On the waiting list Full house Position 1')
  })
})

describe('edit_participant', () => {
  it('refuses to add a participant to a full session, unless the organizer overrides its capacity', async () => {
    const full = await createSessionAt(scenario.world, scenario.event, { title: 'Packed', from: '2026-09-02T14:00', capacity: 0 })
    const enrolments = () => rows(`select status from session_enrolments where session_id = $1 order by participant_id`, [full])
    const refusal = { code: 'precondition_failed', message: expect.stringMatching(/^Packed is full \(0 of 0\) — pass overrideCapacity/) }
    const { participant } = await scenario.register({ pass: 1 })
    const choose = { participantId: participant.id, data: { [`@session.${full}`]: true } }
    expect(await scenario.refused('edit_participant', choose)).toMatchObject(refusal)
    expect(await scenario.refused('edit_participant', { ...choose, dryRun: true })).toMatchObject(refusal)
    // An incomplete registration that is completed with the full session is refused in the same way.
    const { participant: begun } = await scenario.register({ pass: 1 }, { status: 'incomplete' })
    const complete = { participantId: begun.id, status: 'complete', data: { [`@session.${full}`]: true } }
    expect((await scenario.refused('edit_participant', complete)).message).toMatch(/^Packed is full/)
    expect(await enrolments()).toEqual([])
    await scenario.call('edit_participant', { ...choose, overrideCapacity: true })
    await scenario.call('edit_participant', { ...complete, overrideCapacity: true })
    expect(await enrolments()).toEqual([{ status: 'enrolled' }, { status: 'enrolled' }])
    // Later edits keep the session.
    await scenario.call('edit_participant', { participantId: participant.id, data: { '@participant.company': 'Acme' } })
    expect(await enrolments()).toHaveLength(2)
  })
})

describe('a product on the waiting list', () => {
  /** A registered participant who waits for the workshop, which another participant has. */
  async function waitingFor(): Promise<{ id: string; email: string; entryId: string; who: Visitor; seatedId: string }> {
    const { participant: seated } = await scenario.register({ seat: 1 }, { overrideCapacity: true })
    const { participant } = await scenario.register({ pass: 1, seat: 1 }, { joinWaitlist: true })
    const who = await signInVisitor(scenario.world, served, scenario.event, participant.email)
    const [entry] = await rows(`select id from waitlist_entries where participant_id = $1 and status = 'waiting'`, [participant.id])
    return { id: participant.id, email: participant.email, entryId: entry.id, who, seatedId: seated.id }
  }
  async function offered() {
    const waiting = await waitingFor()
    await scenario.call('edit_participant', { participantId: waiting.seatedId, status: 'cancelled' })
    await scenario.callConfirmed('promote_waitlist_entries', { entryIds: [waiting.entryId], offerHours: 1 })
    return waiting
  }
  const press = (who: Visitor, action: string) => who.post(mine('/offers'), { do: action }, { from: mine() })

  it('lets participants leave a waiting list on their own page, and join it again at its end', async () => {
    const { who, entryId, id, seatedId } = await waitingFor()
    expect((await who.get(mine())).text).toContain('Leave this waiting list')
    const left = await press(who, `leave:${entryId}`)
    const page = await who.get(left.location!)
    expect(page.text).toContain('You left the waiting list')
    expect(await rows(`select status, reason from waitlist_entries where id = $1`, [entryId])).toEqual([
      { status: 'removed', reason: 'left' },
    ])
    // Pressing again changes nothing.
    expect(await press(who, `leave:${entryId}`)).toMatchObject({ status: 303, location: left.location })
    for (let round = 0; round < 2; round++) expect((await press(who, `rejoin:${entryId}`)).location).toContain('done=waitsAgain')
    expect(await rows(`select quantity from waitlist_entries where participant_id = $1 and status = 'waiting'`, [id])).toEqual([
      { quantity: 1 },
    ])
    await scenario.call('edit_participant', { participantId: seatedId, status: 'cancelled' })
    await scenario.call('edit_participant', { participantId: id, status: 'cancelled' })
  })

  it('shows an accepted waiting list offer with the amount to pay, and adds the session whose ticket is the offered product', async () => {
    const lab = await createSessionAt(scenario.world, scenario.event, { title: 'Lab', from: '2026-09-03T10:00', productCode: 'seat' })
    const { who, entryId, id, email } = await offered()
    const open = await who.get(mine('/pay'))
    expect(open.text).toContain('Nothing is charged before you accept.')
    for (let round = 0; round < 2; round++) {
      const page = await who.get((await press(who, `accept:${entryId}`)).location!)
      expect(page.text).toContain('The seat is yours')
      // The pass and the workshop, both with 20% tax, are unpaid.
      expect(page.text).toContain('Pay €960.00')
    }
    expect(await rows(`select status from session_enrolments where session_id = $1 and participant_id = $2`, [lab, id])).toEqual([
      { status: 'enrolled' },
    ])
    const [promoted] = await emailsAbout('waitlist.promoted', email)
    const [{ confirmation_number }] = await rows(`select confirmation_number from participants where id = $1`, [id])
    expect(promoted!.text_body).toContain(confirmation_number)
    await scenario.call('edit_participant', { participantId: id, status: 'cancelled' })
  })

  it('shows that a waiting list offer was declined without a charge, and removes the person from the waiting list', async () => {
    const { who, entryId, id } = await offered()
    const page = await who.get((await press(who, `decline:${entryId}`)).location!)
    expect(page.text).toContain('You declined the seat You were not charged for Seat.')
    // The seat is free, so there is no waiting list to join.
    expect(page.text).not.toContain('Join the waiting list again')
    expect(await rows(`select status, reason from waitlist_entries where id = $1`, [entryId])).toEqual([
      { status: 'removed', reason: 'declined' },
    ])
    await scenario.call('edit_participant', { participantId: id, status: 'cancelled' })
  })

  it('explains at the emailed link that a waiting list offer has expired, refuses to accept it, and sends one email about that', async () => {
    const { who, entryId, email, id } = await offered()
    const opened = await who.get(mine('/pay'))
    expect(opened.text).toContain('Accept the seat')
    await scenario.world.clock.stopAt('2026-04-10T11:30:00Z')
    await scenario.world.renewTokens()
    const late = await press(who, `accept:${entryId}`)
    const page = await who.get(late.location!)
    expect(page.text).toContain('This offer has expired')
    expect(page.text).toContain('was held for you until Friday, 10 April 2026 at 13:00')
    // The pass is unpaid, so the link of the email shows the payment, and links to what became of the offer.
    expect((await who.get(mine('/pay'))).html).toContain(`<a href="${late.location}">This offer has expired</a>`)
    for (let round = 0; round < 2; round++) await sweep()
    const sent = await emailsAbout('waitlist.expired', email)
    expect(sent).toHaveLength(1)
    expect(sent[0]!.subject).toContain('has expired')
    expect(sent[0]!.text_body).toMatch(/The seat for Seat was held for you until .*10 April 2026/)
    // A participant who cancelled meanwhile gets no email about the offer.
    await scenario.world.clock.stopAt('2026-04-10T10:00:00Z')
    await scenario.call('edit_participant', { participantId: id, status: 'cancelled' })
  })

  it('opens the page of a waiting list entry only for its participant', async () => {
    const [one, other] = [await waitingFor(), await waitingFor()]
    expect((await one.who.get(mine(`/offers/${one.entryId}`))).status).toBe(303)
    expect((await one.who.get(mine(`/offers/${other.entryId}`))).status).toBe(404)
    expect((await press(one.who, `leave:${other.entryId}`)).status).toBe(404)
    expect((await visitor(served).get(mine(`/offers/${one.entryId}`))).location).toContain('/sign-in')
  })
})
