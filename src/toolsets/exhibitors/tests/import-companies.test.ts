import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Exhibitors, createExhibitorFixtures, buildRectangle } from '../../../../test/support/companies.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'
import { listCompanyDomains, removeLegalForm, toRegistrableDomain } from '../../../domains/imports/companies/company-names.ts'

describe('removeLegalForm', () => {
  it.each([
    ['ACME GmbH', 'acme'],
    ['Acme', 'acme'],
    ['Acme Inc.', 'acme'],
    ['Acme S.A.', 'acme'],
    ['Acme B.V.', 'acme'],
    ['Acme GmbH & Co. KG', 'acme'],
    ['Acme Tools Ltd', 'acme tools'],
    ['AG', 'ag'],
  ])('removes the legal form from %s', (name, bare) => {
    expect(removeLegalForm(name)).toBe(bare)
  })
})

describe('toRegistrableDomain', () => {
  it.each([
    ['www.borealis.example', 'borealis.example'],
    ['shop.borealis.co.uk', 'borealis.co.uk'],
    ['gmail.com', null],
    ['localhost', null],
    ['192.168.1.1', null],
  ])('finds the registrable domain of %s', (host, domain) => {
    expect(toRegistrableDomain(host)).toBe(domain)
  })
  it("derives the domain of a company from its website and its contact's email address", () => {
    expect(listCompanyDomains({ website: 'https://www.a.example/x', contactEmail: 'x@mail.b.example' })).toEqual(['a.example', 'b.example'])
  })
})

