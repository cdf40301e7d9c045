import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Exhibitors, createExhibitorFixtures, buildRectangle } from '../../../../test/support/companies.ts'
import { createFloorPlanFixtures, LAYOUT_A } from '../../../../test/support/floor-plans.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'
import { setStaffRole } from '../../../domains/access/users.ts'
import { TENTHS_OF_MM_PER_METRE } from '../../../domains/exhibitors/floor/plan-shapes.ts'

let world: World
let home: EventHandle
let exhibitors: Exhibitors
let plans: ReturnType<typeof createFloorPlanFixtures>
let olga: OrganizerHandle
const manage = (action: string, more: object = {}) => olga.call('manage_floor_plans', { eventCode: home.eventCode, action, ...more })
const refused = (action: string, more: object = {}) => olga.refused('manage_floor_plans', { eventCode: home.eventCode, action, ...more })
const list = (more: object = {}) => olga.call('list_floor_plans', { eventCode: home.eventCode, ...more })
const FEET = { name: 'Hall', units: 'ft', width: 100, height: 100 }
const EXITS = [
  { kind: 'entrance', point: [50, 0] },
  { kind: 'fireExit', point: [50, 100] },
]
let made = 0
/** Creates a new event, because booth numbers are unique in an event. */
async function moveToNewEvent() {
  home = await world.event({ ...(made === 0 ? {} : { at: home }), code: `floor-${++made}` })
  exhibitors = createExhibitorFixtures(world, home)
  plans = createFloorPlanFixtures(world, home)
  olga = await world.organizer({ role: 'exhibits', at: home })
}
const metres = (...points: [number, number][]) =>
  points.map(([x, y]): [number, number] => [x * TENTHS_OF_MM_PER_METRE, y * TENTHS_OF_MM_PER_METRE])

beforeAll(async () => {
  world = await newWorld()
  await moveToNewEvent()
})
afterAll(() => world.end())

