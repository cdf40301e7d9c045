import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { acceptOffer } from '../../../domains/registration/promotion/accept-offer.ts'
import { sweepHolds } from '../../../domains/registration/promotion/sweep.ts'
import type { RecurringRun } from '../../../kernel/recurring.ts'
import { booksOf } from '../../../../test/support/books.ts'
import { keepStep } from '../../../surfaces/worker/step.ts'
import { runDueCalls, saveCard, ScriptedCards, type Script } from '../../../../test/support/scripted-cards.ts'
import { openSelling, type Selling, somebody, WORKED_EXAMPLE } from '../../../../test/support/selling.ts'

/** The specification's figures on PostgreSQL; the embedded database has one connection, so fewer do there. */
const [CAPACITY, BUYERS] = process.env['TEST_DATABASE_URL'] ? [100, 500] : [12, 60]

const euros = (amount: string) => ({ amount, currency: 'EUR' })

const workshop = (capacity: number, more: object = {}) => ({
  ...WORKED_EXAMPLE,
  products: [
    WORKED_EXAMPLE.products[0]!,
    {
      code: 'workshop',
      name: 'Workshop A',
      category: 'session',
      taxCode: 'vat-20',
      prices: [{ amount: '50.00' }],
      capacity,
      waitlist: true,
    },
    { code: 'dinner', name: 'Dinner', category: 'meal', prices: [{ amount: '0.00' }], capacity: 1, waitlist: true },
  ],
  ...more,
})

let story: Selling
let cards: ScriptedCards
const opened: Selling[] = []
async function open(sections: object) {
  cards = new ScriptedCards()
  story = await openSelling(sections, { cards })
  opened.push(story)
}
afterAll(() => Promise.all(opened.map(({ world }) => world.end())))

const stock = async (key: string) => {
  const { rows } = await story.world.database.pool.query<{ sold: number; held: number; capacity: number; overage: number }>(
    `select sold, held, capacity, overage from inventory where key = $1`,
    [key],
  )
  const { sold, held, capacity, overage } = rows[0]!
  return { sold, held, available: capacity + overage - held - sold }
}
const rowsOf = async (query: string, values: unknown[] = []) => (await story.world.database.pool.query<any>(query, values)).rows
const entries = (status: string) =>
  rowsOf(
    `select id, participant_id as "participantId", position::int as position, reason from waitlist_entries where status = $1 order by position`,
    [status],
  )
const sweep = () => sweepHolds.run({ transact: story.world.database.transact } as RecurringRun)
const promote = (args: object) => story.confirmed('promote_waitlist_entries', args as Record<string, unknown>)
const buy = (more = {}) => story.register({ workshop: 1 }, { joinWaitlist: true, ...more })
/** So many wait for a connection at once that some are told to come again; they do, as the same buyer. */
async function buyPatiently(): Promise<void> {
  const data = { ...somebody(), '@product.workshop': 1 }
  const wanted = {
    eventCode: story.event.eventCode,
    flowSlug: 'attendee',
    data,
    joinWaitlist: true,
    idempotencyKey: data['@participant.email'],
  }
  for (;;) {
    const answer = await story.olga.answer('add_participant', wanted)
    if (!answer.isError) return
    if (answer._meta?.['lanyard/error'].code !== 'unavailable') throw new Error(answer.content[0]!.text)
  }
}
/** Places taken and this many in line, each with a card that does as the script says. */
async function line(scripts: readonly (Script | null)[], { free = scripts.length } = {}) {
  for (let i = 0; i < free; i++) await buy()
  const waiting: string[] = []
  for (const script of scripts) {
    const { participant } = await buy()
    waiting.push(participant.id)
    if (script) await saveCard(story, participant.id, script)
  }
  return waiting
}
const entryIdsOf = async (people: readonly string[]) => {
  const all = await rowsOf(`select id, participant_id from waitlist_entries where status in ('waiting', 'offered')`)
  return people.map((id) => all.find((entry) => entry.participant_id === id).id as string)
}
const cancelOne = async () => {
  const [{ id }] = await rowsOf(
    `select p.id from participants p join order_lines l on l.participant_id = p.id where p.status = 'complete' and l.product_code = 'workshop' limit 1`,
  )
  await story.call('edit_participant', { participantId: id, status: 'cancelled' })
}
const accept = (entryId: string) => {
  const { tenantId, clientId, eventId } = story.event
  const work = { name: 'test', tenantId, clientId, eventId, startedBy: { id: story.olga.userId, name: 'Olga' } }
  return keepStep<'event', Awaited<ReturnType<typeof acceptOffer>>>(story.world.road, work, (ctx) => acceptOffer(ctx, entryId))
}
const rising = {
  code: 'workshop',
  name: 'Workshop A',
  category: 'session',
  prices: [
    { amount: '50.00', until: '2026-04-10' },
    { amount: '70.00', from: '2026-04-11' },
  ],
}
const promotions = { target: 'product:workshop', charge: 'savedCard' }
const mails = async () => (await rowsOf(`select email_code as code from messages order by id`)).map(({ code }) => code as string)
afterEach(() => booksOf(story.world, story.event).mustAddUp())

