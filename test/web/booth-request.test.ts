import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createExhibitorFixtures, buildRectangle } from '../support/companies.ts'
import { openFormAs } from '../support/registration-form.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'

let scenario: SalesScenario
let served: Served
const [attendee] = WORKED_EXAMPLE.flows

const sections = {
  ...WORKED_EXAMPLE,
  products: [
    ...WORKED_EXAMPLE.products,
    { code: 'lead-scanner', name: 'Lead scanner', category: 'leadRetrieval', grants: ['sdk', 'device'], prices: [{ amount: '240.00' }] },
  ],
  customFields: [
    { code: 'about', name: 'About you', responseType: 'longText' },
    { code: 'power', name: 'Power needed', responseType: 'text' },
  ],
  exhibitorConfig: {
    boothSizes: [
      { code: 'small', name: '3 × 3 m', width: 3, depth: 3 },
      { code: 'large', name: '6 × 3 m', width: 6, depth: 3 },
    ],
    applicationFields: ['about', 'power'],
  },
  flows: [
    ...WORKED_EXAMPLE.flows,
    {
      ...attendee!,
      slug: 'exhibitor',
      name: 'Exhibitors',
      kind: 'exhibitor',
      pages: [
        attendee!.pages[0]!,
        {
          code: 'booth',
          title: 'Your booth',
          widgets: [
            { id: 'profile', type: 'companyProfile', fields: ['about', 'power'] },
            { id: 'booth', type: 'boothRequest', sizes: ['small', 'large'], maxPreferences: 2 },
          ],
        },
        attendee!.pages[2]!,
      ],
    },
    {
      ...attendee!,
      slug: 'booth-and-scanner',
      name: 'Exhibitors with lead scanners',
      kind: 'exhibitor',
      pages: [
        attendee!.pages[0]!,
        {
          code: 'booth',
          title: 'Your booth',
          widgets: [
            { id: 'booth', type: 'boothRequest', sizes: ['small'], maxPreferences: 2 },
            { id: 'scanners', type: 'products', products: ['lead-scanner'] },
            { id: 'pay', type: 'payment', methods: ['bank'] },
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
  const exhibitors = createExhibitorFixtures(scenario.world, scenario.event)
  const booths = ['101', '102', '103'].map((number, at) => ({ number, polygon: buildRectangle(2 + at * 6, 2, at === 2 ? 6 : 3, 3) }))
  await exhibitors.plan({ code: 'hall', name: 'Hall 1' }, booths)
  const { id } = await exhibitors.company({ name: 'Taken Ltd', status: 'active' })
  await exhibitors.assign('102', id)
})
afterAll(() => scenario.world.end())

const rows = async (query: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(query, values)).rows

let made = 0
async function exhibitor(company: string, flow = 'exhibitor') {
  const email = `exhibitor-${++made}@example.org`
  const at = openFormAs(visitor(served), scenario.event, flow)
  await at.begin(email)
  await at.fill('contact', { '@participant.firstName': 'Eva', '@participant.lastName': `Nr ${made}`, '@participant.company': company })
  return { ...at, email, finish: () => at.fill('summary', {}, { press: 'finish' }) }
}

const applications = () =>
  rows(
    `select a.number, a.status, a.additional, a.wanted, a.answers, c.name from booth_applications a join companies c on c.id = a.company_id order by a.number`,
  )

describe('booth request page', () => {
  it('shows the floor plan as a picture and a list, rejects unavailable booths and saves the booth choices', async () => {
    const { open, fill } = await exhibitor('Wishful')
    const page = await open('booth')
    expect(page.html).toContain('<svg')
    for (const expected of ['Hall 1', '2 booths available', '6 × 3 m', 'Booth number, choice 2', 'Power needed'])
      expect(page.text).toContain(expected)
    for (const number of ['102', '999']) {
      const refused = await fill('booth', { 'booth.size.1': 'small', 'booth.number.1': number })
      expect([refused.status, refused.text.includes('No available booth has this number')]).toEqual([400, true])
    }
    await fill('booth', { 'booth.size.1': 'large', 'booth.number.1': '103', 'booth.number.2': '101', 'booth.other': 'true' })
    const summary = await open('summary')
    expect(summary.text).toContain('103, 101, and 6 × 3 m')
  })

  it('creates a booth application, and its company if necessary, when the registration is complete', async () => {
    const one = await exhibitor('Acme Robots')
    await one.fill('booth', { '@custom.about': 'We build', 'booth.size.1': 'small', 'booth.number.1': '101' })
    expect((await one.finish()).location).toMatch(/\/done$/)
    expect((await one.open('done')).text).toContain('A-000001 for Acme Robots')
    expect(await applications()).toEqual([
      {
        number: 'A-000001',
        status: 'submitted',
        additional: false,
        wanted: { sizes: ['small'], boothNumbers: ['101'], acceptOther: false },
        answers: { about: 'We build' },
        name: 'Acme Robots',
      },
    ])
    expect(await rows(`select role, status from exhibitor_staff where email = $1`, [one.email])).toEqual([
      { role: 'admin', status: 'registered' },
    ])
    expect(await rows(`select name, self_registered from companies order by name`)).toEqual([
      { name: 'Acme Robots', self_registered: true },
      { name: 'Taken Ltd', self_registered: false },
    ])
    // Typing an existing company's name proves nothing: the request becomes a separate application, and the participant does not become
    // staff of that company.
    const other = await exhibitor('ACME  robots')
    await other.fill('booth', { 'booth.size.1': 'large', 'booth.other': 'true' })
    await other.finish()
    expect((await applications())[1]).toMatchObject({ number: 'A-000002', additional: true, name: 'Acme Robots' })
    expect(await rows(`select 1 from exhibitor_staff where email = $1`, [other.email])).toEqual([])
    await expect(
      rows(`update booth_applications set additional = false where number = 'A-000002'`),
      'a company has one open application',
    ).rejects.toThrow('booth_applications_live')
  })

  it('creates no booth application if no booth was chosen', async () => {
    const one = await exhibitor('No Wish')
    await one.fill('booth', {})
    expect((await one.finish()).location).toMatch(/\/done$/)
    expect((await applications()).map(({ name }) => name)).not.toContain('No Wish')
  })
})

describe('lead licences of exhibitors who register', () => {
  const licencesOf = (company: string) =>
    rows(
      `select l.product_code, l.seats from lead_licences l join companies c on c.tenant_id = l.tenant_id and c.id = l.company_id where c.name = $1`,
      [company],
    )

  it('belong to the company that the registration creates', async () => {
    const buyer = await exhibitor('Scanning Robots', 'booth-and-scanner')
    const sent = { 'booth.size.1': 'small', 'booth.other': 'true', '@product.lead-scanner': '1', 'payment.method': 'bank' }
    await buyer.fill('booth', sent)
    expect((await buyer.finish()).location).toMatch(/\/done$/)
    expect(await licencesOf('Scanning Robots')).toEqual([{ product_code: 'lead-scanner', seats: 1 }])
  })

  it('are not given to an existing company whose name was typed', async () => {
    const buyer = await exhibitor('Taken Ltd', 'booth-and-scanner')
    const sent = { 'booth.size.1': 'small', 'booth.other': 'true', '@product.lead-scanner': '1', 'payment.method': 'bank' }
    await buyer.fill('booth', sent)
    expect((await buyer.finish()).location).toMatch(/\/done$/)
    expect(await licencesOf('Taken Ltd')).toEqual([])
  })

  it('belong to the company of its admin if a group pays for them', async () => {
    const email = 'admin@paid-for.example'
    const invited = await scenario.call('manage_company', {
      action: 'create',
      name: 'Paid For Ltd',
      fields: { contact: { name: 'Pia', email } },
    })
    await scenario.call('manage_company', { action: 'invite', companyIds: [invited.company.id] })
    const { group } = await scenario.call('create_managed_group', {
      name: 'Pavilion',
      kind: 'company',
      payBy: 'group',
      flowSlug: 'booth-and-scanner',
      admins: [{ email: 'ada@pavilion.example', name: 'Ada' }],
    })
    const data = {
      '@participant.firstName': 'Pia',
      '@participant.lastName': 'Holm',
      '@participant.email': email,
      '@product.lead-scanner': 1,
    }
    await scenario.call('update_managed_group_members', { groupCode: group.code, add: [{ data }] })
    expect(await licencesOf('Paid For Ltd')).toEqual([{ product_code: 'lead-scanner', seats: 1 }])
  })
})
