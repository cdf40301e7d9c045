import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEventLedger } from '../support/event-ledger.ts'
import { eventHomePath, signInVisitor } from '../support/own-pages.ts'
import { hiddenFieldsIn } from '../support/registration-form.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type FormFields, type VisitedPage, visitor } from '../support/visitor.ts'

let scenario: SalesScenario
let served: Served
let home: string

const EDIT_UNTIL = '2026-06-01T10:00:00Z'
const [attendee] = WORKED_EXAMPLE.flows

/**
 * The worked example with additional questions, a boat with one seat, a workshop that is half refundable and a dinner that is not
 * refundable.
 */
const sections = {
  ...WORKED_EXAMPLE,
  customFields: [
    {
      code: 'diet',
      name: 'Diet',
      responseType: 'choice',
      choices: [
        { code: 'all', name: 'Everything' },
        { code: 'other', name: 'Other' },
      ],
    },
    { code: 'allergy', name: 'Allergies', responseType: 'text' },
  ],
  products: [
    ...WORKED_EXAMPLE.products.map((product) => ({
      ...product,
      ...(product.code === 'workshop' ? { refundTiers: [{ until: '2026-08-01T00:00:00Z', percent: 50 }] } : {}),
      ...(product.code === 'dinner' ? { refundUntil: '2026-04-01T00:00:00Z' } : {}),
    })),
    { code: 'boat', name: 'Boat', category: 'other', capacity: 1, taxCode: 'vat-20', prices: [{ amount: '20.00' }] },
  ],
  flows: [
    {
      ...attendee!,
      editUntil: EDIT_UNTIL,
      pages: [
        {
          ...attendee!.pages[0]!,
          widgets: [
            ...attendee!.pages[0]!.widgets.map((widget) => (widget.id === 'company' ? { ...widget, required: true } : widget)),
            { id: 'phone', type: 'field', binding: '@participant.mobilePhone' },
            { id: 'diet', type: 'field', binding: '@custom.diet' },
            {
              id: 'allergy',
              type: 'field',
              binding: '@custom.allergy',
              required: true,
              showWhen: { all: [{ binding: '@custom.diet', op: 'equals', value: 'other' }] },
            },
          ],
        },
        {
          ...attendee!.pages[1]!,
          widgets: [
            { id: 'sale', type: 'products', products: ['pass', 'workshop', 'dinner', 'boat'] },
            ...attendee!.pages[1]!.widgets.slice(1),
          ],
        },
        attendee!.pages[2]!,
      ],
    },
  ],
}

