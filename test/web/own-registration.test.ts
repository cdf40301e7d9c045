import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { booksOf } from '../support/books.ts'
import { homeOf, personSignedIn } from '../support/own-pages.ts'
import { openSelling, type Selling, WORKED_EXAMPLE } from '../support/selling.ts'
import { freeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'

let story: Selling
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
  story = await openSelling(sections, { baseUrl: await freeBaseUrl() })
  served = await serve(story.world)
  home = homeOf(story.event)
})
afterAll(() => story.world.end())

const mine = (path = '') => `${home}/registration${path}`

const signedIn = (email: string) => personSignedIn(story.world, served, story.event, email)

const registered = async (products: Record<string, number>) => {
  const { participant } = await story.register(products)
  return { participant, who: await signedIn(participant.email) }
}

describe('my registration', () => {
  it('is visible only to the signed-in participant', async () => {
    const { participant, who } = await registered({ pass: 1 })
    const page = await who.get(mine())
    expect(page.status).toBe(200)
    expect(page.headers.get('cache-control')).toBe('no-store')
    for (const told of [participant.firstName, participant.confirmationNumber, 'confirmed', 'Pass', '€900.00', 'Still to pay'])
      expect(page.text).toContain(told)
    expect(await visitor(served).get(mine())).toMatchObject({ status: 303, location: mine('/sign-in') })
    const other = await registered({})
    expect((await other.who.get(mine())).text).not.toContain(participant.confirmationNumber)
  })

  it('offers its own invoice as PDF, its calendar and its data, and no invoice of others', async () => {
    const [ana, ben] = [await registered({ pass: 1 }), await registered({ pass: 1 })]
    const number = async ({ participant }: typeof ana) =>
      (await story.call('get_participant', { participantId: participant.id })).order.invoices[0].number as string
    const pdf = await ana.who.get(mine(`/invoices/${await number(ana)}.pdf`))
    expect(pdf.headers.get('content-type')).toBe('application/pdf')
    expect(pdf.html.startsWith('%PDF')).toBe(true)
    expect((await ana.who.get(mine(`/invoices/${await number(ben)}.pdf`))).status).toBe(404)
    expect((await ana.who.get(mine('/calendar.ics'))).html).toContain('BEGIN:VEVENT')
    const told = JSON.parse((await ana.who.get(mine('/data.json'))).html)
    expect(told.registration).toMatchObject({ participantId: ana.participant.id, status: 'complete' })
    expect(JSON.stringify(told)).not.toContain(ben.participant.email)
  })

  it('shows the refund before cancelling, and refunds exactly that', async () => {
    const { participant, who } = await registered({ pass: 1, workshop: 1 })
    const asked = await who.get(mine('/cancel'))
    expect(asked.text).toMatch(/Pass Price: €900\.00 €0\.00/)
    // 149.99 plus 20% tax.
    expect(asked.text).toMatch(/Workshop A Price: €179\.99 €179\.99/)
    expect(asked.text).toMatch(/Refund €179\.99/)
    expect((await who.post(mine('/cancel'), {})).text).toContain('Tick the box to confirm that you want to cancel.')
    expect((await story.call('get_participant', { participantId: participant.id })).participant.status).toBe('complete')
    expect(await who.post(mine('/cancel'), { agree: 'on' })).toMatchObject({ status: 303, location: mine('?done=cancelled') })
    const after = await story.call('get_participant', { participantId: participant.id })
    expect(after.participant.status).toBe('cancelled')
    expect(after.order.invoices.filter(({ kind }: { kind: string }) => kind === 'credit_note')).toMatchObject([
      { total: { amount: '179.99' } },
    ])
    const { rows } = await story.world.database.pool.query<{ count: number }>(
      `select count(*)::int as count from messages where source_id = $1 and email_code = 'registration.cancelled'`,
      [participant.id],
    )
    expect(rows[0]!.count).toBe(1)
    expect((await who.get(mine('/cancel'))).text).toContain('Your registration is already cancelled.')
    expect(await who.post(mine('/cancel'), { agree: 'on' }, { from: mine() })).toMatchObject({ status: 303 })
    await booksOf(story.world, story.event).mustAddUp()
  })

  it('shares only what the participant selects', async () => {
    const { participant, who } = await registered({})
    expect((await who.get(mine('/sharing'))).text).toContain('Always shared.')
    await who.post(mine('/sharing'), {
      'field.email': 'restrict',
      'field.jobTitle': 'share',
      'field.firstName': 'restrict',
      'field.nosuch': 'share',
      visible: 'on',
    })
    const { rows } = await story.world.database.pool.query<any>(
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
          await story.call('add_participant', {
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
    const { participant: stranger } = await story.register({})
    await who.post(mine('/choose'), { participantId: stranger.id }, { from: `${mine('/sharing')}` })
    expect((await who.get(mine())).text).toContain('Ben Both')
  })

  it('rejects a form without a valid CSRF token', async () => {
    const { participant, who } = await registered({})
    for (const path of ['/cancel', '/sharing', '/pay'])
      expect(await who.post(mine(path), { agree: 'on' }, { csrf: null, from: mine() })).toMatchObject({ status: 303 })
    expect((await story.call('get_participant', { participantId: participant.id })).participant.status).toBe('complete')
  })
})

describe('the event page', () => {
  it('shows the event, open forms and prices to people and programs', async () => {
    const page = await visitor(served).get(home)
    expect(page.status).toBe(200)
    for (const told of ['Pass', '€750.00', 'Register', 'Paris']) expect(page.text).toContain(told)
    const facts = JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page.html)![1]!)
    expect(facts).toMatchObject({ '@type': 'Event', offers: [{ name: 'Pass', price: '750.00', priceCurrency: 'EUR' }] })
    const picture = /property="og:image" content="([^"]+)"/.exec(page.html)![1]!
    const cover = await fetch(picture)
    expect(cover.headers.get('content-type')).toBe('image/png')
    expect((await fetch(picture.replace(/covers\/./, 'covers/0'))).status).toBe(404)
  })

  it('returns 404 for a draft, another client or an unknown code', async () => {
    const draft = await story.world.event({ at: story.event, status: 'draft' })
    for (const path of [home.replace(story.event.eventCode, draft.eventCode), `${home}x`, home.replace(story.event.clientCode, 'nobody')])
      expect((await visitor(served).get(path)).status).toBe(404)
  })
})