describe('manage_floor_plans', () => {
  it('applies booth layout A of the specification, and refuses a plan outline that leaves booths outside', async () => {
    await manage('create', { code: 'a', ...FEET })
    const layoutId = await plans.layout('a')
    expect(await manage('apply_layout', { layoutId })).toMatchObject({ applied: 48, floorPlan: { booths: { total: 48, available: 48 } } })
    const { floorPlans, totals } = await list({ search: 'hall' })
    expect(floorPlans).toMatchObject([
      {
        code: 'a',
        units: 'ft',
        gross: 10_000,
        net: 4800,
        netGross: 48,
        booths: { total: 48, available: 48, held: 0, assigned: 0, blocked: 0 },
      },
    ])
    expect(totals).toMatchObject({ floorPlans: 1, netGross: 48, booths: { total: 48 } })

    const shrink = async (outline: object) => (await refused('update', { floorPlanCode: 'a', outline })).message
    expect(await shrink({ outer: buildRectangle(0, 0, 80, 100) })).toBe(
      `Floor plan a cannot be changed this way: booths ${numbersAt((x) => x >= 80)} lie outside the hall`,
    )
    expect(numbersAt((x) => x >= 80).split(', ')).toHaveLength(6)
    expect(await shrink({ outer: buildRectangle(15, 0, 85, 100) })).toContain(`booths ${numbersAt((x) => x < 15)} lie outside`)
    expect(await shrink({ outer: buildRectangle(0, 0, 100, 85) })).toContain(`booths ${numbersAt((_x, y) => y >= 80)} lie outside`)
    expect(await shrink({ outer: buildRectangle(0, 15, 100, 85) })).toContain(`booths ${numbersAt((_x, y) => y < 15)} lie outside`)
    expect(await shrink({ outer: buildRectangle(0, 0, 100, 100), holes: [buildRectangle(11, 11, 2, 2)] })).toContain(
      `booth ${numbersAt((x, y) => x === 10 && y === 10)} lies outside`,
    )
    const pillar = { id: 'p1', kind: 'pillar', polygon: buildRectangle(11, 11, 2, 2) }
    expect((await refused('update', { floorPlanCode: 'a', obstacles: [pillar] })).message).toContain('stands on the pillar p1')
    const exit = { ...EXITS[1]!, id: 'x1', polygon: buildRectangle(40, 80, 20, 20) }
    expect((await refused('update', { floorPlanCode: 'a', pois: [exit] })).message).toMatch(/booths \d+, \d+ block the emergency exit x1/)
    // The refused outline was not saved, and an outline that contains all booths is allowed.
    expect(await manage('get', { floorPlanCode: 'a' })).toMatchObject({ floorPlan: { gross: 10_000, shapes: { obstacles: 0, pois: 0 } } })
    expect(await manage('update', { floorPlanCode: 'a', outline: { outer: buildRectangle(5, 5, 90, 90) } })).toMatchObject({
      changed: ['outline'],
      floorPlan: { gross: 8100, width: 90 },
    })
    expect(await manage('update', { floorPlanCode: 'a', obstacles: [{ ...pillar, kind: 'hanging' }] })).toMatchObject({
      changed: ['obstacles'],
    })
  })

  it('refuses a polygon that crosses itself, and returns the crossing point', async () => {
    const bowTie = { outer: [[0, 0], [4, 4], [4, 0], [0, 4]] } // prettier-ignore
    const answer = await refused('create', { code: 'tie', name: 'Tie', units: 'm', outline: bowTie })
    expect(answer).toMatchObject({ code: 'invalid_arguments', fields: [{ path: 'outline/outer', message: 'crosses itself at [2, 2]' }] })
    const zone = { code: 'z', kind: 'reserved', polygon: [[0, 0], [3, 0], [0, 1], [3, 1]] } // prettier-ignore
    expect((await refused('update', { floorPlanCode: 'a', zones: [zone] })).message).toContain('zones/z: crosses itself at [1.5, 0.5]')
  })

  it('replaces whole lists of a floor plan, merges and removes elements by id, and refuses an outdated revision', async () => {
    await manage('create', { code: 'lists', name: 'Lists', units: 'm', width: 40, height: 30 })
    const update = (more: object) => manage('update', { floorPlanCode: 'lists', ...more })
    const { floorPlan } = await update({ obstacles: [1, 2].map((x) => ({ kind: 'pillar', polygon: buildRectangle(x * 5, 5, 1, 1) })) })
    expect(floorPlan.obstacles).toMatchObject([
      { id: 'pillar-1', kind: 'pillar', blocksWalking: true, polygon: buildRectangle(5, 5, 1, 1) },
      { id: 'pillar-2' },
    ])
    const wall = { id: 'pillar-1', kind: 'wall', polygon: buildRectangle(20, 5, 1, 8) }
    const merged = await update({ obstacles: [wall, { kind: 'pillar', polygon: buildRectangle(30, 5, 1, 1) }], merge: true })
    expect(merged.floorPlan.obstacles.map(({ id, kind }: any) => [id, kind])).toEqual([
      ['pillar-1', 'wall'],
      ['pillar-2', 'pillar'],
      ['pillar-3', 'pillar'],
    ])
    expect(await update({ obstacles: [wall], merge: true })).toMatchObject({ changed: [] })
    const removed = await update({ remove: ['pillar-2'], aisles: [{ polygon: buildRectangle(0, 0, 40, 3) }] })
    expect(removed).toMatchObject({ changed: ['obstacles', 'aisles'], floorPlan: { shapes: { obstacles: 2, aisles: 1 } } })
    expect((await refused('update', { floorPlanCode: 'lists', remove: ['pillar-2'] })).message).toContain('has the id "pillar-2"')
    expect((await update({ obstacles: [] })).floorPlan.shapes.obstacles).toBe(0)
    const twice = [wall, { ...wall, kind: 'pillar' }]
    expect((await refused('update', { floorPlanCode: 'lists', obstacles: twice })).message).toContain('obstacles/pillar-1: is given twice')
    const stale = await refused('update', { floorPlanCode: 'lists', name: 'New', ifRevision: 1 })
    expect(stale).toMatchObject({ code: 'conflict' })
    const far = await update({ pois: [...EXITS, { id: 'far', kind: 'food', point: [90, 0] }] })
    expect(far.warnings).toEqual(['Outside the hall: entrance-1, fireExit-1, far'])
  })

  it('publishes a floor plan that has a scale, an entrance and an exit, and archives it', async () => {
    await manage('create', { code: 'pub', name: 'Pub', units: 'm', width: 40, height: 30 })
    const publish = () => refused('publish', { floorPlanCode: 'pub' })
    expect((await publish()).message).toBe('Floor plan pub has no entrance. Add one')
    await manage('update', { floorPlanCode: 'pub', pois: [{ kind: 'entrance', point: [20, 0] }] })
    expect((await publish()).message).toBe('Floor plan pub has no exit. Add an exit or fire exit')
    await manage('update', { floorPlanCode: 'pub', pois: [{ kind: 'exit', point: [20, 30] }], merge: true })
    expect(await manage('publish', { floorPlanCode: 'pub' })).toMatchObject({ floorPlan: { status: 'published' }, warnings: [] })
    // Rule X2 is also checked by the integrity check, here for a booth that was inserted without the tool.
    await exhibitors.plan({ code: 'x2' }, [{ number: 'X2', polygon: buildRectangle(3, 3, 3, 3) }], { published: false })
    await world.database.pool.query(`update booths set polygon = '[[0,0],[90000000,0],[90000000,30000],[0,30000]]' where number = 'X2'`)
    expect((await refused('publish', { floorPlanCode: 'x2' })).message).toBe(
      'Floor plan x2 cannot be published: booth X2 lies outside the hall',
    )
    for (const time of [1, 2])
      expect([time, (await manage('archive', { floorPlanCode: 'pub' })).floorPlan.status]).toEqual([time, 'archived'])
    expect(await list({ status: 'archived' })).toMatchObject({ total: 1, floorPlans: [{ code: 'pub' }] })
    expect((await refused('get', { floorPlanCode: 'pubb' })).message).toContain('No floor plan pubb at this event. Similar codes: pub')
  })

  it('shows a floor plan and its elements with a picture', async () => {
    const answer = await olga.answer('manage_floor_plans', {
      eventCode: home.eventCode,
      action: 'get',
      floorPlanCode: 'a',
      include: ['outline', 'pois', 'source'],
    })
    const { content } = answer as unknown as { content: { type: string; data?: string; mimeType?: string }[] }
    const image = content.find(({ type }) => type === 'image')!
    expect(image.mimeType).toBe('image/png')
    expect(Buffer.from(image.data!, 'base64').length).toBeLessThanOrEqual(150_000)
    const changed = await olga.answer('manage_floor_plans', { eventCode: home.eventCode, action: 'archive', floorPlanCode: 'pub' })
    expect((changed as unknown as typeof answer & { content: { type: string }[] }).content.map(({ type }) => type)).toEqual([
      'text',
      'image',
    ])
    expect((await manage('get', { floorPlanCode: 'a', include: ['source'] })).floorPlan).toMatchObject({ source: { kind: 'drawn' } })
  })

  it('lets users with the read permission view floor plans but not change them', async () => {
    const analyst = await world.organizer({ role: 'analyst', at: home })
    const at = { eventCode: home.eventCode, floorPlanCode: 'a' }
    expect(await analyst.call('manage_floor_plans', { ...at, action: 'get' })).toMatchObject({ floorPlan: { code: 'a' } })
    expect((await analyst.refused('manage_floor_plans', { ...at, action: 'publish' })).message).toBe(
      'Forbidden — manage_floor_plans requires the exhibitors.write permission',
    )
  })
})

