import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventLedgerAt } from '../support/event-ledger.ts'
import { eventHomePath, signInVisitor } from '../support/own-pages.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { freeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'

let scenario: SalesScenario
let served: Served
let home: string

/** The worked example, with a refundable workshop and a pass that is no longer refundable. */
const sections = {
  ...WORKED_EXAMPLE,
  products: WORKED_EXAMPLE.products.map((product) => ({
    ...product,
    refundUntil: product.code === 'workshop' ? '2026-08-01T00:00:00Z' : '2026-04-01T00:00:00Z',
  })),
}

beforeAll(async () => {
  scenario = await openSalesScenario(sections, { baseUrl: await freeBaseUrl() })
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
    for (const expected of [participant.firstName, participant.confirmationNumber, 'confirmed', 'Pass', '€900.00', 'Still to pay'])
      expect(page.text).toContain(expected)
    expect(await visitor(served).get(mine())).toMatchObject({ status: 303, location: mine('/sign-in') })
    const other = await registered({})
    expect((await other.who.get(mine())).text).not.toContain(participant.confirmationNumber)
  })

  it('offers the participant’s own invoice as PDF, calendar and data, and no invoice of others', async () => {
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

  it('serves the badge as a scalable and as a PNG image, to its owner only and while the registration is complete', async () => {
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

  it('shows the refund before a registration is cancelled, and refunds exactly that amount', async () => {
    const { participant, who } = await registered({ pass: 1, workshop: 1 })
    const asked = await who.get(mine('/cancel'))
    expect(asked.text).toMatch(/Pass Price: €900\.00 €0\.00/)
    // The price of the workshop: 149.99 plus 20% tax.
    expect(asked.text).toMatch(/Workshop A Price: €179\.99 €179\.99/)
    expect(asked.text).toMatch(/Refund €179\.99/)
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
    await eventLedgerAt(scenario.world, scenario.event).assertInvariants()
  })

  it('shares only the fields that the participant selects on the sharing page', async () => {
    const { participant, who } = await registered({})
    expect((await who.get(mine('/sharing'))).text).toContain('Always shared.')
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

  it('lets the user choose between two participants with one email address, and remembers the choice', async () => {
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

describe('the event page', () => {
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
