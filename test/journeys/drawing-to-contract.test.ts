import { describe, expect, it } from 'vitest'
import { endExpiredOffers } from '../../src/domains/exhibitors/applications/offers.ts'
import { createReleaseExpiredHoldsTask } from '../../src/domains/exhibitors/booths/expired-holds.ts'
import { BOOTH_SECTIONS } from '../support/booths.ts'
import { doorway, dxfFile, dxfLine, dxfText } from '../support/floor-drawings.ts'
import { useJourney } from '../support/journey.ts'
import { runRecurringTask } from '../support/room-deadlines.ts'
import { signedInVisitor, visitor } from '../support/visitor.ts'

const TEN_FEET = 3.048
/** Booths of 10 × 10 ft at 1,000.00, and 150.00 per open corner, plus 20 % tax. */
const SECTIONS = {
  ...BOOTH_SECTIONS,
  exhibitorConfig: {
    ...BOOTH_SECTIONS.exhibitorConfig,
    boothSizes: [{ code: 'ten', name: '10 x 10 ft', width: TEN_FEET, depth: TEN_FEET, product: 'booth-small' }],
  },
}
const journey = useJourney(SECTIONS)
const call = (tool: string, args?: object) => journey.assistant.call(tool, { ...args })
const apply = (action: string, more: object) => call('manage_booth_application', { action, ...more })

/** A square hall of 30.48 metres in millimetres, with two entrances in its lower wall and two fire exits in its upper one. */
const SIDE = 30_480
const DOORS = [6000, 24_000]
const DRAWING = dxfFile(4, [
  ...doorway([0, 0], SIDE, DOORS),
  ...doorway([SIDE, SIDE], 0, DOORS),
  ...dxfLine('HALL', [SIDE, 0, SIDE, SIDE]),
  ...dxfLine('HALL', [0, SIDE, 0, 0]),
  ...DOORS.flatMap((x) => dxfText('TEXT', 'Entrance', x, 1200, 300)),
  ...DOORS.flatMap((x) => dxfText('TEXT', 'Fire exit', SIDE - x, SIDE - 1500, 300)),
])
const floorPlanCode = 'hall-1'

const countBooths = async () => (await call('list_floor_plans')).floorPlans[0].booths
const countStatuses = async () => (await call('list_booth_applications', { limit: 1 })).counts

