import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FESTIVAL } from '../support/festival.ts'
import { verifyMailbox } from '../support/own-pages.ts'
import { buildEventPath, openFormAs } from '../support/registration-form.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { plainText, visitor } from '../support/visitor.ts'

let selling: SalesScenario
let served: Served

beforeAll(async () => {
  const products = FESTIVAL.products.map((product) => (product.code === 'day' ? { ...product, capacity: 1 } : product))
  selling = await openSalesScenario({ ...FESTIVAL, products }, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(selling.world)
})
afterAll(() => selling.world.end())

const rows = async (query: string, values: unknown[] = []) => (await selling.world.database.pool.query<any>(query, values)).rows
const onlyRow = async (email: string) => (await rows(`select * from participants where email = $1`, [email]))[0]

let made = 0
async function openTicketsPage(more: Record<string, string> = {}) {
  const email = `person-${++made}@example.org`
  const who = openFormAs(visitor(served), selling.event)
  await who.begin(email)
  // Capacity is held from the first page on only for participants who have verified their mailbox.
  await verifyMailbox(selling.world, who.who, selling.event, email)
  const you = {
    '@participant.firstName': 'Jo',
    '@participant.lastName': `Nr ${made}`,
    '@custom.diet': 'all',
    '@custom.first': 'true',
    '@participant.country': 'AT',
    ...more,
  }
  expect((await who.fill('you', you)).location).toMatch(/\/tickets$/)
  return {
    who,
    email,
    finish: async () => {
      await who.fill('consent', { '@policy.terms': 'Jo Person', _method: 'bank' })
      return who.fill('summary', {}, { press: 'finish' })
    },
  }
}

describe('form page on which a required choice is missing', () => {
  it('names the question of each missing choice in the error summary, with a link to the question', async () => {
    const { who } = await openTicketsPage()
    const summaryOf = ({ html }: { html: string }) =>
      [...(/role="alert"[\s\S]*?<\/div>/.exec(html)?.[0] ?? '').matchAll(/<a href="#([^"]+)">([^<]+)/g)].map(([, id, text]) => [
        text,
        html.includes(`id="${id}"`),
      ])
    expect(summaryOf(await who.fill('tickets', {}))).toEqual([['Your ticket: Choose an option', true]])
    const you = summaryOf(await who.fill('you', { '@custom.diet': 'nothing', '@custom.years': 'many' }))
    expect(you.slice(0, 4)).toEqual([
      ['What do you eat? Choose an option', true],
      ['Years in the trade: Enter a number', true],
      ['Enter your first name', true],
      ['Enter your last name', true],
    ])
  })
})

describe('products with limited capacity', () => {
  it('holds the last piece of a product for 15 minutes for one participant, then for the next, and sells it once', async () => {
    const [first, second] = [await openTicketsPage(), await openTicketsPage()]
    expect((await first.who.fill('tickets', { 'one.ticket': 'day' })).location).toMatch(/\/consent$/)
    expect((await first.who.open('consent')).text).toContain('Your selection is held for you until 12:15')
    const beaten = await second.who.fill('tickets', { 'one.ticket': 'day' })
    expect(beaten.status).toBe(400)
    expect(beaten.text).toContain('One day has just sold out')
    await selling.world.clock.stopAt('2026-04-10T10:16:00Z')
    expect((await first.who.open('consent')).text).toContain('Your selection is no longer held for you')
    expect((await second.who.fill('tickets', { 'one.ticket': 'day' })).location).toMatch(/\/consent$/)
    const late = await first.who.fill('consent', { '@policy.terms': 'Jo Person', _method: 'bank' })
    expect(late.status).toBe(400)
    expect((await second.finish()).location).toMatch(/\/done$/)
    expect(await rows(`select sold, held from inventory where key = 'product:day'`)).toEqual([{ sold: 1, held: 0 }])
    expect((await onlyRow(first.email)).status).toBe('incomplete')
  })

  it('offers a waiting list for a sold-out product and shows the position', async () => {
    const { who, email, finish } = await openTicketsPage()
    expect((await who.open('tickets')).text).toContain('Waiting list open')
    expect((await who.fill('tickets', { 'one.ticket': 'student' })).location).toMatch(/\/consent$/)
    expect((await finish()).location).toMatch(/\/done$/)
    const done = await who.open('done')
    expect(done.text).toContain('You are on the waiting list, Jo.')
    expect(done.text).toContain('You are first in line.')
    expect((await onlyRow(email)).status).toBe('waitlisted')
    expect(await rows(`select 1 from orders o join participants p on p.id = o.participant_id where p.email = $1`, [email])).toEqual([])
  })

  it('allows one extension of the time for which a product is held', async () => {
    const { who } = await openTicketsPage()
    await who.fill('tickets', { 'one.ticket': 'full', '@product.gala': '1' })
    await who.fill('consent', {}, { press: 'longer' })
    expect((await who.open('consent')).text).not.toContain('I need more time')
  })
})