describe('a full workshop', () => {
  beforeAll(() => open(workshop(CAPACITY)))

  it(`sells ${CAPACITY} places to ${BUYERS} buyers at once, lines the others up, and promotes three of five who have cards`, async () => {
    await Promise.all(Array.from({ length: BUYERS }, () => buyPatiently()))
    expect(await stock('product:workshop')).toEqual({ sold: CAPACITY, held: 0, available: 0 })
    const waiting = await entries('waiting')
    expect(waiting).toHaveLength(BUYERS - CAPACITY)
    expect(new Set(waiting.map(({ position }) => position)).size).toBe(BUYERS - CAPACITY)
    for (let i = 0; i < 3; i++) await cancelOne()
    expect(await stock('product:workshop')).toMatchObject({ available: 3 })

    const scripts = ['ok', 'declined', 'lost', 'ok', 'ok'] as const
    for (const [index, script] of scripts.entries()) await saveCard(story, waiting[index].participantId, script)
    const would = await story.call('promote_waitlist_entries', { ...promotions, count: 5, dryRun: true })
    expect(would).toMatchObject({ charged: { count: 3, amount: euros('180.00') }, effects: { charges: 3 } })
    expect(cards.asked).toBe(0)
    const done = await promote({ ...promotions, count: 5 })
    expect(done.results.map(({ outcome, reason }: any) => [outcome, reason])).toEqual([
      ['promoted', undefined],
      ['offered', 'card_declined'],
      ['charge_pending', undefined],
      ['skipped', 'no_capacity'],
      ['skipped', 'no_capacity'],
    ])
    expect(done).toMatchObject({ promoted: 1, offered: 1, charged: { count: 1, amount: euros('60.00') }, remaining: { available: 0 } })
    expect(done.results[0].invoiceNumber).toMatch(/^INV-2026-\d{6}$/)
    expect(await stock('product:workshop')).toEqual({ sold: CAPACITY - 2, held: 2, available: 0 })
    expect(await story.figure(`select count(*)::int as figure from charges where status = 'unknown'`)).toBe(1)

    // The answer that was lost is asked for again, under the same key.
    cards.script = () => 'ok'
    await story.world.clock.stopAt('2026-04-10T11:00:00Z')
    await runDueCalls(story)
    expect(await stock('product:workshop')).toEqual({ sold: CAPACITY - 1, held: 1, available: 0 })
    await story.world.clock.stopAt('2026-04-12T11:00:00Z')
    await story.world.keepSignedIn()
    await sweep()
    expect(await stock('product:workshop')).toEqual({ sold: CAPACITY - 1, held: 0, available: 1 })
    expect(await entries('removed')).toMatchObject([{ reason: 'offer_expired' }])
    expect(await entries('waiting')).toHaveLength(BUYERS - CAPACITY - 3)
    expect(cards.charged.size).toBe(2)
    expect(await rowsOf(`select count(*)::int as charges from charges`)).toEqual([{ charges: 3 }])
    expect(await rowsOf(`select count(*)::int as payments, sum(amount)::int as amount from payments`)).toEqual([
      { payments: 2, amount: 12_000 },
    ])
  }, 300_000)
})