const numbersAt = (wanted: (x: number, y: number) => boolean) =>
  LAYOUT_A.filter(({ x, y }) => wanted(x, y))
    .map(({ number }) => number)
    .toSorted((a, b) => Number(a) - Number(b))
    .join(', ')

describe('manage_floor_plans with action copy', () => {
  it("copies the booths and their geometry to next year's event, all available and without companies", async () => {
    await moveToNewEvent()
    await manage('create', { code: 'a', ...FEET })
    await manage('update', { floorPlanCode: 'a', pois: EXITS })
    await manage('apply_layout', { layoutId: await plans.layout('a') })
    const { id: companyId } = await exhibitors.company()
    await exhibitors.assign('102', companyId)
    const next = await world.event({ at: home, code: 'next-year' })
    const copy = (more: object) => manage('copy', { floorPlanCode: 'a', ...more })
    // Access to one event gives no access to the other event, and read access gives no write access.
    const staff = await world.organizer({ staffOf: home, staffRole: 'exhibits' })
    const there = { eventCode: home.eventCode, action: 'copy', floorPlanCode: 'a', code: 'a', toEventCode: 'next-year' }
    expect(await staff.refused('manage_floor_plans', there)).toMatchObject({ code: 'not_found' })
    await setStaffRole(world.database.write, { tenantId: next.tenantId, userId: staff.userId, eventId: next.eventId, role: 'analyst' })
    expect(await staff.refused('manage_floor_plans', there)).toMatchObject({ code: 'forbidden' })
    expect(await copy({ code: 'a', toEventCode: 'next-year' })).toMatchObject({
      applied: 48,
      warnings: [],
      floorPlan: { status: 'draft', gross: 10_000, booths: { total: 48, available: 48, assigned: 0 }, shapes: { pois: 2 } },
    })
    expect(await exhibitors.figure(`select count(*)::int as n from booth_assignments where event_id = '${next.eventId}'`)).toBe(0)
    expect((await list()).floorPlans).toMatchObject([{ code: 'a', booths: { assigned: 1, available: 47 } }])
    // Booth numbers are unique in an event, so a copy in the same event is refused.
    expect(await copy({ code: 'b' })).toMatchObject({
      applied: 0,
      floorPlan: { code: 'b', booths: { total: 0 } },
      warnings: [`48 booths were not copied, because their numbers are taken at event ${home.eventCode}`],
    })
    expect(await refused('copy', { floorPlanCode: 'a', code: 'b' })).toMatchObject({ code: 'conflict' })
  })
})

