import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEventLedger } from '../support/event-ledger.ts'
import { eventHomePath, signInVisitor } from '../support/own-pages.ts'
import { hiddenFieldsIn, openFormAs } from '../support/registration-form.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type FormFields, type VisitedPage, visitor } from '../support/visitor.ts'

let scenario: SalesScenario
let served: Served
let home: string

const [attendee] = WORKED_EXAMPLE.flows
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64')

const policies = (body: string) => [
  { code: 'terms', title: 'Terms', body },
  { code: 'news', title: 'News', body: '<p>We write to you.</p>', required: false },
]

/**
 * The form sells up to two guests at 120.00 including 10% tax and a donation, and has two policies, one of them mandatory, and a file
 * upload.
 */
const sections = (terms = '<p>Be kind.</p>') => ({
  ...WORKED_EXAMPLE,
  customFields: [{ code: 'visa', name: 'Visa', responseType: 'file', accept: ['image/png'] }],
  policies: policies(terms),
  products: [
    ...WORKED_EXAMPLE.products,
    {
      code: 'partner',
      name: 'Partner',
      category: 'guest',
      taxCode: 'vat-10',
      prices: [{ amount: '120.00' }],
      refundTiers: [{ until: '2026-08-01T00:00:00Z', percent: 50 }],
    },
    { code: 'child', name: 'Child', category: 'guest', prices: [{ amount: '0.00' }] },
    { code: 'trees', name: 'Trees', category: 'donation', prices: [{ amount: '0.00' }] },
  ],
  flows: [
    {
      ...attendee!,
      guests: {
        enabled: true,
        max: 2,
        types: [
          { code: 'partner', name: 'Partner', productCode: 'partner' },
          { code: 'child', name: 'Child', productCode: 'child' },
        ],
        fields: [{ binding: '@participant.dietary', required: false }],
      },
      pages: [
        { ...attendee!.pages[0]!, widgets: [...attendee!.pages[0]!.widgets, { id: 'visa', type: 'field', binding: '@custom.visa' }] },
        {
          code: 'more',
          title: 'More',
          widgets: [
            { id: 'guests', type: 'guests' },
            { id: 'gift', type: 'donation', product: 'trees', suggested: ['10.00', '25.00'], minAmount: '5.00' },
            { id: 'terms', type: 'policy', policy: 'terms', mode: 'signature' },
            { id: 'news', type: 'policy', policy: 'news' },
          ],
        },
        attendee!.pages[1]!,
        attendee!.pages[2]!,
      ],
    },
  ],
})