describe('promote_waitlist_entries', () => {
  beforeEach(() => open(workshop(3)))

  it('charges three cards once when two call at once for the same three', async () => {
    const waiting = await entryIdsOf(await line(['ok', 'ok', 'ok']))
    for (let i = 0; i < 3; i++) await cancelOne()
    const args = { entryIds: waiting, charge: 'savedCard' }
    const tokens = [1, 2].map(() => story.call('promote_waitlist_entries', { ...args, dryRun: true }))
    const answers = await Promise.all(
      (await Promise.all(tokens)).map(({ confirmToken }) =>
        story.olga.answer('promote_waitlist_entries', { eventCode: story.event.eventCode, ...args, confirmToken }),
      ),
    )
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(1)
    expect(cards.charged.size).toBe(3)
    expect(await stock('product:workshop')).toEqual({ sold: 3, held: 0, available: 0 })
    const again = await story.call('promote_waitlist_entries', args)
    expect(again.results.map(({ outcome, reason }: any) => `${outcome} ${reason}`)).toEqual(Array(3).fill('skipped promoted'))
  })

  it('finds out that a lost charge failed, and makes an offer of it', async () => {
    const [person] = await line(['unreached'], { free: 3 })
    await cancelOne()
    const done = await promote({ ...promotions, count: 1 })
    expect(done.results).toMatchObject([{ outcome: 'charge_pending', amount: euros('60.00') }])
    // Whoever is being charged is neither promoted nor removed by somebody else meanwhile.
    const [entryId] = await entryIdsOf([person!])
    expect((await story.call('promote_waitlist_entries', { action: 'remove', entryIds: [entryId] })).results).toMatchObject([
      { outcome: 'skipped', reason: 'charge_pending' },
    ])
    expect((await promote({ ...promotions, count: 1 })).results).toEqual([])
    // Nor does the place run out, however long it takes.
    await story.world.clock.stopAt('2026-04-20T11:00:00Z')
    await story.world.keepSignedIn()
    await sweep()
    expect(await stock('product:workshop')).toEqual({ sold: 2, held: 1, available: 0 })
    // The key is older than the processor remembers, so it is asked what it knows: nothing.
    cards.script = () => 'ok'
    await runDueCalls(story)
    expect(cards.charged.size).toBe(0)
    expect(await entries('offered')).toHaveLength(1)
    expect(await rowsOf(`select status, failure_code from charges`)).toEqual([{ status: 'failed', failure_code: 'refused' }])
    expect(await stock('product:workshop')).toEqual({ sold: 2, held: 1, available: 0 })
  })

  it('with onDecline skip lets them wait on, and gives the place back', async () => {
    await line(['declined'], { free: 3 })
    await cancelOne()
    const done = await promote({ ...promotions, count: 1, onDecline: 'skip' })
    expect(done).toMatchObject({
      results: [{ outcome: 'declined', reason: 'card_declined' }],
      charged: { count: 0 },
      remaining: { waiting: 1, available: 1 },
    })
    expect(await stock('product:workshop')).toEqual({ sold: 2, held: 0, available: 1 })
    expect(await story.figure(`select count(*)::int as figure from payments`)).toBe(0)
  })

  it('refunds whoever cancelled while the card was being charged, and frees the place at once', async () => {
    const [person] = await line(['lost'], { free: 3 })
    await cancelOne()
    await promote({ ...promotions, count: 1 })
    await story.call('edit_participant', { participantId: person, status: 'cancelled' })
    expect(await stock('product:workshop')).toEqual({ sold: 2, held: 0, available: 1 })
    cards.script = () => 'ok'
    await story.world.clock.stopAt('2026-04-10T11:00:00Z')
    await runDueCalls(story)
    await runDueCalls(story)
    expect([...cards.refunded.values()]).toMatchObject([{ amount: 6000 }])
    expect((await mails()).at(-1)).toBe('payment.refunded')
    expect(await rowsOf(`select amount::int as amount, returned::int as returned from payments`)).toEqual([
      { amount: 6000, returned: 6000 },
    ])
    expect(await rowsOf(`select amount::int as amount, provider_ref is not null as told from refunds`)).toEqual([
      { amount: 6000, told: true },
    ])
    expect(await stock('product:workshop')).toEqual({ sold: 2, held: 0, available: 1 })
  })

  it('gives what came by card back to the card, the newest first, and no more than came by card', async () => {
    const [person] = await line(['ok'], { free: 3 })
    await cancelOne()
    await promote({ ...promotions, count: 1 })
    await story.call('edit_participant', { participantId: person, status: 'cancelled', credit: 'full' })
    const [{ number }] = await rowsOf(`select number from orders where participant_id = $1`, [person])
    const refund = (amount: string) => ({ kind: 'refund', method: 'original', orderNumber: number, amount: euros(amount) })
    expect(await story.refused('record_manual_payment', refund('60.01'))).toMatchObject({ code: 'precondition_failed' })
    expect(await story.call('record_manual_payment', refund('20.00'))).toMatchObject({ refund: { method: 'card', amount: euros('20.00') } })
    expect(await story.refused('record_manual_payment', refund('40.01'))).toMatchObject({ code: 'precondition_failed' })
    expect(cards.refunded.size).toBe(0)
    await runDueCalls(story)
    expect([...cards.refunded.values()]).toMatchObject([{ amount: 2000 }])
    expect(await rowsOf(`select balance::int as balance from orders where participant_id = $1`, [person])).toEqual([{ balance: -4000 }])
  })

  it('keeps as credit what the processor will not take back', async () => {
    const [person] = await line(['lost'], { free: 3 })
    await cancelOne()
    await promote({ ...promotions, count: 1 })
    await story.call('edit_participant', { participantId: person, status: 'cancelled' })
    cards.script = () => 'ok'
    cards.refusesRefunds = true
    await story.world.clock.stopAt('2026-04-10T11:00:00Z')
    await runDueCalls(story)
    await runDueCalls(story)
    expect(await rowsOf(`select balance::int as balance from orders where participant_id = $1`, [person])).toEqual([{ balance: -6000 }])
  })

  it('offers the place to those without a card or consent, and holds it until the offer ends', async () => {
    const people = await line([null, null], { free: 3 })
    await saveCard(story, people[1]!, 'ok', { consent: false })
    for (let i = 0; i < 2; i++) await cancelOne()
    const done = await promote({ ...promotions, count: 2, offerHours: 1 })
    expect(done).toMatchObject({ offered: 2, charged: { count: 0 }, results: [{ outcome: 'offered', amount: euros('60.00') }, {}] })
    expect(cards.asked).toBe(0)
    const told = await rowsOf(`select text_body from messages m join participants p on p.email = m.to_address and p.id = any($1)`, [people])
    expect(told).toEqual(Array(2).fill({ text_body: expect.stringMatching(/Workshop A[^]*60\.00/) }))
    expect(await mails()).toEqual(['waitlist.offered', 'waitlist.offered'])
    await story.world.clock.stopAt('2026-04-10T10:59:59Z')
    await sweep()
    expect(await stock('product:workshop')).toMatchObject({ held: 2 })
    await story.world.clock.stopAt('2026-04-10T11:00:00Z')
    await sweep()
    expect(await stock('product:workshop')).toEqual({ sold: 1, held: 0, available: 2 })
    expect(await entries('removed')).toMatchObject([{ reason: 'offer_expired' }, { reason: 'offer_expired' }])
  })

  it('serves priority tags in their order before the line, and a withdrawn offer keeps its place in it', async () => {
    for (let i = 0; i < 3; i++) await buy()
    const first = (await buy()).participant.id
    const vip = (await buy({ tags: ['vip'] })).participant.id
    const speaker = (await buy({ tags: ['speaker', 'vip'] })).participant.id
    await cancelOne()
    await cancelOne()
    const done = await promote({ target: 'product:workshop', count: 2, priorityTags: ['speaker', 'vip'] })
    expect(done.results.map(({ participantId }: any) => participantId)).toEqual([speaker, vip])
    const [entryId] = await entryIdsOf([vip])
    const withdrawn = await promote({ action: 'withdraw', entryIds: [entryId] })
    expect(withdrawn).toMatchObject({ results: [{ outcome: 'withdrawn' }], remaining: { waiting: 2, available: 1 } })
    expect((await entries('waiting')).map(({ participantId }) => participantId)).toEqual([first, vip])
    // Without priority the first in line is the first to be offered.
    const next = await promote({ target: 'product:workshop', count: 1 })
    expect(next.results).toMatchObject([{ participantId: first, outcome: 'offered' }])
  })

  it('removes people from the line, and takes what was removed or promoted for no longer waiting', async () => {
    const people = await entryIdsOf(await line([null, null], { free: 3 }))
    await cancelOne()
    await promote({ target: 'product:workshop', count: 1 })
    expect((await promote({ action: 'remove', entryIds: people })).results).toMatchObject([{ outcome: 'removed' }, { outcome: 'removed' }])
    expect(await stock('product:workshop')).toEqual({ sold: 2, held: 0, available: 1 })
    const late = await promote({ entryIds: people })
    expect(late.results).toMatchObject([
      { outcome: 'skipped', reason: 'removed' },
      { outcome: 'skipped', reason: 'removed' },
    ])
  })

  it('promotes at once what costs nothing, and beyond capacity only when told to', async () => {
    await story.register({ dinner: 1 })
    const { participant } = await story.register({ dinner: 1 }, { joinWaitlist: true })
    const [entryId] = await entryIdsOf([participant.id])
    expect((await promote({ entryIds: [entryId] })).results).toMatchObject([{ outcome: 'skipped', reason: 'no_capacity' }])
    const done = await promote({ entryIds: [entryId], overrideCapacity: true })
    expect(done).toMatchObject({ promoted: 1, results: [{ outcome: 'promoted' }] })
    expect(await mails()).toEqual(['waitlist.promoted'])
    expect(await rowsOf(`select sold, overage from inventory where key = 'product:dinner'`)).toEqual([{ sold: 2, overage: 1 }])
  })

  it('needs a processor for cards, the token of a dry run, and names that are known', async () => {
    await line(['ok'], { free: 3 })
    await cancelOne()
    const processor = story.world.road.cards
    story.world.road.cards = { for: () => null, named: () => null }
    expect(await story.refused('promote_waitlist_entries', { ...promotions, count: 1 })).toMatchObject({
      code: 'unavailable',
      message: 'No card processor — set LANYARD_PAYMENTS_PROVIDER and STRIPE_SECRET_KEY',
    })
    story.world.road.cards = processor
    expect(await story.refused('promote_waitlist_entries', { ...promotions, count: 1 })).toMatchObject({ code: 'precondition_failed' })
    expect(cards.asked).toBe(0)
    expect(await story.refused('promote_waitlist_entries', { target: 'product:workshpo', count: 1 })).toMatchObject({
      code: 'invalid_arguments',
    })
    expect(await story.refused('promote_waitlist_entries', { entryIds: ['0'.repeat(24)] })).toMatchObject({ code: 'not_found' })
  })

  it('repeated under its key tells what has become of the charges since, and asks for nothing twice', async () => {
    await line(['lost'], { free: 3 })
    await cancelOne()
    const args = { ...promotions, count: 1, idempotencyKey: 'once' }
    const { confirmToken } = await story.call('promote_waitlist_entries', { ...promotions, count: 1, dryRun: true })
    expect((await story.call('promote_waitlist_entries', { ...args, confirmToken })).results).toMatchObject([{ outcome: 'charge_pending' }])
    cards.script = () => 'ok'
    await story.world.clock.stopAt('2026-04-10T10:30:00Z')
    const again = await story.call('promote_waitlist_entries', { ...args, confirmToken })
    expect(again).toMatchObject({ promoted: 1, charged: { count: 1, amount: euros('60.00') }, results: [{ outcome: 'promoted' }] })
    expect(cards.charged.size).toBe(1)
  })
})