describe('manage_floor_plans with action apply_layout', () => {
  const booth = (number: string, x: number, y: number) => ({ number, polygon: metres([x, y], [x + 3, y], [x + 3, y + 3], [x, y + 3]) })
  const numbers = async () =>
    (
      await world.database.pool.query<{ number: string }>(
        `select number from booths where event_id = $1 and status <> 'merged' order by number`,
        [home.eventId],
      )
    ).rows.map(({ number }) => number)

  it('deletes the available booths before it applies a layout, but never held or assigned booths', async () => {
    await moveToNewEvent()
    await exhibitors.plan({ code: 'h' }, [
      { number: 'A', polygon: buildRectangle(3, 3, 3, 3) },
      { number: 'B', polygon: buildRectangle(9, 3, 3, 3) },
    ])
    const overlapping = await plans.layout('h', [booth('N', 4, 4)])
    expect((await refused('apply_layout', { layoutId: overlapping })).message).toMatch(/does not fit .*: booth N overlaps booth A/)
    expect(await manage('apply_layout', { layoutId: overlapping, replace: 'available' })).toMatchObject({ applied: 1 })
    expect(await numbers()).toEqual(['N'])
    expect(await refused('apply_layout', { layoutId: overlapping })).toMatchObject({ code: 'conflict' })
    const { id: companyId } = await exhibitors.company()
    await exhibitors.assign('N', companyId)
    const once = await plans.layout('h', [booth('O', 20, 16)])
    const at = { eventCode: home.eventCode, action: 'apply_layout', layoutId: once }
    const answers = await Promise.all(Array.from({ length: 4 }, () => olga.answer('manage_floor_plans', at)))
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(1)
    await world.database.pool.query(`delete from booths where event_id = $1 and number = 'O'`, [home.eventId])
    const beside = await plans.layout('h', [booth('M', 12, 12)])
    expect((await refused('apply_layout', { layoutId: beside, replace: 'all' })).message).toContain('held or assigned: N')
    expect(await manage('apply_layout', { layoutId: beside, replace: 'available' })).toMatchObject({
      floorPlan: { booths: { total: 2, assigned: 1 } },
    })
    const repeated = await plans.layout('h', [booth('m', 20, 12)])
    expect((await refused('apply_layout', { layoutId: repeated })).message).toContain('Booth numbers m are taken')
  })

  it('refuses a layout that is unknown, expired or based on an earlier revision', async () => {
    const stale = await plans.layout('h', [booth('S', 20, 3)])
    await manage('update', { floorPlanCode: 'h', name: 'Renamed' })
    expect(await refused('apply_layout', { layoutId: stale })).toMatchObject({
      code: 'conflict',
      message: 'Plan changed — generate the layout again',
    })
    const late = await plans.layout('h', [booth('L', 20, 3)])
    await world.database.pool.query(`update floor_plan_layouts set expires_at = '2020-01-01' where id = $1`, [late])
    expect((await refused('apply_layout', { layoutId: late })).message).toMatch(/^This layout expired at /)
    expect(await refused('apply_layout', { layoutId: '0'.repeat(23) + '1' })).toMatchObject({ code: 'not_found' })
  })
})

/** A hall of 60 × 40 pixels with y down, at half a metre per pixel if it has a scale. */
const SOURCE = (width: number) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40" viewBox="0 0 60 40"><rect width="${width}" height="40"/></svg>`