beforeAll(async () => {
  scenario = await openSalesScenario(sections(), { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
  home = eventHomePath(scenario.event)
})
afterAll(() => scenario.world.end())

const rows = async (query: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(query, values)).rows

async function registered() {
  const { participant } = await scenario.register({ pass: 1 }, { data: { '@policy.terms': true } })
  const who = await signInVisitor(scenario.world, served, scenario.event, participant.email)
  const path = `${home}/registration/edit/more`
  const press = async (button: string, fields: FormFields = {}, from: string = path): Promise<VisitedPage> =>
    who.post(from, { ...hiddenFieldsIn((await who.get(from)).html), do: button, ...fields }, { csrf: null })
  const confirm = (asked: VisitedPage): Promise<VisitedPage> =>
    who.post(path, { ...hiddenFieldsIn(asked.html), do: 'confirm' }, { csrf: null })
  const orderOf = async () => (await scenario.call('get_participant', { participantId: participant.id })).order
  const guestsOf = () =>
    rows(`select first_name, last_name, status, guest_type, dietary from participants where host_id = $1 order by created_at, id`, [
      participant.id,
    ])
  return { id: participant.id as string, who, path, press, confirm, orderOf, guestsOf }
}

const guest = (number: number, first: string, type = 'partner', more: FormFields = {}): FormFields => ({
  'guest.number': String(number),
  [`@guest.${number}.firstName`]: first,
  [`@guest.${number}.lastName`]: 'Guest',
  [`@guest.${number}.type`]: type,
  ...more,
})

describe('price of a guest', () => {
  it('shows the price of a guest before the guest is added: in the form, in the choice of the guest type, and on the own page', async () => {
    const form = openFormAs(visitor(served), scenario.event)
    await form.begin('prices@example.org')
    await form.fill('contact', { '@participant.firstName': 'Pia', '@participant.lastName': 'Price' })
    const { path, who } = await registered()
    for (const page of [await form.open('more'), await who.get(path)]) {
      expect(page.text).toContain('Partner: €120.00 tax included')
      expect(page.text).toContain('Child: free')
    }
    const opened = await form.fill('more', {}, { press: 'guest-add' })
    const added = await form.who.get(opened.location!)
    expect(added.html).toMatch(/<option value="partner"[^>]*>Partner, €120\.00 tax included</)
    // A price that changes later is shown as soon as it applies.
    const { products, ...others } = sections()
    const dearer = products.map((product) => (product.code === 'partner' ? { ...product, prices: [{ amount: '180.00' }] } : product))
    await scenario.publish({ ...others, products: dearer })
    expect((await form.open('more')).text).toContain('Partner: €180.00 tax included')
    await scenario.publish(sections())
  })
})

describe('guests of a registered participant', () => {
  it('adds guests one at a time after the cost is shown and confirmed', async () => {
    const { press, confirm, orderOf, guestsOf } = await registered()
    const open = await press('guest-add')
    expect([open.status, open.html.includes('name="@guest.1.firstName"')]).toEqual([200, true])
    const asked = await press('guest-save', guest(1, 'Ada'))
    expect(asked.status).toBe(200)
    for (const expected of ['New guest', 'Ada Guest', 'Added: Partner', '€120.00', 'New invoice']) expect(asked.text).toContain(expected)
    expect([await guestsOf(), (await orderOf()).total.amount]).toEqual([[], '900.00'])
    expect((await confirm(asked)).location).toContain('done=saved')
    expect(await guestsOf()).toMatchObject([{ first_name: 'Ada', status: 'complete', guest_type: 'partner' }])
    const { lines, total } = await orderOf()
    expect(total.amount).toBe('1020.00')
    expect(lines.find((line: any) => line.productCode === 'partner')).toMatchObject({
      total: { amount: '120.00' },
      tax: { amount: '10.91' },
    })
    await confirm(await press('guest-save', guest(2, 'Ben', 'child')))
    expect((await orderOf()).total.amount, 'a child costs nothing').toBe('1020.00')
    const third = await press('guest-save', guest(3, 'Cleo'))
    expect(third.status).toBe(400)
    expect(await guestsOf()).toHaveLength(2)
    await openEventLedger(scenario.world, scenario.event).assertInvariants()
  })

  it('corrects guests’ names without confirmation, and removes guests under the event’s cancellation terms', async () => {
    const { press, confirm, orderOf, guestsOf } = await registered()
    await confirm(await press('guest-save', guest(1, 'Ada')))
    expect((await press('guest-edit:1')).html).toMatch(/name="@guest\.1\.firstName"[^>]* value="Ada"/)
    const saved = await press('guest-save', guest(1, 'Adele', 'partner', { '@guest.1.dietary': 'No nuts' }))
    expect(saved.location).toContain('done=saved')
    expect(await guestsOf()).toMatchObject([{ first_name: 'Adele', dietary: 'No nuts' }])
    const asked = await press('guest-remove:1')
    for (const expected of ['Removed guest', 'Adele Guest', 'Removed: Partner', '€60.01', 'Credit note'])
      expect(asked.text).toContain(expected)
    expect((await guestsOf())[0]!.status).toBe('complete')
    expect((await confirm(asked)).location).toContain('done=saved')
    expect((await guestsOf())[0]!.status).toBe('cancelled')
    expect((await orderOf()).balance.amount, 'half of 109.09 and half of its tax, each rounded').toBe('959.99')
    const twice = await confirm(asked)
    expect(twice.status, 'a repeated confirmation removes no other guest').toBe(400)
    await openEventLedger(scenario.world, scenario.event).assertInvariants()
  })

  it('requires a name for each guest', async () => {
    const { press, guestsOf } = await registered()
    const refused = await press('guest-save', { ...guest(1, 'Ada'), '@guest.1.lastName': '' })
    expect([refused.status, refused.text.includes('Enter the first name and the last name')]).toEqual([400, true])
    expect(await guestsOf()).toEqual([])
  })
})

describe('donations after registration', () => {
  it('adds every further donation as a separate order line of at least the minimum, and removes no donation', async () => {
    const { press, confirm, orderOf, who, path } = await registered()
    const give = (amount: FormFields) => press('save', amount)
    const asked = await give({ 'more.@product.trees': '25.00' })
    for (const expected of ['Added: Trees', '€25.00']) expect(asked.text).toContain(expected)
    await confirm(asked)
    expect((await orderOf()).total.amount).toBe('925.00')
    expect((await who.get(path)).text).toContain('You have donated €25.00 so far')
    expect((await give({ 'more.@product.trees': 'other', 'more.@product.trees.other': '4.99' })).status).toBe(400)
    expect((await give({ 'more.@product.trees': 'other', 'more.@product.trees.other': 'much' })).status).toBe(400)
    await confirm(await give({ 'more.@product.trees': 'other', 'more.@product.trees.other': '5,50' }))
    const { lines, total } = await orderOf()
    expect([total.amount, lines.filter((line: any) => line.productCode === 'trees').map((line: any) => line.total.amount)]).toEqual([
      '930.50',
      ['25.00', '5.50'],
    ])
    expect((await give({ 'more.@product.trees': '' })).location).toContain('done=saved')
    await openEventLedger(scenario.world, scenario.event).assertInvariants()
  })
})

describe('policies after registration', () => {
  it('keeps a mandatory consent, lets the participant change an optional one, and asks again when the policy text changes', async () => {
    const { id, press, who, path } = await registered()
    const agreed = async () => (await rows('select answers from participants where id = $1', [id]))[0].answers
    expect((await who.get(path)).html).not.toContain('name="@policy.terms"')
    expect((await press('save', { '@policy.news': 'true' })).location).toContain('done=saved')
    expect(await agreed()).toMatchObject({ '@policy.terms': true, '@policy.news': true })
    const [kept] = await rows('select policies from registration_progress where participant_id = $1', [id])
    expect(kept.policies.news).toMatchObject({ mode: 'checkbox', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
    await press('save', {})
    expect((await agreed())['@policy.news']).toBe(false)
    await rows(
      `update registration_progress set policies = '{"terms": {"at": "2026-04-01T00:00:00Z", "mode": "signature", "written": "P", "sha256": "0"}}' where participant_id = $1`,
      [id],
    )
    expect((await who.get(path)).html).toContain('name="@policy.terms"')
    const refused = await press('save', {})
    expect([refused.status, refused.text.includes('Terms')]).toEqual([400, true])
    expect((await press('save', { '@policy.terms': 'Paula Person' })).location).toContain('done=saved')
    const [signed] = await rows('select policies from registration_progress where participant_id = $1', [id])
    expect(signed.policies.terms).toMatchObject({ mode: 'signature', written: 'Paula Person' })
  })
})

describe('uploaded file of a registration', () => {
  it('lets the participant view and replace an uploaded file, and rejects a file of another type', async () => {
    const { id, who } = await registered()
    const path = `${home}/registration/edit/contact`
    const send = async (file: File) =>
      who.post(
        path,
        { ...hiddenFieldsIn((await who.get(path)).html), do: 'save', '@participant.company': 'Acme' },
        { csrf: null, files: { '@custom.visa': file } },
      )
    const visa = async () =>
      (await rows('select custom_field_responses from participants where id = $1', [id]))[0].custom_field_responses.visa
    expect((await send(new File([PNG], 'visa.png', { type: 'image/png' }))).location).toContain('done=saved')
    const first = await visa()
    expect(first).toMatch(/^[0-9a-z]{24}$/)
    const page = await who.get(path)
    expect(page.text).toContain('visa.png has been uploaded')
    expect(page.html).toContain('class="preview"')
    expect((await send(new File(['#!/bin/sh'], 'run.sh', { type: 'text/x-sh' }))).status).toBe(400)
    expect(await visa()).toBe(first)
  })
})
