import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ANA_BADGE, openShowFloor, requestLead, type ShowFloor } from '../../../../test/support/lead-requests.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../../../../test/support/server.ts'
import { newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'

describe('manage_lead', () => {
  let world: World
  let served: Served
  let floor: ShowFloor
  let olga: OrganizerHandle
  const manage = (more: object) => olga.call('manage_lead', { eventCode: floor.event.eventCode, ...more })
  const refused = (more: object) => olga.refused('manage_lead', { eventCode: floor.event.eventCode, ...more })
  const scan = async (company: { code: string }, badge = ANA_BADGE) => (await requestLead(served, floor.leadRequest(company, badge))).body
  const figure = (query: string) => floor.exhibitors.figure(query)

  beforeAll(async () => {
    world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
    await world.clock.stopAt('2027-03-01T08:30:00Z')
    floor = await openShowFloor(world, {
      exhibitorConfig: { leadVisibleFields: ['email', 'jobTitle', 'mobilePhone', 'cf:topics'], leadQualifiers: ['topics'] },
    } as never)
    served = await serve(world)
    olga = await world.organizer({ role: 'exhibits', at: floor.event })
  })
  afterAll(() => world.end())

  it('shows the contact fields of a lead that the company may see, also after the person restricts one of them', async () => {
    const company = await floor.createLicensedCompany()
    const scanned = await scan(company)
    const [lead] = (await manage({ action: 'list', companyId: company.id })).leads
    expect(lead).toMatchObject({ id: scanned.leadId, source: 'sdk', captures: 1, company: { companyId: company.id } })
    expect({ fields: lead.fields, customFields: lead.customFields }).toEqual({ fields: scanned.fields, customFields: scanned.customFields })
    await world.database.pool.query(`update participants set sharing = '{"email": "restrict"}' where id = $1`, [floor.ana])
    const { leads, history } = await manage({ action: 'get', leadId: lead.id })
    expect(Object.keys(leads[0].fields)).toEqual(['firstName', 'lastName', 'jobTitle', 'mobilePhone'])
    expect(history).toMatchObject([{ type: 'sdk', at: '2027-03-01T08:30:00.000Z' }])
    const find = async (search: string) => (await manage({ action: 'list', companyId: company.id, search })).leads.length
    expect([await find('lim'), await find('ana@example.org')]).toEqual([1, 0])
    await world.database.pool.query(`update participants set sharing = '{}' where id = $1`, [floor.ana])
    expect(await find('ana@example.org')).toBe(0)
  })

  it('lists the companies that captured a person in get_participant, without deleted leads', async () => {
    const [one, other] = [await floor.createLicensedCompany(), await floor.createLicensedCompany()]
    const participantId = await floor.people.person({ badge_id: 'ab'.repeat(8) })
    const read = async () =>
      (await olga.call('get_participant', { eventCode: floor.event.eventCode, participantId, include: ['leads'] })).leads
    expect(await read()).toEqual([])
    await scan(one, 'ab'.repeat(8))
    await scan(one, 'ab'.repeat(8))
    const { leadId } = await scan(other, 'ab'.repeat(8))
    await manage({ action: 'update', leadId, rating: 4 })
    expect(await read()).toMatchObject([
      { company: { companyId: one.id }, source: 'sdk', captures: 2, rating: null, lastCapturedAt: '2027-03-01T08:30:00.000Z' },
      { leadId, company: { companyId: other.id }, captures: 1, rating: 4 },
    ])
    await manage({ action: 'delete', leadId })
    expect(await read()).toHaveLength(1)
  })

  it('withholds phone numbers and answers of leads from users without personal.read', async () => {
    const company = await floor.createLicensedCompany()
    await scan(company)
    const analyst = await world.organizer({ role: 'analyst', at: floor.event })
    const { leads } = await analyst.call('manage_lead', { eventCode: floor.event.eventCode, action: 'list', companyId: company.id })
    expect(leads[0].fields).toEqual({ firstName: 'Ana', lastName: 'Lima', email: 'ana@example.org', jobTitle: 'CTO' })
    expect(leads[0]).not.toHaveProperty('customFields')
    expect(leads[0]).not.toHaveProperty('qualifiers')
  })

  it('reports captures by hour, day, staff and device that match the leads and the captured scans', async () => {
    const company = await floor.createLicensedCompany()
    await floor.people.person({ badge_id: 'c'.repeat(16) })
    await floor.exhibitors.device(company.id)
    for (const [at, badge] of [
      ['2027-03-01T09:10:00Z', ANA_BADGE],
      ['2027-03-01T09:50:00Z', ANA_BADGE],
      ['2027-03-01T23:30:00Z', 'c'.repeat(16)],
      ['2027-03-02T10:00:00Z', ANA_BADGE],
    ] as const) {
      await world.clock.stopAt(at)
      await scan(company, badge)
    }
    await world.renewTokens()
    const other = await floor.people.person()
    await manage({ action: 'create', companyId: company.id, participantId: other, note: 'Wants a quote' })
    const rows = await figure(`select count(*) as n from lead_captures where company_id = '${company.id}' and type in ('sdk', 'device')`)
    for (const by of ['hour', 'day', 'staff', 'device']) {
      const { stats } = await manage({ action: 'stats', companyId: company.id, by })
      expect(stats.totals).toEqual({ leads: 3, captures: rows })
      expect(stats.rows.reduce((sum: number, row: { captures: number }) => sum + row.captures, 0)).toBe(4)
    }
    const { stats } = await manage({ action: 'stats', companyId: company.id, by: 'hour' })
    // Hours are in the event's time zone, Europe/Berlin.
    expect(stats.rows[0]).toEqual({ key: '2027-03-01T10:00', leads: 1, captures: 2 })
    expect((await manage({ action: 'stats', companyId: company.id, by: 'day' })).stats.rows.map(({ key }: { key: string }) => key)).toEqual(
      ['2027-03-01', '2027-03-02'],
    )
  })

  it('creates a lead without counting a scan, and refuses a second lead for the same person', async () => {
    const company = await floor.createLicensedCompany()
    const person = await floor.people.person({ badge_id: 'd'.repeat(16) })
    const made = await manage({ action: 'create', companyId: company.id, badgeId: 'D'.repeat(16), note: 'Met at lunch' })
    expect(made.leads[0]).toMatchObject({
      participantId: person,
      source: 'manual',
      captures: 0,
      notes: 'Met at lunch',
    })
    expect(made.history).toMatchObject([{ type: 'manual' }])
    expect(await refused({ action: 'create', companyId: company.id, participantId: person })).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(made.leads[0].id),
    })
    expect((await scan(company, 'd'.repeat(16))).captures).toBe(1)
  })

  it('refuses leads of cancelled, unfinished or test participants, and leads dated in the future', async () => {
    const company = await floor.createLicensedCompany()
    const people = {
      cancelled: await floor.people.person({ status: 'cancelled', cancelled_at: new Date('2027-02-01') }),
      unfinished: await floor.people.person({ status: 'incomplete' }),
      test: await floor.people.person({ is_test_data: true }),
    }
    for (const participantId of Object.values(people))
      expect((await refused({ action: 'create', companyId: company.id, participantId })).code).toBe('precondition_failed')
    const future = { participantId: floor.ana, at: '2028-01-01T00:00:00.000Z' }
    expect((await refused({ action: 'create', companyId: company.id, ...future })).message).toContain('must not be in the future')
    expect((await refused({ action: 'create', companyId: company.id })).message).toContain('either participantId or badgeId')
    expect(await figure(`select count(*) as n from leads where company_id = '${company.id}'`)).toBe(0)
  })

  it('edits rating, notes, tags and answers of a lead, and rejects answers that its question does not accept', async () => {
    const company = await floor.createLicensedCompany()
    const { leadId } = await scan(company)
    const edited = await manage({ action: 'update', leadId, rating: 4, tags: ['hot'], qualifiers: { topics: ['ai'] } })
    expect(edited).toMatchObject({ changed: ['rating', 'tags', 'qualifiers'], leads: [{ rating: 4, qualifiers: { topics: ['ai'] } }] })
    expect(await manage({ action: 'update', leadId, rating: 4 })).toMatchObject({ changed: [] })
    expect(await manage({ action: 'update', leadId, clear: ['rating', 'qualifiers'] })).toMatchObject({
      leads: [{ rating: null, qualifiers: {} }],
    })
    expect((await refused({ action: 'update', leadId, qualifiers: { topics: ['no'] } })).message).toContain('qualifiers/topics')
    expect((await refused({ action: 'update', leadId, notes: 'late', ifRevision: 1 })).code).toBe('conflict')
    expect(await manage({ action: 'list', companyId: company.id, minRating: 1 })).toMatchObject({ leads: [], total: 0 })
  })

  it('moves a lead with its captures to another company, and merges it with a lead that the company already has', async () => {
    const [wrong, right] = [await floor.createLicensedCompany(), await floor.createLicensedCompany()]
    const { leadId } = await scan(wrong)
    await scan(wrong)
    await manage({ action: 'update', leadId, rating: 3, notes: 'Two machines' })
    const moved = await manage({ action: 'move', leadId, toCompanyId: right.id })
    expect(moved).toMatchObject({ changed: ['company'], leads: [{ id: leadId, captures: 2, company: { companyId: right.id } }] })
    expect(moved).not.toHaveProperty('joined')
    for (let i = 0; i < 3; i++) await scan(wrong)
    const [second] = (await manage({ action: 'list', companyId: wrong.id })).leads
    await manage({ action: 'update', leadId: second.id, rating: 5, notes: 'One machine' })
    const joined = await manage({ action: 'move', leadId: second.id, toCompanyId: right.id })
    expect(joined).toMatchObject({ joined: true, leads: [{ id: leadId, captures: 5, rating: 3, notes: 'Two machines\nOne machine' }] })
    expect(joined.history).toHaveLength(5)
    expect((await manage({ action: 'list', companyId: wrong.id })).leads).toEqual([])
    expect(await manage({ action: 'move', leadId, toCompanyId: right.id })).toMatchObject({ changed: [] })
    const test = await floor.exhibitors.company({ isTestData: true })
    expect((await refused({ action: 'move', leadId, toCompanyId: test.id })).code).toBe('precondition_failed')
  })

  it('hides a deleted lead until it is restored or scanned again, and then continues its capture count', async () => {
    const company = await floor.createLicensedCompany()
    const { leadId } = await scan(company)
    const shown = async (includeDeleted: boolean) =>
      (await manage({ action: 'list', companyId: company.id, includeDeleted })).leads.map(({ status }: { status: string }) => status)
    expect(await manage({ action: 'delete', leadId })).toMatchObject({ changed: ['status'], leads: [{ status: 'deleted' }] })
    expect(await manage({ action: 'delete', leadId })).toMatchObject({ changed: [] })
    expect([await shown(false), await shown(true)]).toEqual([[], ['deleted']])
    expect(await manage({ action: 'restore', leadId })).toMatchObject({ leads: [{ status: 'active', captures: 1 }] })
    await manage({ action: 'delete', leadId })
    expect((await scan(company)).captures).toBe(2)
    expect(await shown(false)).toEqual(['active'])
  })
})
