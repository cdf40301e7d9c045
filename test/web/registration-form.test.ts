import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openFormAs } from '../support/registration-form.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'

const DISCOUNTS = [
  ...WORKED_EXAMPLE.discounts,
  { code: 'late', name: 'Late', kind: 'percent', value: '10', until: '2026-04-01' },
  { code: 'early', name: 'Early', kind: 'percent', value: '10', from: '2026-05-01' },
  { code: 'once', name: 'Once', kind: 'percent', value: '10', maxUses: 1 },
  { code: 'speakers', name: 'Speakers', kind: 'percent', value: '10', tags: ['speaker'] },
]

let selling: SalesScenario
let served: Served

beforeAll(async () => {
  selling = await openSalesScenario({ ...WORKED_EXAMPLE, discounts: DISCOUNTS }, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(selling.world)
})
afterAll(() => selling.world.end())

const newVisitor = () => openFormAs(visitor(served), selling.event)
const rows = async (query: string, values: unknown[] = []) => (await selling.world.database.pool.query<any>(query, values)).rows

let made = 0
const address = () => `ada-${++made}@example.org`
const NAME = { '@participant.firstName': 'Ada', '@participant.lastName': 'Lovelace' }

/** Fills in the form up to the summary, with these products. */
async function fillToSummary(email: string, products: Record<string, string> = { '@product.pass': '1' }) {
  const ada = newVisitor()
  await ada.begin(email)
  await ada.fill('contact', NAME)
  const chosen = await ada.fill('choices', products)
  expect(chosen).toMatchObject({ status: 303, location: expect.stringMatching(/\/summary$/) })
  return ada
}

describe('registration in a browser', () => {
  it('leads a visitor through the form’s pages to a registration with an invoice and all entered data', async () => {
    const [ada, email] = [newVisitor(), address()]
    const started = await ada.begin(email)
    expect(started.status).toBe(303)
    const first = await ada.who.get(started.location!)
    expect(first).toMatchObject({ status: 303, location: expect.stringMatching(/\/contact$/) })
    const contact = await ada.open('contact')
    expect(contact.text).toContain('Step 1 of 3')
    expect(contact.text).toContain(email)
    expect((await ada.open('choices')).location).toMatch(/\/contact$/)
    const named = await ada.fill('contact', { ...NAME, '@participant.company': 'Engines' })
    expect(named).toMatchObject({ status: 303, location: expect.stringMatching(/\/choices$/) })
    const chosen = await ada.fill('choices', { '@product.pass': '1', '@product.dinner': '2' })
    expect(chosen.location).toMatch(/\/summary$/)
    const summary = await ada.open('summary')
    // The total: a pass of 750.00 plus 20% tax, and two dinners of 89.00 including tax.
    expect(summary.text).toContain('€1,078.00')
    for (const expected of ['Engines', 'Choices Pass, 2 × Dinner', 'Payment Bank transfer']) expect(summary.text).toContain(expected)
    const done = await ada.fill('summary', {}, { press: 'finish' })
    expect(done).toMatchObject({ status: 303, location: expect.stringMatching(/\/done$/) })
    const page = await ada.open('done')
    const [row] = await rows(`select * from participants where email = $1`, [email])
    expect(row).toMatchObject({ status: 'complete', source: 'web', company: 'Engines' })
    expect(page.text).toContain(row.confirmation_number)
    expect(page.text).toContain('€1,078.00')
    expect(await rows(`select total::int, balance::int from orders where participant_id = $1`, [row.id])).toEqual([
      { total: 107_800, balance: 107_800 },
    ])
    expect(await rows(`select email_code from messages where to_address = $1`, [email])).toHaveLength(1)
    const calendar = await ada.open('calendar.ics')
    expect(calendar.headers.get('content-type')).toContain('text/calendar')
    expect(await rows(`select outcome from flow_visits where participant_id = $1`, [row.id])).toEqual([{ outcome: 'completed' }])
  })

  it('limits the registrations started from one network, and stores nothing beyond the limit', async () => {
    expect((await newVisitor().begin(address())).status).toBe(303)
    await rows(`update rate_windows set window_start = lanyard_now() + interval '1 hour' where key like 'register:%'`)
    const email = address()
    const refused = await newVisitor().begin(email)
    await rows(`delete from rate_windows where key like 'register:%'`)
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('Too many registrations were started from your network.')
    expect(await rows(`select from participants where email = $1`, [email])).toHaveLength(0)
  })

  it('reports missing answers, saves the valid answers, and shows them after a reload', async () => {
    const ada = newVisitor()
    await ada.begin(address())
    const refused = await ada.fill('contact', { '@participant.firstName': 'Ada', '@participant.lastName': '' })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('Enter your last name')
    expect(refused.html).toContain('value="Ada"')
    expect((await ada.open('contact')).html).toContain('value="Ada"')
    expect((await ada.open('choices')).location).toMatch(/\/contact$/)
  })

  it('completes the registration once, however often the last button is pressed', async () => {
    const email = address()
    const ada = await fillToSummary(email)
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => ada.fill('summary', {}, { press: 'finish' }).catch((error: unknown) => String(error))),
    )
    const others = answers.filter((answer) => typeof answer !== 'string' && !answer.location?.endsWith('/done'))
    expect(others).toEqual([])
    const [row] = await rows(`select id, status from participants where email = $1`, [email])
    expect(row.status).toBe('complete')
    expect(await rows(`select 1 from invoices i join orders o on o.id = i.order_id where o.participant_id = $1`, [row.id])).toHaveLength(1)
    expect(await rows(`select 1 from messages where to_address = $1`, [email])).toHaveLength(1)
  })

  it("shows nothing of a registration to a browser without the registration's cookie", async () => {
    const ada = await fillToSummary(address())
    const stranger = newVisitor()
    expect((await stranger.open('summary')).location).toMatch(/\/register\/attendee$/)
    const ben = newVisitor()
    await ben.begin(address())
    expect((await ben.open('contact')).text).not.toContain('Lovelace')
    expect((await ben.open('summary')).location).toMatch(/\/contact$/)
    expect((await ada.open('summary')).status).toBe(200)
  })

  it('shows the same page whether or not the email address is registered, and emails registered participants', async () => {
    const email = address()
    const ada = await fillToSummary(email)
    await ada.fill('summary', {}, { press: 'finish' })
    const [again, fresh] = [newVisitor(), newVisitor()]
    const unknown = address()
    const [one, two] = [await again.begin(email), await fresh.begin(unknown)]
    expect([one.status, one.location]).toEqual([two.status, two.location])
    const [seen, other] = [await again.open('contact'), await fresh.open('contact')]
    expect(seen.text.replaceAll(email, 'x')).toBe(other.text.replaceAll(unknown, 'x'))
    expect((await rows(`select email_code from messages where to_address = $1`, [email])).map((row) => row.email_code)).toContain(
      'registration-known',
    )
    expect(await rows(`select 1 from messages where to_address = $1`, [unknown])).toHaveLength(0)
    // The pages do not reveal that the same name with the same email is registered. The owner of the mailbox decides which one counts.
    expect((await again.fill('contact', NAME)).location).toMatch(/\/choices$/)
    await again.fill('choices', { '@product.pass': '1' })
    expect((await again.fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
  })

  it('escapes typed text on every page of the registration form', async () => {
    const payload = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
    const [ada, email] = [newVisitor(), address()]
    await ada.begin(email)
    await ada.fill('contact', {
      '@participant.firstName': payload.slice(0, 50),
      '@participant.lastName': payload.slice(0, 50),
      '@participant.company': payload,
    })
    await ada.fill('choices', { '@product.pass': '1' })
    for (const page of ['contact', 'choices', 'summary']) expect((await ada.open(page)).html).not.toMatch(/<script>alert|<img src=x/)
    await ada.fill('summary', {}, { press: 'finish' })
    const done = await ada.open('done')
    expect(done.status).toBe(200)
    expect(done.html).not.toMatch(/<script>alert|<img src=x/)
  })

  it('applies a discount code before products are chosen, and reports invalid discount codes', async () => {
    const ada = newVisitor()
    await ada.begin(address())
    await ada.fill('contact', NAME)
    await ada.fill('choices', { '@product.pass': '1', '@discount.code': 'save15' }, { press: 'update' })
    expect((await ada.open('choices')).text).toContain('Code applied: €112.50 off.')
    const refused = await ada.fill('choices', { '@product.pass': '1', '@discount.code': 'nope' })
    expect(refused.status).toBe(400)
  })

  it.each([
    ['nope', 'We do not recognize this code. Check the spelling'],
    ['late', 'This code is no longer valid'],
    ['early', 'This code is not valid yet'],
    ['once', 'This code has been used up. Remove it to continue.'],
    ['speakers', 'This code cannot be used for this registration'],
    ['save15', 'This code does not apply to anything in your order'],
  ])('explains at the field why the code “%s” gives no discount, also with the Apply button', async (code, reason) => {
    if (code === 'once') await selling.register({ pass: 1 }, { data: { '@discount.code': 'once' } })
    const ada = newVisitor()
    await ada.begin(address())
    await ada.fill('contact', NAME)
    const product = code === 'save15' ? { '@product.dinner': '1' } : { '@product.pass': '1' }
    for (const press of ['update', 'next']) {
      const refused = await ada.fill('choices', { ...product, '@discount.code': code }, { press })
      expect([press, refused.status]).toEqual([press, 400])
      expect(/<span class="error" id="@discount\.code-error">([^<]*)</.exec(refused.html)?.[1]).toBe(reason)
      // A refused code lowers no price.
      expect(refused.text).not.toMatch(/Code applied|Discount \w+ -/)
    }
    // Without the code the registration continues, and the selection was kept.
    expect(await ada.fill('choices', { ...product, '@discount.code': '' })).toMatchObject({ location: expect.stringMatching(/\/summary$/) })
  })

  it('asks for confirmation of the registration again when a price has changed', async () => {
    const email = address()
    const ada = await fillToSummary(email)
    const before = await ada.open('summary')
    await selling.publish({ products: [{ ...WORKED_EXAMPLE.products[0], prices: [{ amount: '800.00' }] }] })
    const { hiddenFieldsIn: hiddenIn } = await import('../support/registration-form.ts')
    const base = before.html.match(/action="([^"]*)\/summary"/)![1]!
    const pressed = await ada.who.post(`${base}/summary`, { ...hiddenIn(before.html), do: 'finish' }, { csrf: null })
    expect([pressed.status, pressed.location]).toEqual([303, `${base}/summary?changed`])
    const shown = await ada.who.get(pressed.location!)
    expect(shown.text).toContain('Something has changed')
    expect(shown.text).toContain('€960.00')
    expect(await rows(`select status from participants where email = $1`, [email])).toEqual([{ status: 'incomplete' }])
    expect((await ada.fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
    await selling.publish({ products: [WORKED_EXAMPLE.products[0]] })
  })
})