describe('from the drawing of a hall to contracts for booths in the hall', () => {
  it('reads outline, entrances and fire exits of a hall in millimetres and converts them to feet', async () => {
    const { scenario, served, rows, runJob } = journey
    const { world, event } = scenario
    // A colleague uploads the drawing in the console; everything else is done by the assistant.
    const desk = await signedInVisitor(world, served, await world.organizer({ role: 'exhibits', at: event }))
    const plans = `/console/events/${event.clientCode}/${event.eventCode}/floor-plans`
    const files = { drawing: new File([DRAWING], 'Hall 1.dxf') }
    const uploaded = await desk.post(`${plans}/new`, { how: 'drawing', name: 'Hall 1', units: 'ft' }, { from: plans, files })
    expect(uploaded).toMatchObject({ status: 303, location: expect.stringContaining(`${plans}/${floorPlanCode}`) })
    const [{ id: scanId, job_id }] = await rows('select id, job_id from floor_plan_scans')
    await runJob('scan-floor-plan', job_id)
    expect(await call('get_floor_plan_scan', { scanId })).toMatchObject({
      status: 'done',
      scale: { method: 'units' },
      counts: { outline: 1, entrance: 2, fireExit: 2 },
      total: 5,
    })
    expect((await call('list_floor_plans')).floorPlans).toMatchObject([{ gross: 0, pois: 0 }])
    const applied = await call('manage_floor_plans', { action: 'apply_scan', scanId, minConfidence: 0.5 })
    expect(applied).toMatchObject({ applied: 5, skipped: [] })
    expect((await call('list_floor_plans')).floorPlans).toMatchObject([{ units: 'ft', gross: 10_000, net: 0, pois: 4 }])
  })

  it('fits 48 booths into the hall if 10 ft before the fire exits stay clear, and fewer with 20 ft', async () => {
    const fit = (depth: number) => call('generate_max_fit', { floorPlanCode, sizeCode: 'ten', exitClear: { depth } })
    const { booths, lost } = await fit(20)
    expect([booths + lost.exits, booths < 48]).toEqual([48, true])
    const generated = await fit(10)
    expect(generated).toMatchObject({ booths: 48, net: 4800, netGross: 48, corners: 12, lost: { exits: 0, unreachable: 0 } })
    expect(generated.checks.every(({ ok }: { ok: boolean }) => ok)).toBe(true)
    await call('manage_floor_plans', { action: 'apply_layout', layoutId: generated.layoutId, replace: 'none' })
    await call('manage_floor_plans', { action: 'publish', floorPlanCode })
    expect(await countBooths()).toEqual({ total: 48, available: 48, held: 0, assigned: 0, blocked: 0 })
  })

  it('proposes booths for 48 of 50 approved applications, holds these booths and emails them as offers', async () => {
    const rows = Array.from({ length: 50 }, (_, n) => ({
      name: `Company ${n + 1}`,
      contactName: `Connie ${n + 1}`,
      contactEmail: `connie@company${n + 1}.example`,
    }))
    expect(await call('import_companies', { rows })).toMatchObject({ rows: 50, created: 50, invalid: [], ambiguous: [] })
    const { companies } = await call('manage_company', { action: 'list', limit: 100 })
    const ids = new Map(companies.map(({ name, id }: { name: string; id: string }) => [name, id]))
    const numbers: string[] = []
    for (const { name } of rows) {
      const { applications } = await apply('create', { companyId: ids.get(name), wanted: { sizes: ['ten'] }, submit: true })
      numbers.push(applications[0].number)
      await apply('approve', { number: applications[0].number })
    }
    const { proposalId, stats, assigned, unassigned } = await call('propose_booth_assignments')
    expect(stats).toMatchObject({ assigned: 48, net: 4800, competitorViolations: 0, revenue: { amount: '49800.00', currency: 'EUR' } })
    expect(new Set(assigned.flatMap(({ boothNumbers }: { boothNumbers: string[] }) => boothNumbers)).size).toBe(48)
    expect(unassigned.map(({ application }: { application: string }) => application)).toEqual(numbers.slice(48))
    expect(await countBooths()).toMatchObject({ available: 48, held: 0 })

    const asOffers = { action: 'apply_proposal', proposalId, mode: 'offer', notify: true }
    expect(await call('manage_booth_application', { ...asOffers, dryRun: true })).toMatchObject({
      applied: 48,
      queued: 48,
      effects: { recipients: 48, changes: 48 },
    })
    expect(await countBooths()).toMatchObject({ held: 0 })
    expect(await call('manage_booth_application', asOffers)).toMatchObject({ applied: 48, queued: 48, skipped: [] })
    expect(await countBooths()).toEqual({ total: 48, available: 0, held: 48, assigned: 0, blocked: 0 })
    expect(new Set((await journey.listEmails('booth.application')).map(({ to }) => to)).size).toBe(48)
    expect(await journey.assistant.refused('manage_booth_application', asOffers)).toContain('was applied')
  })

  it('turns 40 accepted booth offers into order lines and invoices, and frees 5 declined and 3 expired offers', async () => {
    const { scenario, served, listEmails, readLink, moveTo, rows } = journey
    const links = (await listEmails('booth.application')).map((email) => readLink(email, 'offer'))
    for (const [n, link] of links.entries()) {
      if (n >= 45) continue
      const company = visitor(served)
      expect((await company.post(link, { do: n < 40 ? 'accept' : 'decline' })).status).toBe(303)
      // A second click changes nothing.
      if (n === 0) await company.post(link, { do: 'accept' }, { from: link })
    }
    expect(await countBooths()).toMatchObject({ available: 5, held: 3, assigned: 40 })
    await moveTo('2026-04-18T00:00:00Z')
    expect((await visitor(served).get(links[47]!)).text).toContain('This offer ended on')
    await runRecurringTask(scenario.world, createReleaseExpiredHoldsTask(endExpiredOffers))
    expect(await countBooths()).toEqual({ total: 48, available: 8, held: 0, assigned: 40, blocked: 0 })
    expect(await countStatuses()).toMatchObject({ accepted: 40, approved: 10 })

    const { booths } = await call('list_booths', { status: ['assigned'], limit: 100 })
    const corners = booths.filter(({ type }: { type: string }) => type === 'corner').length
    const lines = await rows(
      `select product_code as product, count(*)::int as count, sum(net)::int as net from order_lines group by 1 order by 1`,
    )
    expect(lines).toEqual([
      { product: 'booth-small', count: 40, net: 40 * 100_000 },
      { product: 'corner', count: corners, net: corners * 15_000 },
    ])
    const [invoiced] = await rows(`select count(*)::int as count, sum(total)::int as total from invoices`)
    expect(invoiced).toEqual({ count: 40, total: Math.round((40 * 100_000 + corners * 15_000) * 1.2) })
  })

  it('offers two of the 8 free booths to the companies without a booth, with no integrity violation at the end', async () => {
    const { applications } = await call('list_booth_applications', { status: ['approved'], sort: 'submittedAt', limit: 100 })
    const unplaced = applications.slice(-2)
    expect(unplaced.map(({ company }: any) => company.name)).toEqual(['Company 49', 'Company 50'])
    const { booths } = await call('list_booths', { status: ['available'], limit: 100 })
    for (const [n, { number }] of unplaced.entries())
      expect(await apply('offer', { number, boothNumbers: [booths[n].number], notify: true })).toMatchObject({
        applications: [{ status: 'offered', offer: { boothNumbers: [booths[n].number] } }],
        queued: 1,
      })
    expect(await countBooths()).toEqual({ total: 48, available: 6, held: 2, assigned: 40, blocked: 0 })
    const emails = await journey.listEmails('booth.application')
    expect(emails).toHaveLength(50)
    await visitor(journey.served).post(journey.readLink(emails[48]!, 'offer'), { do: 'accept' })
    expect(await countBooths()).toMatchObject({ available: 6, held: 1, assigned: 41 })
    expect(await journey.listViolations()).toEqual([])
  })
})
