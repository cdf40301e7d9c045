import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEventLedger } from '../support/event-ledger.ts'
import { moneyRowsIn } from '../support/money-rows.ts'
import { eventHomePath, signInVisitor } from '../support/own-pages.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'

let scenario: SalesScenario
let served: Served
let home: string

/** The worked example, with a refundable workshop, a dinner that is refunded by half and a pass that is no longer refundable. */
const REFUND_RULES: Record<string, object> = {
  workshop: { refundUntil: '2026-08-01T00:00:00Z' },
  dinner: { refundTiers: [{ until: '2026-08-01T00:00:00Z', percent: 50 }] },
  pass: { refundUntil: '2026-04-01T00:00:00Z' },
}
const sections = {
  ...WORKED_EXAMPLE,
  products: WORKED_EXAMPLE.products.map((product) => ({ ...product, ...REFUND_RULES[product.code] })),
}

beforeAll(async () => {
  scenario = await openSalesScenario(sections, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
  home = eventHomePath(scenario.event)
})
afterAll(() => scenario.world.end())

const mine = (path = '') => `${home}/registration${path}`

const signedIn = (email: string) => signInVisitor(scenario.world, served, scenario.event, email)

const registered = async (products: Record<string, number>) => {
  const { participant } = await scenario.register(products)
  return { participant, who: await signedIn(participant.email) }
}

describe('my registration', () => {
  it('shows a registration only to its signed-in participant', async () => {
    const { participant, who } = await registered({ pass: 1 })
    const page = await who.get(mine())
    expect(page.status).toBe(200)
    expect(page.headers.get('cache-control')).toBe('no-store')
    for (const expected of [participant.firstName, participant.confirmationNumber, 'Confirmed', 'Pass', '€900.00', 'Still to pay'])
      expect(page.text).toContain(expected)
    expect(await visitor(served).get(mine())).toMatchObject({ status: 303, location: mine('/sign-in') })
    const other = await registered({})
    expect((await other.who.get(mine())).text).not.toContain(participant.confirmationNumber)
  })

  it('offers participants their own invoice as PDF, their calendar and their data, and no invoices of others', async () => {
    const [ana, ben] = [await registered({ pass: 1 }), await registered({ pass: 1 })]
    const number = async ({ participant }: typeof ana) =>
      (await scenario.call('get_participant', { participantId: participant.id })).order.invoices[0].number as string
    const pdf = await ana.who.get(mine(`/invoices/${await number(ana)}.pdf`))
    expect(pdf.headers.get('content-type')).toBe('application/pdf')
    expect(pdf.html.startsWith('%PDF')).toBe(true)
    expect((await ana.who.get(mine(`/invoices/${await number(ben)}.pdf`))).status).toBe(404)
    expect((await ana.who.get(mine('/calendar.ics'))).html).toContain('BEGIN:VEVENT')
    const exportedData = JSON.parse((await ana.who.get(mine('/data.json'))).html)
    expect(exportedData.registration).toMatchObject({ participantId: ana.participant.id, status: 'complete' })
    expect(JSON.stringify(exportedData)).not.toContain(ben.participant.email)
  })

  it('serves the badge as an SVG and a PNG image, to its owner only and only while the registration is complete', async () => {
    const { participant, who } = await registered({ pass: 1 })
    const svg = await who.get(mine('/badge.svg'))
    expect([svg.status, svg.headers.get('content-type'), svg.headers.get('cache-control')]).toEqual([
      200,
      'image/svg+xml',
      'private, no-store',
    ])
    expect(svg.html).toMatch(/^<svg xmlns[^>]*viewBox/)
    expect((await who.get(mine('/badge.png'))).headers.get('content-type')).toBe('image/png')
    const other = await registered({ pass: 1 })
    expect((await other.who.get(mine('/badge.svg'))).html).not.toBe(svg.html)
    expect(await visitor(served).get(mine('/badge.svg'))).toMatchObject({ status: 303 })
    await scenario.call('edit_participant', { participantId: participant.id, status: 'cancelled' })
    expect((await who.get(mine('/badge.svg'))).status).toBe(404)
  })

  describe("cancelling one's own registration", () => {
    const orderOf = async (participantId: string) => (await scenario.call('get_participant', { participantId })).order
    const pay = async (participantId: string, amount: string) => {
      const { number } = await orderOf(participantId)
      await scenario.call('record_manual_payment', {
        kind: 'payment',
        method: 'cash',
        orderNumber: number,
        amount: { amount, currency: 'EUR' },
      })
    }

    interface Case {
      products: Record<string, number>
      /** Changes after the registration: payments, fees, groups. */
      before?: (participantId: string) => Promise<unknown>
      more?: Record<string, unknown>
      says: string
      refund: string
      owes: string
      button: string
    }
    const CASES: Record<string, Case> = {
      unpaid: {
        products: { workshop: 1 },
        says: 'You have not paid anything, so there is no refund. You will owe nothing after cancelling.',
        refund: '0.00',
        owes: '0.00',
        button: 'Cancel my registration',
      },
      'unpaid and not refundable': {
        products: { pass: 1, workshop: 1 },
        says: 'Under the cancellation rules you still owe €900.00.',
        refund: '0.00',
        owes: '900.00',
        button: 'Cancel my registration',
      },
      'partly paid': {
        products: { workshop: 1 },
        before: (id) => pay(id, '100.00'),
        says: 'Everything that you have paid is refunded: €100.00.',
        refund: '100.00',
        owes: '0.00',
        button: 'Cancel and get €100.00 back',
      },
      'partly paid, less than is kept': {
        products: { pass: 1 },
        before: (id) => pay(id, '100.00'),
        says: 'the €100.00 that you have paid is not refunded, and you still owe €800.00.',
        refund: '0.00',
        owes: '800.00',
        button: 'Cancel without a refund',
      },
      paid: {
        products: { pass: 1, workshop: 1 },
        before: (id) => pay(id, '1079.99'),
        says: '€179.99 of the €1,079.99 that you have paid is refunded.',
        refund: '179.99',
        owes: '0.00',
        button: 'Cancel and get €179.99 back',
      },
      'paid and refunded by half': {
        products: { dinner: 1 },
        before: (id) => pay(id, '89.00'),
        says: '€44.51 of the €89.00 that you have paid is refunded.',
        refund: '44.51',
        owes: '0.00',
        button: 'Cancel and get €44.51 back',
      },
      'paid, with an open fee': {
        products: { workshop: 1 },
        before: async (id) => {
          await pay(id, '179.99')
          await scenario.call('edit_participant', { participantId: id, fee: { amount: '30.00', currency: 'EUR' } })
        },
        says: '€149.99 of the €179.99 that you have paid is refunded.',
        refund: '149.99',
        owes: '0.00',
        button: 'Cancel and get €149.99 back',
      },
      'written off': {
        products: { pass: 1 },
        before: async (id) => {
          const { invoices, balance } = await orderOf(id)
          const numbers = invoices.map(({ number }: { number: string }) => number)
          await scenario.call('write_off_invoices', { invoiceNumbers: numbers, reason: 'goodwill', expectedTotal: balance })
        },
        says: 'You will owe nothing after cancelling.',
        refund: '0.00',
        owes: '0.00',
        button: 'Cancel my registration',
      },
    }

    it.each(Object.entries(CASES))('shows the refund and the open amount that the cancellation leaves: %s', async (_, given) => {
      const { participant, who } = await registered(given.products)
      await given.before?.(participant.id)
      const asked = await who.get(mine('/cancel'))
      expect(asked.text).toContain(given.says)
      const rows = moneyRowsIn(asked.html)
      const last = rows.at(-1)!
      expect([last.label, last.amount]).toEqual(given.owes === '0.00' ? ['Refund', given.refund] : ['Still to pay afterwards', given.owes])
      // The printed rows add up to the last one.
      const printed = rows.slice(0, -1).filter(({ label }) => label !== 'Other charges of your order')
      const sum = printed.reduce((total, { amount }) => total + Math.round(Number(amount) * 100), 0)
      expect(Math.abs(sum)).toBe(Math.round(Number(last.amount) * 100))
      expect(asked.html).toContain(given.button)
      await who.post(mine('/cancel'), { agree: 'on' })
      const { balance, unapplied } = await orderOf(participant.id)
      const after = Number(given.refund) > 0 ? `-${given.refund}` : given.owes
      expect([balance.amount, unapplied.amount]).toEqual([after, Number(given.refund) > 0 ? after : '0.00'])
      await openEventLedger(scenario.world, scenario.event).assertInvariants()
    })

    it('shows the cancellation of a free registration without amounts', async () => {
      const { participant } = await scenario.register({ pass: 1 }, { tags: ['speaker'] })
      const who = await signedIn(participant.email)
      const asked = await who.get(mine('/cancel'))
      expect(asked.text).toContain('This registration is free, so there is nothing to refund and nothing to pay.')
      expect(asked.text).not.toContain('€')
    })

    it('shows that the credit of a cancelled registration goes to the paying group, and shows no refund', async () => {
      await scenario.call('create_managed_group', { code: 'payers', name: 'Payers', kind: 'company', payBy: 'group', flowSlug: 'attendee' })
      const { participant } = await scenario.register({ workshop: 1 }, { groupCode: 'payers' })
      await scenario.register({ pass: 1 }, { groupCode: 'payers' })
      const who = await signedIn(participant.email)
      const asked = await who.get(mine('/cancel'))
      expect(asked.text).toContain('Your group pays for your registration. €179.99 is credited to the group, not to you.')
      expect(asked.text.match(/€[\d.,]+/g)).toEqual(['€179.99'])
      expect(moneyRowsIn(asked.html)).toEqual([])
      await who.post(mine('/cancel'), { agree: 'on' })
      const { rows } = await scenario.world.database.pool.query<{ total: number }>(
        `select i.total::float8 as total from invoices i join orders o on o.tenant_id = i.tenant_id and o.event_id = i.event_id and o.id = i.order_id
         where o.group_id is not null and i.kind = 'credit_note'`,
      )
      expect(rows).toEqual([{ total: 17999 }])
    })

    it('asks for confirmation, cancels the registration once and shows the registration as cancelled', async () => {
      const { participant, who } = await registered({ pass: 1, workshop: 1 })
      const asked = await who.get(mine('/cancel'))
      expect(asked.text).toMatch(/Pass €900\.00 €900\.00/)
      // The price of the workshop: 149.99 plus 20% tax.
      expect(asked.text).toMatch(/Workshop A €179\.99 €0\.00/)
      expect(asked.text).toContain('A credit note reduces your invoice by €179.99.')
      expect((await who.post(mine('/cancel'), {})).text).toContain('Tick the box to confirm that you want to cancel.')
      expect((await scenario.call('get_participant', { participantId: participant.id })).participant.status).toBe('complete')
      expect(await who.post(mine('/cancel'), { agree: 'on' })).toMatchObject({ status: 303, location: mine('?done=cancelled') })
      const after = await scenario.call('get_participant', { participantId: participant.id })
      expect(after.participant.status).toBe('cancelled')
      expect(after.order.invoices.filter(({ kind }: { kind: string }) => kind === 'credit_note')).toMatchObject([
        { total: { amount: '179.99' } },
      ])
      const { rows } = await scenario.world.database.pool.query<{ count: number }>(
        `select count(*)::int as count from messages where source_id = $1 and email_code = 'registration.cancelled'`,
        [participant.id],
      )
      expect(rows[0]!.count).toBe(1)
      expect((await who.get(mine('/cancel'))).text).toContain('Your registration is already cancelled.')
      expect(await who.post(mine('/cancel'), { agree: 'on' }, { from: mine() })).toMatchObject({ status: 303 })
    })
  })

  it('shares only the fields that the participant selects on the sharing page', async () => {
    const { participant, who } = await registered({})
    expect((await who.get(mine('/sharing'))).text).toContain('Your name is always shared.')
    await who.post(mine('/sharing'), {
      'field.email': 'restrict',
      'field.jobTitle': 'share',
      'field.firstName': 'restrict',
      'field.nosuch': 'share',
      visible: 'on',
    })
    const { rows } = await scenario.world.database.pool.query<any>(
      'select sharing, visible_to_participants, avatar_choice from participants where id = $1',
      [participant.id],
    )
    expect(rows).toEqual([{ sharing: { email: 'restrict', jobTitle: 'share' }, visible_to_participants: true, avatar_choice: 'headshot' }])
  })

  it('lets the user choose between two participants who share an email address, and remembers the choice', async () => {
    const email = 'shared@example.org'
    const people = []
    for (const firstName of ['Ana', 'Ben'])
      people.push(
        (
          await scenario.call('add_participant', {
            flowSlug: 'attendee',
            data: { '@participant.firstName': firstName, '@participant.lastName': 'Both', '@participant.email': email },
          })
        ).participant,
      )
    const who = await signedIn(email)
    const choice = await who.get(mine())
    expect(choice.text).toContain('Choose a registration')
    await who.post(mine('/choose'), { participantId: people[1].id }, { from: mine() })
    expect((await who.get(mine())).text).toContain('Ben Both')
    const { participant: stranger } = await scenario.register({})
    await who.post(mine('/choose'), { participantId: stranger.id }, { from: `${mine('/sharing')}` })
    expect((await who.get(mine())).text).toContain('Ben Both')
  })

  it('rejects a form of the registration page without a valid CSRF token', async () => {
    const { participant, who } = await registered({})
    for (const path of ['/cancel', '/sharing', '/pay'])
      expect(await who.post(mine(path), { agree: 'on' }, { csrf: null, from: mine() })).toMatchObject({ status: 303 })
    expect((await scenario.call('get_participant', { participantId: participant.id })).participant.status).toBe('complete')
  })
})

describe('event page for visitors', () => {
  it('shows the event, open forms and prices on the event page, and as structured data for programs', async () => {
    const page = await visitor(served).get(home)
    expect(page.status).toBe(200)
    for (const expected of ['Pass', '€750.00', 'Register', 'Paris']) expect(page.text).toContain(expected)
    const facts = JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page.html)![1]!)
    expect(facts).toMatchObject({ '@type': 'Event', offers: [{ name: 'Pass', price: '750.00', priceCurrency: 'EUR' }] })
    const picture = /property="og:image" content="([^"]+)"/.exec(page.html)![1]!
    const cover = await fetch(picture)
    expect(cover.headers.get('content-type')).toBe('image/png')
    expect((await fetch(picture.replace(/covers\/./, 'covers/0'))).status).toBe(404)
  })

  it('returns 404 for the page of a draft event, an unknown client or an unknown event code', async () => {
    const draft = await scenario.world.event({ at: scenario.event, status: 'draft' })
    for (const path of [
      home.replace(scenario.event.eventCode, draft.eventCode),
      `${home}x`,
      home.replace(scenario.event.clientCode, 'absent'),
    ])
      expect((await visitor(served).get(path)).status).toBe(404)
  })
})