describe('manage_floor_plans with a source file', () => {
  const half = TENTHS_OF_MM_PER_METRE / 2
  const scaled = { method: 'scaleBar' as const, unitsPerSourceUnit: 0.5, sourceToPlan: [half, 0, 0, -half, 0, 40 * half] as const }
  const unscaled = {
    method: 'none' as const,
    unitsPerSourceUnit: null,
    sourceToPlan: [TENTHS_OF_MM_PER_METRE, 0, 0, -TENTHS_OF_MM_PER_METRE, 0, 40 * TENTHS_OF_MM_PER_METRE] as const,
  }
  const box = (x: number, y: number, width: number, height: number) => buildRectangle(x, y, width, height)
  const found = (
    id: string,
    kind: 'outline' | 'pillar' | 'booth' | 'restroom' | 'fireExit' | 'entrance',
    label: string,
    shape: ReturnType<typeof box>,
  ) => ({
    id,
    kind,
    label,
    point: [shape[0][0] + 1, shape[0][1] + 1] as const,
    polygon: shape,
    confidence: kind === 'restroom' ? 0.5 : 0.95,
  })
  const findings = [
    found('f1', 'outline', '', box(0, 0, 60, 40)),
    found('f2', 'pillar', '', box(30, 20, 2, 2)),
    found('f3', 'restroom', 'WC', box(50, 0, 10, 10)),
    found('f4', 'fireExit', '', box(0, 18, 2, 4)),
    found('f5', 'booth', '12', box(6, 6, 6, 6)),
    found('f6', 'booth', '13', box(10, 6, 6, 6)),
    found('f7', 'booth', 'a number that is too long', box(40, 6, 6, 6)),
  ]

  it('stores the source file of a floor plan by its content hash, starts a scan, and refuses unsupported files', async () => {
    await moveToNewEvent()
    const created = await manage('create', { code: 's', name: 'Source', units: 'm', svg: SOURCE(60) })
    expect(created).toMatchObject({ floorPlan: { gross: 0, scale: { method: 'none' }, source: { kind: 'svg' } } })
    expect(created.scanId).toMatch(/^[0-9a-f]{24}$/)
    expect((await list()).floorPlans).toMatchObject([{ code: 's', lastScan: { scanId: created.scanId, status: 'queued' } }])
    const stored = await exhibitors.figure(
      `select count(*)::int as n from files where purpose = 'floorPlan' and owner_kind = 'floorPlan' and owner_id = '${created.floorPlan.id}'`,
    )
    expect(stored).toBe(1)
    const again = await manage('create', {
      code: 'reused',
      name: 'Again',
      units: 'm',
      width: 30,
      height: 20,
      fileId: created.floorPlan.source.fileId,
    })
    expect(again).toMatchObject({ floorPlan: { gross: 600, scale: { method: 'outline' } } })
    const create = async (svg: string) => (await refused('create', { code: 'x', name: 'X', units: 'm', svg })).message
    expect(await create('AC1032 and binary data')).toContain('DWG files cannot be read. Save it as DXF (ASCII)')
    expect(await create('AutoCAD Binary DXF')).toContain('Save it as DXF (ASCII)')
    expect(await create('Name,Email')).toContain('is text/plain by its content')
    const both = await refused('create', { code: 'x', name: 'X', units: 'm', svg: SOURCE(60), url: 'https://example.org/plan.svg' })
    expect(both.message).toContain('pass one source')
    expect((await refused('create', { code: 'x', name: 'X', units: 'm' })).message).toContain(
      'pass an outline, width and height, or a source',
    )
  })

  it('applies the findings of a floor plan scan once, in plan coordinates, and names the findings that it omits', async () => {
    const scanId = await plans.scan('s', findings, scaled)
    const first = await manage('apply_scan', { scanId, minConfidence: 0.8 })
    expect(first).toMatchObject({
      applied: 4,
      skipped: [
        { id: 'f7', reason: 'has no booth number of up to 12 characters' },
        { id: 'f6', reason: 'overlaps booth 12' },
      ],
      floorPlan: { width: 30, height: 20, gross: 600, scale: { method: 'scaleBar', unitsPerSourceUnit: 0.5 }, booths: { total: 1 } },
    })
    const { floorPlan } = await manage('get', { floorPlanCode: 's', include: ['outline', 'obstacles', 'pois', 'source'] })
    expect(floorPlan).toMatchObject({
      outline: { outer: expect.arrayContaining([[0, 0], [30, 20]]) }, // prettier-ignore
      obstacles: [{ id: 'pillar-1', kind: 'pillar', blocksWalking: true }],
      pois: [{ id: 'fireExit-1', kind: 'fireExit', name: 'Fire exit', point: [0.5, 10.5] }],
      source: { kind: 'svg', sourceToPlan: [0.5, 0, 0, -0.5, 0, 20] },
    })
    expect(floorPlan.pois[0]).not.toHaveProperty('polygon')
    const second = await manage('apply_scan', { scanId, findingIds: ['f2', 'f3'] })
    expect(second).toMatchObject({ applied: 1, skipped: [{ id: 'f2', reason: 'already applied' }] })
    expect(await refused('apply_scan', { scanId, findingIds: ['f99'] })).toMatchObject({ code: 'not_found' })
    expect((await refused('apply_scan', { scanId })).message).toContain('pass either findingIds or minConfidence')
    const onBooth = await plans.scan('s', [found('f1', 'pillar', '', box(8, 8, 2, 2))], scaled)
    expect((await manage('apply_scan', { scanId: onBooth, minConfidence: 0 })).skipped).toEqual([
      { id: 'f1', reason: 'booth 12 stands on the pillar pillar-2 then' },
    ])
  })

  it('calibrates floor plan elements that were scanned from the source file, but not those drawn by hand', async () => {
    await manage('update', { floorPlanCode: 's', pois: [{ id: 'mine', kind: 'food', point: [5, 5] }], merge: true })
    const calibrate = { floorPlanCode: 's', a: [0, 0], b: [60, 0], distance: 60, units: 'm' }
    expect(await manage('calibrate', calibrate)).toMatchObject({
      floorPlan: { width: 60, height: 40, gross: 2400, scale: { method: 'calibration', unitsPerSourceUnit: 1 } },
    })
    const { floorPlan } = await manage('get', { floorPlanCode: 's', include: ['pois', 'source'] })
    expect(floorPlan.source.sourceToPlan).toEqual([1, 0, 0, -1, 0, 40])
    expect(floorPlan.pois.find(({ id }: any) => id === 'mine').point).toEqual([5, 5])
    expect(floorPlan.pois.find(({ id }: any) => id === 'fireExit-1').point).toEqual([1, 21])
    expect(floorPlan.net).toBe(36)
    // The distance may be in other units than the plan: 60 ft are 18.288 m.
    expect(await manage('calibrate', { ...calibrate, units: 'ft' })).toMatchObject({ floorPlan: { width: 18.288 } })
    await manage('calibrate', calibrate)

    const { id: companyId } = await exhibitors.company()
    await exhibitors.assign('12', companyId)
    expect(await manage('calibrate', { ...calibrate, distance: 60.3 })).toMatchObject({ floorPlan: { width: 60.3 } })
    expect((await refused('calibrate', { ...calibrate, distance: 60.7 })).message).toContain('1 booths of floor plan s are assigned')
    expect((await refused('calibrate', { ...calibrate, b: [0, 0] })).message).toContain('is the same point as a')
    await manage('create', { code: 'hand', name: 'Hand', units: 'm', width: 10, height: 10 })
    expect((await refused('calibrate', { ...calibrate, floorPlanCode: 'hand' })).message).toContain('was drawn by hand')
  })

  it('refuses to publish a floor plan without a scale', async () => {
    await manage('create', { code: 'raw', name: 'Raw', units: 'm', svg: SOURCE(50) })
    expect((await refused('calibrate', { floorPlanCode: 'raw', a: [0, 0], b: [1, 0], distance: 1, units: 'm' })).message).toContain(
      'not read yet',
    )
    const scanId = await plans.scan('raw', [findings[0]!, { ...found('f8', 'entrance', '', box(0, 0, 2, 2)) }, findings[3]!], unscaled)
    const applied = await manage('apply_scan', { scanId, minConfidence: 0 })
    expect(applied.warnings).toEqual(['The plan has no scale yet. Calibrate it before you publish it or generate booths'])
    expect((await refused('publish', { floorPlanCode: 'raw' })).message).toBe('Floor plan raw has no scale. Calibrate it first')
    await manage('calibrate', { floorPlanCode: 'raw', a: [0, 0], b: [0, 40], distance: 20, units: 'm' })
    expect(await manage('publish', { floorPlanCode: 'raw' })).toMatchObject({ floorPlan: { status: 'published', width: 30, height: 20 } })
  })
})