beforeAll(async () => {
  scenario = await openSalesScenario(sections, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
  home = eventHomePath(scenario.event)
})
afterAll(() => scenario.world.end())

const mine = (path = '') => `${home}/registration${path}`

const signedIn = (email: string) => signInVisitor(scenario.world, served, scenario.event, email)

const DATA = { '@participant.company': 'Acme', '@custom.diet': 'other', '@custom.allergy': 'Nuts' }

async function registered(products: Record<string, number> = {}) {
  const { participant } = await scenario.register(products, { data: DATA })
  const id = participant.id as string
  const who = await signedIn(participant.email)
  /** The page's form as a browser submits it, with these fields. */
  const fill = async (page: string, fields: FormFields): Promise<VisitedPage> => {
    const path = mine(`/edit/${page}`)
    return who.post(path, { ...hiddenFieldsIn((await who.get(path)).html), do: 'save', ...fields })
  }
  /** Confirms the question that the page asks. */
  const confirm = (page: string, asked: VisitedPage): Promise<VisitedPage> =>
    who.post(mine(`/edit/${page}`), { ...hiddenFieldsIn(asked.html), do: 'confirm' }, { csrf: null })
  return { id, participant, who, fill, confirm, now: () => scenario.call('get_participant', { participantId: id }) }
}

const answersOf = async (id: string) =>
  (
    await scenario.world.database.pool.query<any>(
      'select company, mobile_phone, first_name, email, custom_field_responses from participants where id = $1',
      [id],
    )
  ).rows[0]

const YOU = { '@participant.company': 'Acme', '@participant.mobilePhone': '', '@custom.diet': 'other', '@custom.allergy': 'Nuts' }
const totals = (order: any, kind: string) => order.invoices.filter((one: any) => one.kind === kind).map((one: any) => one.total.amount)

describe('changing answers', () => {
  it('lists the pages of the registration form with the participant’s answers, and prefills the answers', async () => {
    const { who, participant } = await registered({ pass: 1, dinner: 2 })
    const index = await who.get(mine('/edit'))
    for (const expected of ['You can make changes until', 'Acme', 'Nuts', 'Pass', '2 × Dinner']) expect(index.text).toContain(expected)
    expect(index.html).toContain(`href="${mine('/edit/contact')}"`)
    const page = await who.get(mine('/edit/contact'))
    expect(page.html).toMatch(/name="@participant\.company"[^>]* value="Acme"|value="Acme"[^>]* name="@participant\.company"/)
    expect(page.html).not.toMatch(/name="@participant\.(firstName|lastName|email)"/)
    for (const expected of [
      participant.email,
      'Only the organizer can change the name',
      'Only the organizer can change the email address.',
    ])
      expect(page.text).toContain(expected)
    const choices = await who.get(mine('/edit/choices'))
    expect(choices.html).toMatch(/name="@product\.dinner"[^>]* value="2"/)
    for (const other of ['@discount.code', '_method']) expect(choices.html).not.toContain(`name="${other}"`)
    expect((await who.get(mine('/edit/nosuch'))).status).toBe(404)
  })

  it('saves valid answers and removes answers to questions that no longer apply', async () => {
    const { id, fill, now } = await registered({ pass: 1 })
    const saved = await fill('contact', { ...YOU, '@participant.company': 'Beta', '@custom.diet': 'all' })
    expect(saved).toMatchObject({ status: 303, location: mine('?done=saved') })
    expect(await answersOf(id)).toMatchObject({ company: 'Beta', custom_field_responses: { diet: 'all' } })
    expect((await answersOf(id)).custom_field_responses).not.toHaveProperty('allergy')
    expect(totals((await now()).order, 'invoice')).toEqual(['900.00'])
  })

  it('lists every invalid answer, saves none of the answers and shows the typed values again', async () => {
    const { id, fill } = await registered()
    const refused = await fill('contact', {
      ...YOU,
      '@participant.company': '',
      '@participant.mobilePhone': 'seven',
      '@custom.allergy': 'Milk',
    })
    expect(refused.status).toBe(400)
    for (const expected of ['Enter your company', 'Enter a phone number with its country code']) expect(refused.text).toContain(expected)
    for (const typed of ['seven', 'Milk']) expect(refused.html).toContain(`value="${typed}"`)
    expect(await answersOf(id)).toMatchObject({ company: 'Acme', mobile_phone: null, custom_field_responses: { allergy: 'Nuts' } })
  })

  it('ignores a submitted name, email address or participant id of another person', async () => {
    const [ana, ben] = [await registered(), await registered()]
    const sent = {
      ...YOU,
      '@participant.firstName': 'Zoe',
      '@participant.email': 'zoe@example.org',
      participantId: ben.id,
      '@participant.company': 'Gamma',
    }
    expect((await ana.fill('contact', sent)).status).toBe(303)
    expect(await answersOf(ana.id)).toMatchObject({ first_name: 'Paula', email: ana.participant.email, company: 'Gamma' })
    expect(await answersOf(ben.id)).toMatchObject({ company: 'Acme' })
    expect((await ana.who.get(mine('/edit'))).text).not.toContain(ben.participant.email)
    expect(await visitor(served).get(mine('/edit/contact'))).toMatchObject({ status: 303, location: mine('/sign-in') })
  })

  it('rejects an edit form without a valid CSRF token', async () => {
    const { id, who } = await registered()
    const path = mine('/edit/contact')
    const sent = { ...hiddenFieldsIn((await who.get(path)).html), ...YOU, '@participant.company': 'Other', do: 'save' }
    delete (sent as FormFields)['_csrf']
    expect(await who.post(path, sent, { csrf: null })).toMatchObject({ status: 303, location: mine('/edit') })
    expect(await answersOf(id)).toMatchObject({ company: 'Acme' })
  })
})

describe('changing an order', () => {
  it('shows the order changes and their cost, and applies them after confirmation', async () => {
    const { fill, confirm, now, id, participant: before } = await registered({ pass: 1 })
    const asked = await fill('choices', { '@product.pass': '1', '@product.dinner': '2', '@product.workshop': '1' })
    expect(asked.status).toBe(200)
    // The expected prices: 149.99 plus 20% tax, and twice 89.00 including tax.
    for (const expected of [
      'Added: Workshop A × 1 €179.99',
      'Added: Dinner × 2 €178.00',
      'New invoice €357.99',
      'Still to pay afterwards €1,257.99',
    ])
      expect(asked.text).toContain(expected)
    expect(totals((await now()).order, 'invoice')).toEqual(['900.00'])
    expect(await confirm('choices', asked)).toMatchObject({ status: 303, location: mine('?done=saved') })
    const { order, participant } = await now()
    expect(participant.revision).toBeGreaterThan(before.revision)
    expect(totals(order, 'invoice')).toEqual(['900.00', '357.99'])
    expect(order.balance.amount).toBe('1257.99')
    expect(
      await scenario.queryNumber(`select count(*)::int as figure from messages where source_id = '${id}' and source_kind = 'registration'`),
    ).toBe(1)
    // A repeated confirmation changes nothing.
    expect(await confirm('choices', asked)).toMatchObject({ status: 303 })
    expect(totals((await now()).order, 'invoice')).toEqual(['900.00', '357.99'])
  })

  it('credits removed products under the event’s cancellation terms', async () => {
    const { fill, confirm, now } = await registered({ pass: 1, workshop: 1, dinner: 1 })
    const asked = await fill('choices', { '@product.pass': '1', '@product.dinner': '0' })
    // The expected credit: half of the workshop's 179.99 and nothing of the dinner's 89.00.
    for (const expected of ['Removed: Workshop A × 1 -€90.00', 'Removed: Dinner × 1 €0.00', 'Credit note €90.00'])
      expect(asked.text).toContain(expected)
    expect((await confirm('choices', asked)).status).toBe(303)
    const { order } = await now()
    expect(totals(order, 'credit_note')).toEqual(['90.00'])
    expect(order.balance.amount).toBe('1078.99')
  })

  it('reports a sold-out product and does not change the order', async () => {
    const [first, second] = [await registered({ pass: 1 }), await registered({ pass: 1 })]
    const choice = { '@product.pass': '1', '@product.boat': '1', '@product.dinner': '1' }
    const [seen, beaten] = [await first.fill('choices', choice), await second.fill('choices', choice)]
    expect((await first.confirm('choices', seen)).status).toBe(303)
    const refused = await second.confirm('choices', beaten)
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('This is now sold out')
    expect(totals((await second.now()).order, 'invoice')).toEqual(['900.00'])
    // The participant who has the last boat seat keeps it: 20.00 plus 20% tax, and a dinner.
    expect(await first.fill('choices', choice)).toMatchObject({ status: 303 })
    expect(totals((await first.now()).order, 'invoice')).toEqual(['900.00', '113.00'])
  })

  it('asks for confirmation again if the cost of an order change has changed', async () => {
    const { fill, confirm, now } = await registered({ pass: 1 })
    const seen = await fill('choices', { '@product.pass': '1', '@product.dinner': '2' })
    await scenario.publish({
      products: sections.products.map((product) => (product.code === 'dinner' ? { ...product, prices: [{ amount: '95.00' }] } : product)),
    })
    const again = await confirm('choices', seen)
    expect(again.status).toBe(200)
    for (const expected of ['Something has changed since you opened this page', 'Added: Dinner × 2 €190.00'])
      expect(again.text).toContain(expected)
    expect(totals((await now()).order, 'invoice')).toEqual(['900.00'])
    expect((await confirm('choices', again)).status).toBe(303)
    expect(totals((await now()).order, 'invoice')).toEqual(['900.00', '190.00'])
  })
})

describe('registration that cannot be changed', () => {
  it('shows why a registration cannot be changed: cancelled, or the deadline has passed', async () => {
    const [gone, late] = [await registered(), await registered({ pass: 1 })]
    const forms = hiddenFieldsIn((await late.who.get(mine('/edit/choices'))).html)
    await gone.who.post(mine('/cancel'), { agree: 'on' })
    expect((await gone.who.get(mine('/edit'))).text).toContain('Your registration is cancelled and can no longer be changed.')
    await scenario.world.clock.stopAt(EDIT_UNTIL)
    const who = await signedIn(late.participant.email)
    for (const path of ['/edit', '/edit/choices']) expect((await who.get(mine(path))).text).toContain('Changes were possible until')
    const { _csrf: _, ...fields } = forms
    const sent = await who.post(
      mine('/edit/choices'),
      { ...fields, do: 'save', '@product.pass': '1', '@product.dinner': '1' },
      { from: mine('/sharing') },
    )
    expect(sent.status).toBe(400)
    expect(totals((await late.now()).order, 'invoice')).toEqual(['900.00'])
    await openEventLedger(scenario.world, scenario.event).assertInvariants()
  })
})
