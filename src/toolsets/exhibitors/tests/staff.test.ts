import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BOOTH_SECTIONS } from '../../../../test/support/booths.ts'
import { type Exhibitors, createExhibitorFixtures, buildRectangle } from '../../../../test/support/companies.ts'
import { createRegistrationFixtures } from '../../../../test/support/registrations.ts'
import { calculateAllotment } from '../../../domains/exhibitors/staff/allotment.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'

describe('calculateAllotment', () => {
  const rules = { base: 2, areaStep: 9, perStep: 2, max: null }
  it.each([
    [0, 2],
    [9, 4],
    [9.01, 6],
    [18, 6],
    [18.0000001, 6],
  ])('allots a company with %d m² a total of %d free staff passes', (area, total) => {
    expect(calculateAllotment(rules, area, 0).total).toBe(total)
  })
  it('limits the free passes by booth area, and then adds the passes that the organizer granted', () => {
    expect(calculateAllotment({ ...rules, max: 5 }, 18, 0)).toEqual({ base: 2, byArea: 3, extra: 0, total: 5 })
    expect(calculateAllotment({ ...rules, max: 5 }, 18, 2).total).toBe(7)
    expect(calculateAllotment({ ...rules, max: 1 }, 18, -3).total).toBe(0)
  })
})