describe('a registration that waits as a whole', () => {
  beforeEach(() =>
    open(
      workshop(3, {
        flows: [{ ...WORKED_EXAMPLE.flows[0]!, capacity: 1, waitlist: true }],
      }),
    ),
  )

  it('is submitted as it was left, by the price of the moment it is promoted, and charged', async () => {
    const { participant: seated } = await story.register({})
    const { participant } = await story.register({ pass: 1, workshop: 1 }, { joinWaitlist: true, data: { '@participant.company': 'Acme' } })
    expect(participant.status).toBe('waitlisted')
    await saveCard(story, participant.id, 'ok')
    await story.call('edit_participant', { participantId: seated.id, status: 'cancelled' })
    const done = await promote({ target: 'flow:attendee', count: 1, charge: 'savedCard' })
    expect(done).toMatchObject({ promoted: 1, charged: { count: 1, amount: euros('960.00') }, remaining: { waiting: 0, available: 0 } })
    expect(
      await rowsOf(`select status, company, confirmation_number is not null as numbered from participants where id = $1`, [participant.id]),
    ).toEqual([{ status: 'complete', company: 'Acme', numbered: true }])
    expect(
      await rowsOf(`select total::int as total, balance::int as balance from orders where participant_id = $1`, [participant.id]),
    ).toEqual([{ total: 96_000, balance: 0 }])
    expect(await stock('flow:attendee')).toEqual({ sold: 1, held: 0, available: 0 })
  })

  it('waits on for a product that is full by itself when all else can be had', async () => {
    const { participant: seated } = await story.register({ dinner: 1 })
    const { participant } = await story.register({ dinner: 1, workshop: 1 }, { joinWaitlist: true })
    await story.call('edit_participant', { participantId: seated.id, data: { '@product.dinner': 1 }, overrideCapacity: true })
    await story.publish({ flows: [{ ...WORKED_EXAMPLE.flows[0]!, capacity: 2, waitlist: true }] })
    const done = await promote({ target: 'flow:attendee', count: 1 })
    expect(done.results).toMatchObject([{ outcome: 'offered', amount: euros('60.00') }])
    expect(await stock('product:dinner')).toMatchObject({ held: 0 })
    expect(await rowsOf(`select status from participants where id = $1`, [participant.id])).toEqual([{ status: 'waitlisted' }])
    const { invoice } = await accept(done.results[0].entryId)
    expect(invoice?.total).toBe(6000)
    expect(await rowsOf(`select status from participants where id = $1`, [participant.id])).toEqual([{ status: 'complete' }])
    expect(await rowsOf(`select target from waitlist_entries where participant_id = $1 and status = 'waiting'`, [participant.id])).toEqual([
      { target: 'product:dinner' },
    ])
  })
})

