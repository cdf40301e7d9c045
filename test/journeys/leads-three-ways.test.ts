import { describe, expect, it } from 'vitest'
import { EXHIBITOR_SECTIONS } from '../support/exhibitor-scenario.ts'
import { useJourney } from '../support/journey.ts'
import { requestDevice, requestLead } from '../support/lead-requests.ts'
import { eventHomePath, signInVisitor } from '../support/own-pages.ts'
import { createApiAccountAt } from '../support/participants.ts'
import { openFormAs } from '../support/registration-form.ts'
import { connectAssistant } from '../support/scripted-assistant.ts'
import { readLatestCode } from '../support/sign-in-codes.ts'
import { visitor } from '../support/visitor.ts'

const [attendee, exhibitor] = EXHIBITOR_SECTIONS.flows
/** Exhibitors buy licences while they register. */
const SECTIONS = {
  ...EXHIBITOR_SECTIONS,
  products: [
    ...EXHIBITOR_SECTIONS.products.filter(({ category }) => category !== 'leadRetrieval'),
    { code: 'lead-app', name: 'Own app', category: 'leadRetrieval', grants: ['sdk'], prices: [{ amount: '300.00' }] },
    { code: 'lead-device', name: 'Scanner', category: 'leadRetrieval', grants: ['device'], perPerson: 10, prices: [{ amount: '120.00' }] },
  ],
  flows: [
    attendee!,
    {
      ...exhibitor!,
      pages: [
        exhibitor!.pages[0]!,
        {
          code: 'leads',
          title: 'Lead retrieval',
          widgets: [
            { id: 'leads', type: 'products', products: ['lead-app', 'lead-device'] },
            { id: 'pay', type: 'payment', methods: ['bank'] },
          ],
        },
        exhibitor!.pages[1]!,
      ],
    },
  ],
}
const journey = useJourney(SECTIONS)
const call = (tool: string, args?: object) => journey.assistant.call(tool, { ...args })

const ADMIN = 'connie@borealis.example'
const ADA = 'ada@visitors.example'
const company = { id: '', activationCode: '' }
const devices: string[] = []
let badge: string

const codes = () => {
  const { tenantCode, clientCode, eventCode } = journey.scenario.event
  return { tenantCode, clientCode, eventCode, activationCode: company.activationCode }
}
const scan = (badgeId: string) => requestLead(journey.served, { ...codes(), badgeId })
const activate = (name: string) => requestDevice(journey.served, '', { body: { ...codes(), name, platform: 'ios' } })
const sync = (captures: object[], token = devices[0]!) => requestDevice(journey.served, '/captures', { token, body: { captures } })
const listDeviceLeads = async () => (await requestDevice(journey.served, '/leads', { token: devices[0]! })).body.data
const getLead = async () => {
  const { leads } = await call('manage_lead', { action: 'list', companyId: company.id })
  expect(leads).toHaveLength(1)
  const found = await call('manage_lead', { action: 'get', leadId: leads[0].id })
  return { ...found.leads[0], types: found.history.map(({ type }: { type: string }) => type).toSorted() }
}