describe('manage_exhibitors', () => {
  let world: World
  let home: EventHandle
  let exhibitors: Exhibitors
  let olga: OrganizerHandle
  let people = 0
  let booth = 0
  const manage = (more: object) => olga.call('manage_exhibitors', { eventCode: home.eventCode, ...more })
  const refused = (more: object) => olga.refused('manage_exhibitors', { eventCode: home.eventCode, ...more })
  const person = (more: object = {}) => ({
    firstName: 'Pat',
    lastName: `Nr ${++people}`,
    email: `pat-${people}@example.org`,
    role: 'staff',
    ...more,
  })
  const figure = (query: string) => exhibitors.figure(query)
  /** Creates a company with the given number of booths of 9 m². */
  const company = async (booths: number, name?: string) => {
    const { id } = await exhibitors.company({ appointmentsEnabled: false, ...(name === undefined ? {} : { name }) })
    const numbers = Array.from({ length: booths }, () => String(200 + ++booth))
    for (const number of numbers) await exhibitors.assign(number, id)
    return { id, numbers }
  }

  beforeAll(async () => {
    world = await newWorld()
    home = await world.event()
    await world.database.pool.query('update events set test_mode = false where id = $1', [home.eventId])
    exhibitors = createExhibitorFixtures(world, home)
    const [attendee] = BOOTH_SECTIONS.flows
    await exhibitors.publish({
      ...BOOTH_SECTIONS,
      flows: [...BOOTH_SECTIONS.flows, { ...attendee!, slug: 'exhibitor', kind: 'exhibitor', name: 'Exhibitors' }],
      products: [
        ...BOOTH_SECTIONS.products,
        { code: 'staff-pass', name: 'Staff pass', category: 'admission', taxCode: 'vat-20', prices: [{ amount: '50.00' }] },
      ],
      exhibitorConfig: { ...BOOTH_SECTIONS.exhibitorConfig, staffPassProduct: 'staff-pass' },
    } as never)
    const row = Array.from({ length: 20 }, (_, i) => ({
      number: String(201 + i),
      polygon: buildRectangle(1 + 4 * (i % 7), 2 + 6 * Math.floor(i / 7), 3, 3),
    }))
    await exhibitors.plan({}, row)
    olga = await world.organizer({ role: 'exhibits', at: home })
  })
  afterAll(() => world.end())

  it('grants 6 of ten concurrent staff members a free pass for 18 m², and keeps all 6 when 9 m² are vacated', async () => {
    const { id: companyId, numbers } = await company(2, 'Borealis')
    const calls = Array.from({ length: 10 }, () => manage({ action: 'add', companyId, people: [person()], pass: 'free' }))
    const results = await Promise.allSettled(calls)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(6)
    const errors = results.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))
    expect(new Set(errors)).toEqual(new Set(['Error: manage_exhibitors was refused: Allotment of Borealis is 6, used 6']))
    expect((await manage({ action: 'list', companyId })).allotment).toEqual({ base: 2, byArea: 4, extra: 0, used: 6, left: 0 })
    await olga.call('manage_booths', { eventCode: home.eventCode, action: 'vacate', number: numbers[0], reason: 'Smaller' }).catch(() =>
      world.database.pool.query(
        `with closed as (update booth_assignments set until = "from" where booth_id = (select id from booths where number = $1) returning booth_id)
         update booths set status = 'available' where id in (select booth_id from closed)`,
        [numbers[0]],
      ),
    )
    const after = await manage({ action: 'list', companyId })
    expect(after.allotment).toEqual({ base: 2, byArea: 2, extra: 0, used: 6, left: 0 })
    expect(after.total).toBe(6)
    expect((await refused({ action: 'add', companyId, people: [person()], pass: 'free' })).message).toBe(
      'Allotment of Borealis is 4, used 6',
    )
    await manage({ action: 'set_allotment', companyId, extra: 3, reason: 'Sponsor' })
    expect(await manage({ action: 'add', companyId, people: [person()], pass: 'free' })).toMatchObject({
      allotment: { extra: 3, used: 7, left: 0 },
    })
    expect((await refused({ action: 'add', companyId, people: [person()], pass: 'free' })).code).toBe('limit_exceeded')
  })

  it("sells staff passes beyond the allotment on the company's order, and credits a pass that is removed", async () => {
    const { id: companyId } = await company(0)
    const added = await manage({ action: 'add', companyId, people: [person(), person(), person()] })
    expect(added.exhibitors.map(({ pass }: { pass: string }) => pass)).toEqual(['free', 'free', 'paid'])
    const balance = () =>
      figure(
        `select coalesce(sum(l.total), 0) as n from order_lines l join orders o on o.id = l.order_id where o.company_id = '${companyId}'`,
      )
    expect(await balance()).toBe(6000)
    expect(await manage({ action: 'add', companyId, people: [person()], pass: 'paid' })).toMatchObject({ allotment: { used: 2 } })
    expect(await balance()).toBe(12_000)
    await manage({ action: 'remove', staffId: added.exhibitors[2].staffId })
    expect(await balance()).toBeLessThan(12_000)
    expect((await manage({ action: 'list', companyId })).allotment).toMatchObject({ used: 2, left: 0 })
  })

  it('registers booth staff with the exhibitor flow, links an address that is already registered, and activates the company', async () => {
    const known = await createRegistrationFixtures(world, home).person({ email: 'Known@example.org' })
    const { id: companyId } = await company(1)
    await world.database.pool.query(`update companies set status = 'invited' where id = $1`, [companyId])
    const admin = person({ role: 'admin', jobTitle: 'Engineer' })
    const crew = [admin, person({ email: 'known@example.org' })]
    const preview = await manage({ action: 'add', companyId, people: crew, register: true, dryRun: true })
    expect(preview.exhibitors.map(({ result }: { result: string }) => result)).toEqual(['created', 'linked'])
    const { exhibitors: added } = await manage({ action: 'add', companyId, people: [...crew, crew[1]], register: true })
    expect(added).toMatchObject([
      { result: 'created', status: 'registered', role: 'admin' },
      { result: 'linked', participantId: known },
    ])
    expect(await figure(`select count(*) as n from participants where company_id = '${companyId}' and status = 'complete'`)).toBe(2)
    expect(await figure(`select count(*) as n from participants where flow_slug = 'exhibitor' and job_title = 'Engineer'`)).toBe(1)
    expect(await figure(`select count(*) as n from companies where id = '${companyId}' and status = 'active'`)).toBe(1)
    expect(await manage({ action: 'add', companyId, people: crew, register: true })).toMatchObject({
      exhibitors: [{ result: 'skipped' }, { result: 'skipped' }],
    })
    const other = await company(0)
    expect(await refused({ action: 'add', companyId: other.id, people: [crew[1]], register: true })).toMatchObject({ code: 'conflict' })
    const [{ staffId }] = added
    expect((await refused({ action: 'update', staffId, role: 'staff' })).message).toContain('last admin')
    expect((await refused({ action: 'remove', staffId })).message).toContain('last admin')
    await manage({ action: 'update', staffId: added[1].staffId, role: 'admin' })
    expect(await manage({ action: 'update', staffId, role: 'staff' })).toMatchObject({ changed: ['role'] })
    const moved = await manage({ action: 'update', staffId, companyId: other.id })
    expect(moved).toMatchObject({ changed: ['company'], exhibitors: [{ company: { companyId: other.id } }], allotment: { used: 1 } })
    const gone = await manage({ action: 'remove', staffId, cancelRegistration: true })
    expect(gone).toMatchObject({ exhibitors: [{ status: 'removed' }], allotment: { used: 0 } })
    expect(
      await figure(`select count(*) as n from participants where status = 'cancelled' and job_title = 'Engineer' and company_id is null`),
    ).toBe(1)
  })

  it('invites booth staff once, and again only with resend', async () => {
    const { id: companyId } = await company(0)
    const { exhibitors: added } = await manage({ action: 'add', companyId, people: [person(), person()] })
    expect(await manage({ action: 'invite', companyId })).toEqual({ queued: 2, skipped: [] })
    expect(await manage({ action: 'invite', companyId })).toEqual({ queued: 0, skipped: [{ reason: 'invited before', count: 2 }] })
    expect(await manage({ action: 'invite', staffIds: [added[0].staffId], resend: true })).toEqual({ queued: 1, skipped: [] })
    const emails = (await exhibitors.listEmails()).slice(-3)
    expect(emails.map(({ to }) => to)).toEqual([added[0].email, added[1].email, added[0].email])
    expect(emails[0]!.text).toContain('/register/exhibitor')
    expect((await refused({ action: 'invite' })).message).toContain('either staffIds or companyId')
  })

  it('refuses a paid staff pass if the event configures no product for it', async () => {
    const { id: companyId } = await company(0)
    const bare = await world.event()
    const there = createExhibitorFixtures(world, bare)
    await there.publish({})
    const { id } = await there.company()
    const admin = await world.organizer({ role: 'exhibits', at: bare })
    const call = { eventCode: bare.eventCode, action: 'add', companyId: id, people: [person()], pass: 'paid' }
    expect((await admin.refused('manage_exhibitors', call)).message).toContain('exhibitorConfig.staffPassProduct')
    expect(await manage({ action: 'list', companyId, search: 'nobody' })).toMatchObject({ exhibitors: [], total: 0 })
  })

  describe('of two merged companies', () => {
    const merge = (keepId: string, dropId: string) =>
      olga.call('manage_company', { eventCode: home.eventCode, action: 'merge', keepId, dropId })
    const charged = (companyId: string) => figure(`select coalesce(sum(total), 0) as n from orders where company_id = '${companyId}'`)
    const listPasses = async (companyId: string) =>
      (await manage({ action: 'list', companyId })).exhibitors.map(({ email, pass }: any) => [email, pass])

    it('moves the order of the other company to a company without one', async () => {
      const [keep, drop] = [await company(0), await company(0)]
      const paid = person()
      await manage({ action: 'add', companyId: drop.id, people: [paid], pass: 'paid' })
      expect((await merge(keep.id, drop.id)).moved).toMatchObject({ orders: 1, staff: 1 })
      expect([await charged(keep.id), await charged(drop.id)]).toEqual([6000, 0])
      // The company can buy more on the order, and gets credit for what the other company bought.
      const { exhibitors: added } = await manage({ action: 'add', companyId: keep.id, people: [person()], pass: 'paid' })
      expect(await charged(keep.id)).toBe(12_000)
      const moved = (await manage({ action: 'list', companyId: keep.id, search: paid.email })).exhibitors[0]
      for (const { staffId } of [moved, added[0]]) await manage({ action: 'remove', staffId })
      expect(await charged(keep.id)).toBe(0)
    })

    it.each([
      ['paid', 'paid', 'paid', 6000],
      ['free', 'paid', 'free', 0],
      ['paid', 'free', 'free', 0],
      ['free', 'free', 'free', 0],
    ])('charge a person with a %s and a %s pass for one pass, which is %s', async (atKeep, atDrop, pass, total) => {
      const [keep, drop] = [await company(0), await company(0)]
      const both = person()
      await manage({ action: 'add', companyId: keep.id, people: [both], pass: atKeep })
      await manage({ action: 'add', companyId: drop.id, people: [both], pass: atDrop })
      await merge(keep.id, drop.id)
      expect(await listPasses(keep.id)).toEqual([[both.email, pass]])
      expect((await charged(keep.id)) + (await charged(drop.id))).toBe(total)
    })

    it('keep the free passes of both companies, also beyond the allotment', async () => {
      const [keep, drop] = [await company(0), await company(0)]
      const [both, ...others] = [person(), person(), person(), person()]
      await manage({ action: 'add', companyId: keep.id, people: others.slice(0, 2), pass: 'free' })
      await manage({ action: 'add', companyId: keep.id, people: [both], pass: 'paid' })
      await manage({ action: 'add', companyId: drop.id, people: [both, others[2]], pass: 'free' })
      await merge(keep.id, drop.id)
      expect((await manage({ action: 'list', companyId: keep.id })).allotment).toMatchObject({ used: 4, left: 0 })
      expect((await charged(keep.id)) + (await charged(drop.id))).toBe(0)
    })
  })
})