describe('import_companies', () => {
  it('finds organizations in the database by their name without legal form', async () => {
    const names = [
      'ACME GmbH & Co. KG',
      'Acme S.A.',
      'Acme S.R.L.',
      'Smith & Sons Ltd.',
      'Société Générale SA',
      'AG',
      'Ost A/S',
      'Co-op Ltd',
      'Limited Editions',
    ]
    const { rows } = await world.database.pool.query<{ name: string; bare: string }>(
      'select name, lanyard_bare_name(name) as bare from unnest($1::text[]) as name',
      [names],
    )
    expect(rows.map(({ bare }) => bare)).toEqual(names.map(removeLegalForm))
  })

  let world: World
  let home: EventHandle
  let exhibitors: Exhibitors
  let olga: OrganizerHandle
  const load = (rows: object[], more: object = {}) => olga.call('import_companies', { eventCode: home.eventCode, rows, ...more })
  const find = async (name: string) =>
    (await olga.call('manage_company', { eventCode: home.eventCode, action: 'get', name, include: ['booths'] })).company

  beforeAll(async () => {
    world = await newWorld()
    home = await world.event()
    exhibitors = createExhibitorFixtures(world, home)
    await exhibitors.plan({}, [
      { number: '101', polygon: buildRectangle(2, 2, 3, 3) },
      { number: '102', polygon: buildRectangle(8, 2, 3, 3) },
    ])
    olga = await world.organizer({ role: 'exhibits', at: home })
  })
  afterAll(() => world.end())

  it('creates 200 companies, and reports all of them as unchanged in a second import', async () => {
    const rows = Array.from({ length: 200 }, (_, i) => ({
      name: `Firm ${i} GmbH`,
      externalId: `crm-${i}`,
      website: `firm-${i}.example`,
      country: 'Germany',
      contactName: `Connie ${i}`,
      contactEmail: `connie@firm-${i}.example`,
    }))
    expect(await load(rows.slice(0, 5), { dryRun: true })).toMatchObject({ rows: 5, created: 5 })
    expect(await load(rows)).toMatchObject({ rows: 200, created: 200, updated: 0, unchanged: 0, invalidCount: 0, ambiguousCount: 0 })
    expect(await load(rows)).toMatchObject({ rows: 200, created: 0, updated: 0, unchanged: 200 })
    const few = rows.slice(0, 5)
    for (const match of ['externalId', 'name']) expect(await load(few, { match })).toMatchObject({ unchanged: 5 })
    expect(await load(few, { onMatch: 'skip' })).toMatchObject({ skipped: 5, unchanged: 0 })
    expect(await exhibitors.figure(`select count(*) as n from companies where name like 'Firm %'`)).toBe(200)
    expect((await exhibitors.listEmails()).length).toBe(0)
  })

  it('matches companies by name without legal form and by similar names with one domain, and creates the others', async () => {
    await load([{ name: 'Acme', website: 'acme.example' }])
    expect(await load([{ name: 'ACME GmbH' }])).toMatchObject({ created: 0, unchanged: 1 })
    expect(await load([{ name: 'Acme Tools', website: 'acme-tools.example' }])).toMatchObject({ created: 1 })
    await load([{ name: 'Boreal Systems', website: 'https://www.boreal.example' }])
    expect(await load([{ name: 'Boreal System', contactEmail: 'x@boreal.example', country: 'FR' }])).toMatchObject({
      updated: 1,
      created: 0,
    })
    expect(await load([{ name: 'Boreal Sistem', contactEmail: 'x@gmail.com' }])).toMatchObject({ created: 1 })
  })

  it('updates companies, fills their empty fields or renames them by id, and never imports an ambiguous row', async () => {
    await load([{ name: 'Cirrus', externalId: 'c-1', country: 'DE' }])
    expect(await load([{ name: 'Cirrus', country: 'FR', website: 'cirrus.example' }], { onMatch: 'fill' })).toMatchObject({ updated: 1 })
    expect(await find('Cirrus')).toMatchObject({ country: 'DE', website: 'https://cirrus.example/' })
    expect(await load([{ name: 'Cirrus Neo', externalId: 'c-1', country: 'FR' }])).toMatchObject({ updated: 1 })
    expect(await find('Cirrus Neo')).toMatchObject({ country: 'FR' })
    await load([{ name: 'Twin Ltd' }], { match: 'externalId' })
    await load([{ name: 'Twin AG' }], { match: 'externalId' })
    const unclear = await load([{ name: 'Twin' }, { name: 'Cirrus Neo', externalId: 'c-2' }])
    expect(unclear).toMatchObject({ rows: 2, created: 0, ambiguousCount: 2, ambiguous: [{ row: 1, candidates: [{}, {}] }, { row: 2 }] })
  })

  it('reports invalid rows of a company import, and assigns the given booths if they are available', async () => {
    const bad = [
      { name: 'Ok One', boothNumbers: ['101', '999'] },
      { name: 'Bad', contactEmail: 'no address' },
      { name: 'Worse', country: 'Nowhere' },
    ]
    const first = await load(bad)
    expect(first).toMatchObject({ rows: 3, created: 1, invalidCount: 2, booths: { assigned: 1, refused: [{ row: 1, number: '999' }] } })
    expect(first.invalid.map(({ row, path }: { row: number; path: string }) => [row, path])).toEqual([
      [2, 'contactEmail'],
      [3, 'country'],
    ])
    expect((await find('Ok One')).booths).toMatchObject([{ number: '101', areaM2: 9 }])
    expect(await load([{ name: 'Ok One', boothNumbers: ['101'] }])).toMatchObject({ unchanged: 1, booths: { refused: [] } })
    expect(await load([{ name: 'Ok One', boothNumbers: ['102'] }])).toMatchObject({ updated: 1, booths: { assigned: 1 } })
    const late = await load([{ name: 'Late', boothNumbers: ['102'] }])
    expect(late).toMatchObject({
      created: 1,
      booths: { assigned: 0, refused: [{ number: '102', reason: expect.stringContaining('assigned') }] },
    })
    const analyst = await world.organizer({ role: 'analyst', at: home })
    expect((await analyst.refused('import_companies', { eventCode: home.eventCode, rows: [] })).message).toContain('exhibitors.write')
  })

  it('recognizes organizations of earlier events without legal form and after a merge, and never guesses between several', async () => {
    const client = await world.client()
    const manager = await world.organizer({ role: 'exhibits', at: client })
    const [first, second] = [await world.event({ at: client, startsOn: '2026-05-01' }), await world.event({ at: client })]
    const importAt = async (at: EventHandle, ...names: string[]) => {
      await manager.call('import_companies', { eventCode: at.eventCode, rows: names.map((name) => ({ name })), match: 'externalId' })
      const { companies } = await manager.call('manage_company', { eventCode: at.eventCode, action: 'list', limit: 100 })
      const { rows } = await world.database.pool.query<{ id: string; organization_id: string }>(
        'select id, organization_id from companies where event_id = $1',
        [at.eventId],
      )
      const organizations = new Map(rows.map((row) => [row.id, row.organization_id]))
      return new Map<string, { id: string; organization: string }>(
        companies.map(({ id, name }: { id: string; name: string }) => [name, { id, organization: organizations.get(id)! }]),
      )
    }
    const before = await importAt(first, 'Nordlys AS', 'Duo Ltd', 'Duo AG', 'Kept', 'Dropped Tools')
    expect(before.get('Duo Ltd')!.organization).not.toBe(before.get('Duo AG')!.organization)
    const merge = { eventCode: first.eventCode, action: 'merge', keepId: before.get('Kept')!.id, dropId: before.get('Dropped Tools')!.id }
    const { confirmToken } = await manager.call('manage_company', { ...merge, dryRun: true })
    await manager.call('manage_company', { ...merge, confirmToken })
    const after = await importAt(second, 'Nordlys', 'Duo', 'Dropped Tools GmbH')
    expect(after.get('Nordlys')!.organization).toBe(before.get('Nordlys AS')!.organization)
    expect(after.get('Dropped Tools GmbH')!.organization).toBe(before.get('Kept')!.organization)
    expect([...before.values()].map(({ organization }) => organization)).not.toContain(after.get('Duo')!.organization)
  })
})