describe('an offer', () => {
  beforeEach(() =>
    open(workshop(3, { products: [WORKED_EXAMPLE.products[0]!, { ...rising, capacity: 1, waitlist: true }, WORKED_EXAMPLE.products[2]!] })),
  )

  it('is taken at the price of the moment it was made, and only while it lasts', async () => {
    const { participant: seated } = await buy()
    const people = [(await buy()).participant.id, (await buy()).participant.id]
    await story.call('edit_participant', { participantId: seated.id, status: 'cancelled' })
    const [first, second] = await entryIdsOf(people)
    expect((await promote({ entryIds: [first], offerHours: 24 })).results).toMatchObject([{ outcome: 'offered', amount: euros('60.00') }])
    // The price rises at midnight; the offer goes on until ten.
    await story.world.clock.stopAt('2026-04-11T08:00:00Z')
    await story.world.keepSignedIn()
    const { invoice } = await accept(first!)
    expect(invoice?.total).toBe(6000)
    expect(await stock('product:workshop')).toEqual({ sold: 1, held: 0, available: 0 })
    await expect(accept(first!)).rejects.toThrow('This offer is not open any more: it is promoted')

    await story.call('edit_participant', { participantId: people[0], status: 'cancelled' })
    expect((await promote({ entryIds: [second], offerHours: 24 })).results).toMatchObject([{ outcome: 'offered', amount: euros('84.00') }])
    await story.world.clock.stopAt('2026-04-12T08:00:00Z')
    await expect(accept(second!)).rejects.toThrow('This offer ended at 2026-04-12T08:00:00.000Z')
    // Whoever asks for the place now gets it, before any sweep.
    await story.world.keepSignedIn()
    await story.register({ workshop: 1 })
    expect(await entries('removed')).toMatchObject([{ reason: 'offer_expired' }])
  })

  it('keeps a price that was promised on joining', async () => {
    const { participant: seated } = await buy()
    const [entryId] = await entryIdsOf([(await buy()).participant.id])
    await story.world.database.pool.query(`update waitlist_entries set priced_at = lanyard_now()`)
    await story.call('edit_participant', { participantId: seated.id, status: 'cancelled' })
    await story.world.clock.stopAt('2026-04-20T10:00:00Z')
    await story.world.keepSignedIn()
    expect((await promote({ entryIds: [entryId] })).results).toMatchObject([{ amount: euros('60.00') }])
  })
})