describe('widgets of a form page', () => {
  it('asks conditional questions, and removes answers to questions that no longer apply', async () => {
    const { who, email } = await openTicketsPage({ '@custom.diet': 'other' })
    expect((await who.open('you')).text).toContain('Tell the kitchen')
    await who.fill('you', { '@custom.diet': 'other', '@custom.diet-note': 'No nuts' }, { press: 'update' })
    expect((await onlyRow(email)).custom_field_responses).toMatchObject({ diet: 'other', 'diet-note': 'No nuts' })
    const fields = {
      '@participant.firstName': 'Jo',
      '@participant.lastName': `Nr ${made}`,
      '@custom.first': 'true',
      '@participant.country': 'AT',
    }
    await who.fill('you', { ...fields, '@custom.diet': 'all', '@custom.diet-note': 'No nuts' })
    expect((await onlyRow(email)).custom_field_responses).not.toHaveProperty('diet-note')
  })

  it('accepts an uploaded file, shows the file to the person who uploaded it, and rejects a file of another type', async () => {
    const { who, email } = await openTicketsPage()
    const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64')
    const fields = {
      '@participant.firstName': 'Jo',
      '@participant.lastName': `Nr ${made}`,
      '@custom.diet': 'all',
      '@custom.first': 'true',
      '@participant.country': 'AT',
    }
    const taken = await who.fill('you', fields, { files: { '@custom.visa': new File([png], 'passport.png', { type: 'image/png' }) } })
    expect(taken.location).toMatch(/\/tickets$/)
    expect((await who.open('you')).text).toContain('passport.png has been uploaded')
    expect((await onlyRow(email)).custom_field_responses['visa']).toMatch(/^[0-9a-z]{24}$/)
    const refused = await who.fill('you', fields, { files: { '@custom.visa': new File(['#!/bin/sh'], 'run.sh', { type: 'text/x-sh' }) } })
    expect(refused.status).toBe(400)
  })

  it('shows the name of its policy at each agreement of the form', async () => {
    const { who } = await openTicketsPage()
    await who.fill('tickets', { 'one.ticket': 'full' })
    const { html } = await who.open('consent')
    const labels = [...html.matchAll(/<label\b[^]*?<\/label>/g)].map(([label]) => plainText(label).trim())
    expect(labels.filter((label) => label.includes('Conditions of participation'))).toHaveLength(1)
    expect(labels.filter((label) => label.includes('I have read “Photographs” and agree'))).toHaveLength(1)
  })

  it('adds, changes and removes guests one at a time, and adds them to the bill', async () => {
    const { who, finish, email } = await openTicketsPage()
    // The price is shown before a guest is added.
    expect((await who.open('tickets')).text).toContain('Each guest costs €120.00')
    const guest = (number: number, name: string) => ({
      'guest.number': String(number),
      [`@guest.${number}.firstName`]: name,
      [`@guest.${number}.lastName`]: `Guest ${made}`,
      [`@guest.${number}.type`]: 'partner',
    })
    await who.fill('tickets', { 'one.ticket': 'full', ...guest(1, 'Ann') }, { press: 'guest-save' })
    await who.fill('tickets', { 'one.ticket': 'full', ...guest(2, 'Bob') }, { press: 'guest-save' })
    expect((await who.open('tickets')).text).toMatch(/Ann Guest.*Bob Guest/)
    await who.fill('tickets', { 'one.ticket': 'full' }, { press: 'guest-remove:1' })
    const left = (await who.open('tickets')).text
    expect(left).toContain('Bob Guest')
    expect(left).not.toContain('Ann Guest')
    await who.fill('tickets', { 'one.ticket': 'full' })
    expect((await finish()).location).toMatch(/\/done$/)
    const { id } = await onlyRow(email)
    expect(await rows(`select first_name, guest_type from participants where host_id = $1`, [id])).toEqual([
      { first_name: 'Bob', guest_type: 'partner' },
    ])
    expect(await rows(`select total::int from orders where participant_id = $1`, [id])).toEqual([{ total: 76_000 }])
  })

  it('stores a policy signature with the text that was shown, and asks for another signature when the text changes', async () => {
    const { who, email } = await openTicketsPage()
    await who.fill('tickets', { 'one.ticket': 'full' })
    expect((await who.fill('consent', { _method: 'bank' })).status).toBe(400)
    await who.fill('consent', { '@policy.terms': 'Jo Person', _method: 'bank' })
    const { id } = await onlyRow(email)
    const [{ policies }] = await rows(`select policies from registration_progress where participant_id = $1`, [id])
    expect(policies.terms).toMatchObject({ mode: 'signature', written: 'Jo Person', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
    await selling.publish({ policies: [{ code: 'terms', title: 'Conditions of participation', body: '<p>Another text.</p>' }] })
    expect((await who.open('summary')).location).toMatch(/\/consent$/)
    expect((await who.open('consent')).text).toContain('The organizer has changed this form since you started')
  })
})

describe('expired registration link', () => {
  it('leads from an expired registration link to a new sign-in code, and opens nothing with an invented link', async () => {
    const { email } = await openTicketsPage()
    const { id } = await onlyRow(email)
    await selling.call('resend_participant_confirmation', { participantId: id })
    const [{ link }] = await rows(
      `select substring(text_body from 'https?://[^ ]*token=[A-Za-z0-9._-]+') as link from messages where to_address = $1 and email_code <> 'signin.code'`,
      [email],
    )
    const path = link.slice(served.baseUrl.length)
    const other = visitor(served)
    expect(await other.get(path)).toMatchObject({ status: 303, location: `${buildEventPath(selling.event)}/register/attendee` })
    expect((await other.get(`${buildEventPath(selling.event)}/register/attendee`)).location).toMatch(/\/tickets$/)
    const forged = visitor(served)
    await forged.get(`${path.slice(0, -6)}AAAAAA`)
    expect((await forged.get(`${buildEventPath(selling.event)}/register/attendee`)).status).toBe(200)
    await selling.world.clock.stopAt('2026-04-11T12:00:00Z')
    const late = await visitor(served).get(path)
    expect(late.status).toBe(410)
    expect(late.text).toContain('This link has expired')
  })
})
