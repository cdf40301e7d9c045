import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openExhibitorScenario, type ExhibitorScenario } from '../support/exhibitor-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { readFieldValue, signedInVisitor, type Visitor } from '../support/visitor.ts'

let fair: ExhibitorScenario
let served: Served
let base: string
let manager: Visitor
let analyst: Visitor
const company = { id: '', application: '' }
beforeAll(async () => {
  fair = await openExhibitorScenario({ baseUrl: await chooseFreeBaseUrl() })
  const { world, event, call } = fair.scenario
  served = await serve(world)
  base = `/console/events/${event.clientCode}/${event.eventCode}`
  manager = await signedInVisitor(world, served, await world.organizer({ role: 'exhibits', at: event }))
  analyst = await signedInVisitor(world, served, await world.organizer({ role: 'analyst', at: event }))
  const contact = { name: 'Connie', email: 'connie@borealis.example' }
  company.id = (await call('manage_company', { action: 'create', name: 'Borealis', fields: { contact } })).company.id
  await fair.exhibitors.company({ name: 'Cirrus' })
  const asked = { action: 'create', companyId: company.id, wanted: { sizes: ['small'], boothNumbers: ['103'] }, submit: true }
  company.application = (await call('manage_booth_application', asked)).applications[0].number
})
afterAll(() => fair.scenario.world.end())

/** Sends a form of a page, and its confirmation if the page shows one. Returns both pages. */
async function act(page: string, fields: Record<string, string>, who = manager) {
  const checked = await who.post(page, fields)
  const hidden = ['key', 'checked', 'call', 'confirmToken'].flatMap((name) => {
    const value = readFieldValue(checked.html, name)
    return value === undefined ? [] : [[name, value]]
  })
  const confirm = () => who.post(page, { ...fields, ...Object.fromEntries(hidden), do: 'confirm' }, { from: page })
  return { checked, confirm }
}
const statusOf = async () =>
  (await fair.scenario.call('list_booth_applications', { applicationNumber: company.application })).applications[0].status

describe('console pages of companies', () => {
  it('lists exhibiting companies with their contact, and filters the list by status, booth and search words', async () => {
    const all = await analyst.get(`${base}/companies`)
    expect(all.text).toMatch(/2 exhibitors\..*Borealis.*connie@borealis\.example.*Cirrus/)
    expect((await analyst.get(`${base}/companies?status=active`)).text).not.toContain('Borealis')
    expect((await analyst.get(`${base}/companies?search=boreal`)).text).toContain('1 exhibitor.')
    expect((await analyst.get(`${base}/companies?booth=yes`)).text).toContain('No companies found')
  })

  it("shows a company's staff, booths, licences and priority points; the activation code only to its editors", async () => {
    await fair.manage('manage_exhibitors', {
      action: 'add',
      companyId: company.id,
      people: [{ firstName: 'Per', lastName: 'Aas', email: 'per@borealis.example', role: 'staff' }],
    })
    await fair.manage('manage_company', {
      action: 'grant_licence',
      companyId: company.id,
      productCode: 'lead-scanner',
      seats: 2,
      reason: 'Trial',
    })
    const page = `${base}/companies/${company.id}`
    const seen = await analyst.get(page)
    expect(seen.text).toMatch(/Per Aas.*per@borealis.example.*staff/)
    expect(seen.text).toMatch(/lead-scanner Scanning devices 2 of 2 Active/)
    expect(seen.text).toContain('Priority points: 0')
    expect(seen.text).not.toContain('Activation code')
    expect(seen.html).not.toContain('<form action="' + page)
    expect((await manager.get(page)).text).toMatch(/Activation code [0-9A-Z]{4}-/)
    expect((await manager.get(`${base}/companies/${'0'.repeat(24)}`)).status).toBe(404)
  })

  it('adjusts the priority points of a company and cancels the company after a dry run, each once', async () => {
    const page = `${base}/companies/${company.id}`
    const bad = await act(page, { act: 'points', points: 'many', reason: 'Early' })
    expect(bad.checked.text).toContain('Enter points')
    const { checked, confirm } = await act(page, { act: 'points', points: '5', reason: 'Early' })
    expect(checked.text).toContain('Adjust the points of Borealis?')
    expect((await manager.get(page)).text).toContain('Priority points: 0')
    expect([(await confirm()).status, (await confirm()).status]).toEqual([303, 303])
    expect((await manager.get(page)).text).toMatch(/Priority points: 5.*adjustments 5 5/)
    expect((await act(page, { act: 'points', points: '5', reason: 'x' }, analyst)).checked.status).toBe(403)
  })
})