describe('leads from an app, a scanner and an appointment', () => {
  it("licenses an invited company for one app and two scanners, which the company's admin buys while registering", async () => {
    const { scenario, served, listEmails, readLink, moveTo } = journey
    const contact = { name: 'Connie', email: ADMIN }
    const created = await call('manage_company', { action: 'create', name: 'Borealis', fields: { contact, appointmentsEnabled: true } })
    company.id = created.company.id
    await call('manage_company', { action: 'invite', companyIds: [company.id] })
    const [invitation] = await listEmails('company.invited')
    const link = readLink(invitation!, 'register')
    const connie = visitor(served)
    const hidden = / name="company" value="([^"]*)"/.exec((await connie.get(link)).html)![1]!
    await connie.post(link.replace(/\?.*/, ''), { email: ADMIN, company: hidden }, { from: link })
    const form = openFormAs(connie, scenario.event, 'exhibitor')
    await form.fill('contact', { '@participant.firstName': 'Connie', '@participant.lastName': 'Aas' })
    await form.fill('leads', { '@product.lead-app': '1', '@product.lead-device': '2', _method: 'bank' })
    await form.fill('summary', {}, { press: 'finish' })
    const found = await call('manage_company', { action: 'get', companyId: company.id, include: ['licences', 'staff'] })
    company.activationCode = found.company.activationCode
    expect(found.company).toMatchObject({
      status: 'active',
      staff: [{ email: ADMIN, role: 'admin', status: 'registered' }],
      licences: [
        { productCode: 'lead-app', grants: ['sdk'], seats: 1, status: 'active' },
        { productCode: 'lead-device', grants: ['device'], seats: 2, status: 'active' },
      ],
    })
    await moveTo('2026-09-01T07:00:00Z')
    expect((await scan('0')).status).toBe(200)
    const activated = [await activate('iPad 1'), await activate('iPad 2'), await activate('iPad 3')]
    expect(activated.map(({ status }) => status)).toEqual([201, 201, 403])
    devices.push(...activated.slice(0, 2).map(({ body }) => body.deviceToken as string))
  })

  it('merges two scans by an app, one by a scanner and an appointment into one lead with three captures', async () => {
    const { scenario, served } = journey
    const ada = openFormAs(visitor(served), scenario.event)
    await ada.begin(ADA)
    await ada.fill('contact', { '@participant.firstName': 'Ada', '@participant.lastName': 'Berger' })
    await ada.fill('choices', { '@product.pass': '1', _method: 'bank' })
    await ada.fill('summary', {}, { press: 'finish' })
    badge = (await call('get_participant', { participantId: ADA })).participant.badgeId

    expect((await scan(badge)).body).toMatchObject({ captures: 1, source: 'sdk', fields: { email: ADA } })
    expect((await scan(`${badge}|Ada|Berger`)).body).toMatchObject({ captures: 2 })
    const capture = { badge, at: '2026-09-01T06:59:00.000Z', nonce: 'first' }
    const results = [await sync([capture]), await sync([capture])].map(({ body }) => body.results[0].result)
    expect(results).toEqual(['counted', 'duplicate'])

    const account = await createApiAccountAt(scenario.world, scenario.event, 'Concierge by Acme')
    const assistant = await connectAssistant(served, account.token, scenario.event)
    const person = await assistant.verifyEmail(ADA, () => readLatestCode(scenario.world, ADA))
    const { companies } = await person.call('list_exhibitor_availability', { companyId: company.id })
    const { slotId } = companies[0].slots[0]
    expect(await person.call('book_exhibitor_appointment', { slotId })).toMatchObject({
      appointment: { status: 'booked', company: 'Borealis' },
    })
    await assistant.close()
    const lead = await getLead()
    expect(lead).toMatchObject({ captures: 3, source: 'sdk', fields: { firstName: 'Ada', lastName: 'Berger', email: ADA } })
    expect(lead.types).toEqual(['appointment', 'device', 'sdk', 'sdk'])
  })

  it("hides the attendee's email address from leads and devices as soon as the attendee restricts it", async () => {
    const { scenario, served } = journey
    expect((await listDeviceLeads())[0].fields).toHaveProperty('email')
    const ada = await signInVisitor(scenario.world, served, scenario.event, ADA)
    await ada.post(`${eventHomePath(scenario.event)}/registration/sharing`, { 'field.email': 'restrict' })
    expect((await getLead()).fields).not.toHaveProperty('email')
    const [lead] = await listDeviceLeads()
    expect(lead.fields).toEqual({ firstName: 'Ada', lastName: 'Berger' })
  })

  it('refuses scans of the lead app once its licence is credited, while scanner devices still list their leads', async () => {
    const edited = await call('edit_participant', { participantId: ADMIN, data: { '@product.lead-app': 0 }, credit: 'full' })
    expect(edited.money).toMatchObject({ creditNote: { total: { amount: '360.00', currency: 'EUR' } } })
    expect((await scan(badge)).status).toBe(403)
    expect((await scan('0')).status).toBe(403)
    expect((await listDeviceLeads())[0].captures).toBe(3)
  })

  it('answers a scan of a replaced badge with unknown_badge, and adds a scan of the new badge to the same lead', async () => {
    const { participant } = await call('get_participant', { participantId: ADA })
    const { rotated } = await call('rotate_badge_id', { participantIds: [participant.id], reason: 'lost' })
    const at = '2026-09-01T06:59:30.000Z'
    const { body } = await sync([
      { badge, at, nonce: 'old' },
      { badge: rotated[0].payload, at, nonce: 'new' },
    ])
    expect(body.results).toMatchObject([{ result: 'unknown_badge' }, { result: 'counted', lead: { captures: 4 } }])
    expect(await getLead()).toMatchObject({ captures: 4, source: 'sdk' })
    expect(await journey.listViolations()).toEqual([])
  })
})
