import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildDoubleRow } from '../../../../test/support/booths.ts'
import {
  ANA_BADGE,
  LEAD_PRODUCTS,
  openShowFloor,
  requestDevice,
  requestLead,
  type ShowFloor,
} from '../../../../test/support/lead-requests.ts'
import { WORKED_EXAMPLE } from '../../../../test/support/worked-example.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../../../../test/support/server.ts'
import { newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'

describe('manage_company', () => {
  let world: World
  let served: Served
  let floor: ShowFloor
  let olga: OrganizerHandle
  const manage = (more: object) => olga.call('manage_company', { eventCode: floor.event.eventCode, ...more })
  const refused = (more: object) => olga.refused('manage_company', { eventCode: floor.event.eventCode, ...more })
  const scan = (company: { code: string }, badge = ANA_BADGE) => requestLead(served, floor.leadRequest(company, badge))
  const figure = (query: string) => floor.exhibitors.figure(query)
  const count = (table: string, companyId: string, more = '') =>
    figure(`select count(*) as n from ${table} where company_id = '${companyId}' ${more}`)
  const addStaff = async (companyId: string, email: string, role = 'staff', status = 'invited') => {
    const id = Math.random().toString(16).slice(2).padEnd(24, '0').slice(0, 24)
    await world.database.pool.query(
      `insert into exhibitor_staff (tenant_id, event_id, id, company_id, is_test_data, name, email, role, status, participant_id)
       select tenant_id, event_id, $2, id, false, $3, $3, $4, $5, $6 from companies where id = $1`,
      [companyId, id, email, role, status, status === 'registered' ? floor.ana : null],
    )
    return id
  }

  beforeAll(async () => {
    world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
    await world.clock.stopAt('2027-02-20T08:00:00Z')
    floor = await openShowFloor(world, {
      products: LEAD_PRODUCTS,
      exhibitorConfig: {
        categories: [{ code: 'robots', name: 'Robots' }],
        meetingHours: [{ day: '2027-03-01', from: '10:00', until: '12:00' }],
      },
    } as never)
    await floor.exhibitors.plan({}, buildDoubleRow())
    served = await serve(world)
    olga = await world.organizer({ role: 'exhibits', at: floor.event })
  })
  afterAll(() => world.end())

  it('returns the same activation code for a repeated idempotency key, and stores the code only encrypted', async () => {
    const call = { action: 'create', name: 'Keyed company', idempotencyKey: 'keyed-company' }
    const made = await manage(call)
    expect(made.company.activationCode).toMatch(/^[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$/)
    expect(await manage(call)).toEqual(made)
    const { rows } = await world.database.pool.query<{ stored: string }>('select row_to_json(k)::text as stored from idempotency_keys k')
    expect(rows.length).toBeGreaterThan(0)
    for (const { stored } of rows) expect(stored).not.toContain(made.company.activationCode)
  })

  it('creates, finds, lists and edits companies, and refuses a name that is taken', async () => {
    const made = await manage({
      action: 'create',
      name: 'Borealis GmbH',
      fields: {
        website: 'borealis.example',
        categories: ['robots'],
        contact: { name: 'Bea', email: 'bea@borealis.example', phone: '+49 1' },
        sponsorAmount: { amount: '5000.00', currency: 'EUR' },
        externalId: 'crm-1',
      },
    })
    const { id, code, activationCode } = made.company
    expect(made.company).toMatchObject({
      code: 'borealis-gmbh',
      status: 'prospect',
      website: 'https://borealis.example/',
      contact: { name: 'Bea', email: 'bea@borealis.example', phone: '+49 1' },
      sponsorAmount: { amount: '5000.00', currency: 'EUR' },
    })
    expect(activationCode).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/)
    for (const named of [{ companyId: id }, { code }, { name: 'BOREALIS gmbh' }])
      expect((await manage({ action: 'get', ...named })).company.id).toBe(id)
    expect(await refused({ action: 'create', name: 'borealis  GmbH' })).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(id),
    })
    const other = (await manage({ action: 'create', name: 'Cumulus' })).company
    expect(await refused({ action: 'update', companyId: other.id, name: 'Borealis GmbH' })).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(id),
    })
    expect((await refused({ action: 'update', companyId: other.id, fields: { externalId: 'crm-1' } })).code).toBe('conflict')
    expect((await refused({ action: 'update', companyId: other.id, fields: { categories: ['cars'] } })).message).toContain('cars')
    expect((await refused({ action: 'update', companyId: other.id, fields: { website: 'no address' } })).message).toContain('website')
    const edited = await manage({ action: 'update', companyId: id, fields: { description: 'Robots', sponsorLevel: 'gold' } })
    expect(edited).toMatchObject({ changed: ['description', 'sponsorLevel'], company: { revision: 2, sponsorLevel: 'gold' } })
    expect(await manage({ action: 'update', companyId: id, fields: { sponsorLevel: 'gold' } })).toMatchObject({ changed: [] })
    expect((await refused({ action: 'update', companyId: id, fields: { description: 'x' }, ifRevision: 1 })).code).toBe('conflict')
    const found = await manage({ action: 'list', search: 'boreal', category: 'robots', hasBooth: false })
    expect(found).toMatchObject({ companies: [{ id, boothNumbers: [], hasLicence: false }], total: 1 })
    const everything = ['staff', 'booths', 'applications', 'licences', 'devices', 'leadStats', 'points', 'order', 'appointments']
    expect((await manage({ action: 'get', companyId: id, include: everything })).company).toMatchObject({
      staff: [],
      booths: [],
      devices: { seats: { total: 0 } },
      leadStats: { totals: { leads: 0, captures: 0 } },
      points: { total: 0 },
      order: { number: null },
    })
  })

  it('shows the activation code only to users who may change companies', async () => {
    const company = await floor.exhibitors.company()
    const analyst = await world.organizer({ role: 'analyst', at: floor.event })
    const seen = (await analyst.call('manage_company', { eventCode: floor.event.eventCode, action: 'get', companyId: company.id })).company
    expect(seen).not.toHaveProperty('activationCode')
    expect(seen.contact).not.toHaveProperty('phone')
    expect((await manage({ action: 'get', companyId: company.id })).company.activationCode).toBe(company.code)
  })

  it('invalidates the old activation code of a company when it is replaced, while activated devices keep working', async () => {
    const company = await floor.exhibitors.company()
    await floor.license(company.id, ['sdk', 'device'])
    const { event } = floor
    const codes = { tenantCode: event.tenantCode, clientCode: event.clientCode, eventCode: event.eventCode }
    const activated = await requestDevice(served, '', { body: { ...codes, activationCode: company.code, name: 'Phone', platform: 'ios' } })
    expect(activated.status).toBe(201)
    expect((await scan(company)).status).toBe(200)
    const rotated = await manage({ action: 'rotate_activation_code', companyId: company.id })
    expect(rotated.company.activationCode).not.toBe(company.code)
    expect((await scan(company)).status).toBe(401)
    expect((await scan({ code: rotated.company.activationCode })).status).toBe(200)
    expect((await scan({ code: rotated.company.activationCode.toLowerCase().replaceAll('-', '') })).status).toBe(200)
    expect((await requestDevice(served, '/leads', { token: activated.body.deviceToken })).status).toBe(200)
    const { rows } = await world.database.pool.query<{ t: string }>(
      `select targets::text as t from audit_entries where tool = 'manage_company'`,
    )
    expect(rows.some(({ t }) => t.includes(company.code) || t.includes(rotated.company.activationCode))).toBe(false)
  })

  it('lists a competitor at both companies, and removes the entry at both', async () => {
    const [a, b, c] = [await floor.exhibitors.company(), await floor.exhibitors.company(), await floor.exhibitors.company()]
    const rivals = async (companyId: string) =>
      (await manage({ action: 'get', companyId })).company.competitors.map((one: { companyId: string }) => one.companyId)
    expect(await manage({ action: 'set_competitors', companyId: a.id, competitorIds: [b.id, c.id, b.id] })).toMatchObject({
      changed: ['competitors'],
    })
    expect([await rivals(b.id), await rivals(c.id)]).toEqual([[a.id], [a.id]])
    await manage({ action: 'set_competitors', companyId: b.id, competitorIds: [] })
    expect([await rivals(a.id), await rivals(b.id)]).toEqual([[c.id], []])
    expect(await manage({ action: 'set_competitors', companyId: a.id, competitorIds: [c.id] })).toMatchObject({ changed: [] })
    expect((await refused({ action: 'set_competitors', companyId: a.id, competitorIds: [a.id] })).message).toContain('own competitor')
    const test = await floor.exhibitors.company({ isTestData: true })
    expect((await refused({ action: 'set_competitors', companyId: a.id, competitorIds: [test.id] })).code).toBe('precondition_failed')
  })

  it('grants and revokes licences of a company, but does not revoke a paid licence', async () => {
    const company = await floor.exhibitors.company()
    expect((await scan(company)).status).toBe(403)
    const reason = 'Sponsor package'
    expect((await refused({ action: 'grant_licence', companyId: company.id, productCode: 'pass', seats: 1, reason })).message).toContain(
      'lead-app',
    )
    const granted = await manage({ action: 'grant_licence', companyId: company.id, productCode: 'lead-app', seats: 1, reason })
    expect((await scan(company)).status).toBe(200)
    const [{ licenceId }] = granted.company.licences
    expect(await manage({ action: 'revoke_licence', licenceId })).toMatchObject({ changed: ['licences'] })
    expect(await manage({ action: 'revoke_licence', licenceId })).toMatchObject({ changed: [] })
    expect((await scan(company)).status).toBe(403)
    await floor.buyLeadProduct({ companyId: company.id }, 'lead-app')
    const { licences } = (await manage({ action: 'get', companyId: company.id, include: ['licences'] })).company
    const bought = licences.find((one: { orderLineId?: string }) => one.orderLineId !== undefined)
    expect((await refused({ action: 'revoke_licence', licenceId: bought.licenceId })).message).toContain('credit the order line')
    expect((await scan(company)).status).toBe(200)
  })

  it('counts no seats of a licence until its invoice is paid, if the event requires it', async () => {
    const unpaid = await openShowFloor(world, {
      products: LEAD_PRODUCTS,
      exhibitorConfig: { leadLicencesNeedPayment: true },
    } as never)
    const { id: companyId } = await unpaid.exhibitors.company()
    await unpaid.buyLeadProduct({ companyId }, 'lead-device')
    const admin = await world.organizer({ role: 'exhibits', at: unpaid.event })
    const at = { eventCode: unpaid.event.eventCode }
    const read = async () => {
      const { seats } = await admin.call('manage_device', { ...at, action: 'list', companyId })
      const { companies } = await admin.call('manage_company', { ...at, action: 'list', hasLicence: true })
      const { company } = await admin.call('manage_company', { ...at, action: 'get', companyId, include: ['licences'] })
      return { seats, found: companies.length, licences: company.licences.map((one: any) => [one.seats, one.validSeats]) }
    }
    expect(await read()).toEqual({ seats: { total: 0, used: 0, left: 0 }, found: 0, licences: [[1, 0]] })
    await unpaid.people.pays({ companyId }, 20_000)
    expect(await read()).toEqual({ seats: { total: 1, used: 0, left: 1 }, found: 1, licences: [[1, 1]] })
  })

  it("adjusts the priority points of the company's organization", async () => {
    const company = await floor.exhibitors.company()
    await manage({ action: 'adjust_points', companyId: company.id, points: 12.5, reason: 'Host of the dinner' })
    const after = await manage({ action: 'adjust_points', companyId: company.id, points: -2, reason: 'Late payment' })
    expect(after.company.points).toMatchObject({ total: 10.5 })
    expect((await refused({ action: 'adjust_points', companyId: company.id, points: 0, reason: 'x' })).message).toContain('not 0')
  })

  it('merges two companies: leads with 2 and 3 captures become one lead with 5, and all other records move', async () => {
    const [keep, drop, rival] = [await floor.exhibitors.company(), await floor.exhibitors.company(), await floor.exhibitors.company()]
    for (const { id } of [keep, drop]) await floor.license(id, ['sdk', 'device'])
    const bo = await floor.people.person({ badge_id: 'e'.repeat(16) })
    for (let i = 0; i < 2; i++) await scan(keep)
    for (let i = 0; i < 3; i++) await scan(drop)
    await scan(drop, 'e'.repeat(16))
    await floor.exhibitors.device(drop.id)
    await floor.exhibitors.assign('101', drop.id)
    await addStaff(keep.id, 'both@example.org', 'staff')
    await addStaff(drop.id, 'both@example.org', 'admin', 'registered')
    const own = await addStaff(drop.id, 'own@example.org')
    const slot = await floor.exhibitors.offerSlot(
      { companyId: drop.id },
      { startsAt: '2027-03-02T10:00:00Z', endsAt: '2027-03-02T10:30:00Z', staffId: own },
    )
    const leadOfBo = await figure(`select count(*) as n from leads where company_id = '${drop.id}' and participant_id = '${bo}'`)
    expect(leadOfBo).toBe(1)
    await world.database.pool.query('update leads set staff_id = $1 where company_id = $2 and participant_id = $3', [own, drop.id, bo])
    await manage({ action: 'set_competitors', companyId: drop.id, competitorIds: [rival.id, keep.id] })
    const preview = await manage({ action: 'merge', keepId: keep.id, dropId: drop.id, dryRun: true })
    expect(preview).toMatchObject({ dryRun: true, effects: { deletes: 1 }, moved: { leads: 2, leadsJoined: 1, booths: 1 } })
    expect(await count('leads', drop.id)).toBe(2)
    const merged = await manage({ action: 'merge', keepId: keep.id, dropId: drop.id })
    expect(merged.moved).toMatchObject({ leads: 2, leadsJoined: 1, booths: 1, licences: 2, devices: 1, staff: 2, offerings: 5 })
    expect(await figure(`select captures as n from leads where company_id = '${keep.id}' and participant_id = '${floor.ana}'`)).toBe(5)
    expect(await count('lead_captures', keep.id)).toBe(6)
    for (const table of ['leads', 'lead_captures', 'lead_devices', 'lead_licences', 'exhibitor_staff', 'offerings', 'booth_assignments'])
      expect([table, await count(table, drop.id)]).toEqual([table, 0])
    expect(
      await figure(`select count(*) as n from offerings where id = '${slot}' and staff_id = '${own}' and company_id = '${keep.id}'`),
    ).toBe(1)
    expect(await count('leads', keep.id, `and staff_id = '${own}'`)).toBe(1)
    expect(await count('exhibitor_staff', keep.id, `and email = 'both@example.org' and status = 'registered' and role = 'admin'`)).toBe(1)
    expect(merged.company.competitors).toMatchObject([{ companyId: rival.id }])
    expect((await manage({ action: 'get', companyId: drop.id })).company).toMatchObject({ status: 'cancelled', competitors: [] })
    expect((await scan(drop)).status).toBe(401)
    expect((await scan(keep)).body.captures).toBe(6)
    expect((await refused({ action: 'merge', keepId: drop.id, dropId: keep.id })).code).toBe('precondition_failed')
    const test = await floor.exhibitors.company({ isTestData: true })
    expect((await refused({ action: 'merge', keepId: keep.id, dropId: test.id })).code).toBe('precondition_failed')
  })

  it('ends booths, appointments, licences and devices when a company is cancelled, and keeps leads and staff', async () => {
    const company = await floor.exhibitors.company({ name: 'Nimbus' })
    await floor.license(company.id, ['sdk', 'device'])
    await floor.exhibitors.device(company.id)
    await scan(company)
    await addStaff(company.id, 'stay@example.org', 'admin')
    await floor.exhibitors.assign('103', company.id)
    const [slot] = await floor.exhibitors.slots(company.id)
    await world.database.pool.query(
      `insert into appointments (tenant_id, event_id, id, offering_id, seat, kind, participant_id, company_id, is_test_data, starts_at, ends_at, status, booked_by)
       select tenant_id, event_id, reverse(id), id, 1, 'exhibitor', $2, company_id, false, starts_at, ends_at, 'booked', 'test' from offerings where id = $1`,
      [slot!.id, floor.ana],
    )
    const before = (await floor.exhibitors.listEmails()).length
    const cancelled = await manage({ action: 'cancel', companyId: company.id, reason: 'Insolvent' })
    expect(cancelled).toMatchObject({ changed: ['status'], moved: { booths: 1, appointments: 1, licences: 2, devices: 1 } })
    const emails = (await floor.exhibitors.listEmails()).slice(before)
    expect(emails).toMatchObject([{ to: 'ana@example.org', text: expect.stringContaining('Insolvent') }])
    expect(await count('lead_devices', company.id, `and status = 'active'`)).toBe(0)
    expect(await count('leads', company.id)).toBe(1)
    expect(await count('exhibitor_staff', company.id, `and status <> 'removed'`)).toBe(1)
    expect((await scan(company)).status).toBe(401)
    await floor.exhibitors.assign('103', (await floor.exhibitors.company()).id)
    expect(await manage({ action: 'cancel', companyId: company.id, reason: 'Again' })).toMatchObject({ changed: [] })
    expect((await refused({ action: 'rotate_activation_code', companyId: company.id })).code).toBe('precondition_failed')
    expect(await manage({ action: 'update', companyId: company.id, status: 'active' })).toMatchObject({ changed: ['status'] })
  })

  it('refuses to invite companies without an exhibitor flow, and emails each contact a link to the flow', async () => {
    const made = await manage({
      action: 'create',
      name: 'Stratus',
      fields: { contact: { name: 'Stella', email: 'stella@stratus.example' } },
    })
    const silent = await manage({ action: 'create', name: 'Silent' })
    const companyIds = [made.company.id, silent.company.id]
    expect((await refused({ action: 'invite', companyIds })).message).toContain('no flow of kind exhibitor')
    const flow = { ...WORKED_EXAMPLE.flows[0]!, slug: 'exhibitors', kind: 'exhibitor', name: 'Exhibitors' }
    await floor.exhibitors.publish({ flows: [...WORKED_EXAMPLE.flows, flow] } as never)
    const registrar = await world.organizer({ role: 'registrar', at: floor.event })
    const place = { eventCode: floor.event.eventCode }
    expect((await registrar.refused('manage_company', { ...place, action: 'invite', companyIds })).message).toContain('exhibitors.write')
    const sent = await manage({ action: 'invite', companyIds, message: 'See you in Berlin' })
    expect(sent).toEqual({ queued: 1, skipped: [{ reason: 'no email address', count: 1 }] })
    const email = (await floor.exhibitors.listEmails()).at(-1)!
    expect(email).toMatchObject({ to: 'stella@stratus.example', code: 'company.invited', subject: expect.stringContaining('Stratus') })
    const link = /https?:\S+\/register\/exhibitors/.exec(email.text)![0]
    expect((await fetch(link)).status).toBe(200)
    expect(email.text).toContain('See you in Berlin')
    expect((await manage({ action: 'get', companyId: made.company.id })).company.status).toBe('invited')
    expect(await manage({ action: 'invite', companyIds: [made.company.id] })).toMatchObject({ queued: 1 })
  })
})