describe('console pages of booth applications', () => {
  it('lists booth applications by priority points, and shows one application with the requested booths', async () => {
    const all = await analyst.get(`${base}/applications`)
    expect(all.text).toMatch(/1 application, by priority points.*Borealis.*A-000001.*small · booths 103/)
    expect((await analyst.get(`${base}/applications?status=offered`)).text).toContain('No applications found')
    expect((await analyst.get(`${base}/applications/a-000001`)).text).toMatch(/Application A-000001.*small · booths 103/)
    expect((await analyst.get(`${base}/applications/A-000099`)).status).toBe(404)
  })

  it('decides a booth application, offers booths and withdraws the offer after a dry run', async () => {
    const page = `${base}/applications/${company.application}`
    expect((await manager.get(page)).text).not.toContain('Offer booths')
    const approval = await act(page, { act: 'decide', decision: 'approve', note: 'Old friends' })
    expect(approval.checked.text).toContain('The application becomes approved')
    expect(await statusOf()).toBe('submitted')
    await approval.confirm()
    expect(await statusOf()).toBe('approved')
    expect((await manager.get(page)).text).toMatch(/Note Old friends.*Offer booths/)

    expect((await act(page, { act: 'offer', booths: '999', notify: 'on' })).checked.text).toContain('999')
    const offer = await act(page, { act: 'offer', booths: '103', notify: 'on' })
    expect(offer.checked.text).toMatch(/Offer 103 to Borealis\?.*1 email is sent/)
    expect(await fair.exhibitors.listEmails()).toEqual([])
    await offer.confirm()
    await offer.confirm()
    expect((await fair.exhibitors.listEmails()).map(({ to }) => to)).toEqual(['connie@borealis.example'])
    expect((await manager.get(page)).text).toMatch(/Offer 103 for .*1,?200.00/)
    const withdrawal = await act(page, { act: 'withdraw_offer' })
    await withdrawal.confirm()
    expect(await statusOf()).toBe('approved')
  })

  it('refuses to confirm an action whose effect has changed since the dry run, and shows the current effect', async () => {
    const page = `${base}/applications/${company.application}`
    const { confirm } = await act(page, { act: 'decide', decision: 'reject' })
    await fair.scenario.call('manage_booth_application', { action: 'waitlist', number: company.application })
    await fair.scenario.call('manage_booth_application', { action: 'withdraw', number: company.application })
    const late = await confirm()
    expect(late.status).toBe(400)
    expect(late.text).toContain('withdrawn')
    expect(await statusOf()).toBe('withdrawn')
  })
})

describe('console page of leads', () => {
  it('shows each lead with the data that its company sees', async () => {
    const { scenario } = fair
    const { participant } = await scenario.register({ pass: 1 }, { data: { '@participant.email': 'vera@example.org' } })
    await fair.manage('manage_lead', { action: 'create', companyId: company.id, participantId: participant.id })
    const seen = await analyst.get(`${base}/leads`)
    expect(seen.text).toMatch(/1 lead\..*Paula Person \d+.*vera@example.org.*Borealis.*By hand 0/)
    await scenario.world.database.pool.query(`update participants set sharing = '{"email": "restrict"}' where id = $1`, [participant.id])
    const restricted = await analyst.get(`${base}/leads?company=${company.id}`)
    expect(restricted.text).toContain('Email not shared')
    expect(restricted.text).not.toContain('vera@example.org')
    expect((await analyst.get(`${base}/leads?source=sdk`)).text).toContain('No leads found')
  })
})
