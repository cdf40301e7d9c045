import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Exhibitors, createExhibitorFixtures, buildRectangle } from '../../../../test/support/companies.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'

describe('generate_max_fit', () => {
  let world: World
  let home: EventHandle
  let exhibitors: Exhibitors
  let olga: OrganizerHandle
  const ten = { width: 10, depth: 10 }
  const arguments_ = (floorPlanCode: string, more: object) => ({ eventCode: home.eventCode, floorPlanCode, ...more })
  const generate = (floorPlanCode: string, more: object = { module: ten }) => olga.call('generate_max_fit', arguments_(floorPlanCode, more))
  const refused = (floorPlanCode: string, more: object) => olga.refused('generate_max_fit', arguments_(floorPlanCode, more))
  const exit = { id: 'out', kind: 'fireExit' as const, name: 'Exit', point: [50, 0] as const }
  const entrance = { id: 'in', kind: 'entrance' as const, name: 'Entrance', point: [50, 100] as const }

  beforeAll(async () => {
    world = await newWorld()
    home = await world.event()
    exhibitors = createExhibitorFixtures(world, home)
    olga = await world.organizer({ role: 'exhibits', at: home })
    const outline = { outer: buildRectangle(0, 0, 100, 100) }
    await exhibitors.plan({ code: 'square', units: 'ft', outline, pois: [entrance, exit] })
  })
  afterAll(() => world.end())

  it("stores and returns the booth layout of the specification's test vector A, and leaves the floor plan unchanged", async () => {
    const { content, structuredContent } = await olga.answer(
      'generate_max_fit',
      arguments_('square', { module: ten, exitClear: { depth: 10 } }),
    )
    const layout: any = structuredContent
    expect(layout).toMatchObject({
      booths: 48,
      net: 4800,
      netGross: 48,
      corners: 12,
      byType: { inline: 36, corner: 12, peninsula: 0, island: 0, perimeter: 0 },
      angle: 0,
      rows: 3,
      candidates: [
        { angle: 0, booths: 48 },
        { angle: 90, booths: 48 },
      ],
      lost: { pillars: 0, exits: 0, zones: 0, unreachable: 0 },
      mixUnmet: [],
      warnings: [],
      needsVenueApproval: true,
      planRevision: 2,
    })
    expect(layout.checks.every(({ ok }: { ok: boolean }) => ok)).toBe(true)
    expect(layout.firstBooths).toHaveLength(48)
    expect(layout.firstBooths[0]).toEqual({ number: '102', x: 10, y: 10, width: 10, depth: 10, type: 'corner' })
    expect(content.filter(({ mimeType }) => mimeType === 'image/png')).toHaveLength(1)
    const stored = `select jsonb_array_length(result -> 'booths') as n from floor_plan_layouts where id = '${layout.layoutId}'`
    expect(await exhibitors.figure(stored)).toBe(48)
    expect(
      await exhibitors.figure(
        `select count(*)::int as n from booths b join floor_plans p on p.id = b.floor_plan_id where p.code = 'square'`,
      ),
    ).toBe(0)
  })

  it('keeps an area 10 ft wide and 20 ft deep in front of a fire exit free of booths by default', async () => {
    expect(await generate('square')).toMatchObject({ booths: 46, lost: { exits: 2 } })
    expect(await generate('square', { module: ten, exitClear: { width: 20, depth: 20 } })).toMatchObject({ booths: 46 })
    expect(await generate('square', { module: ten, exitClear: { width: 22, depth: 20 }, angles: [0] })).toMatchObject({ booths: 44 })
  })

  it('keeps the booths selected by the argument keep, and warns if generated booth numbers are taken', async () => {
    const outline = { outer: buildRectangle(0, 0, 100, 100) }
    await exhibitors.plan({ code: 'standing', units: 'ft', outline, pois: [entrance, exit] }, [
      { number: '102', polygon: buildRectangle(45, 45, 10, 10) },
      { number: 'K2', polygon: buildRectangle(80, 80, 10, 10) },
    ])
    await exhibitors.assign('102', (await exhibitors.company()).id)
    const [none, assigned, all] = [
      await generate('standing', { module: ten, keep: 'none', exitClear: { depth: 10 } }),
      await generate('standing', { module: ten, keep: 'assigned', exitClear: { depth: 10 } }),
      await generate('standing', { module: ten, exitClear: { depth: 10 } }),
    ]
    expect([none.booths, none.warnings]).toEqual([48, []])
    expect(assigned.booths).toBeLessThan(48)
    expect(all.booths).toBeLessThan(assigned.booths)
    expect(all.warnings).toEqual(['numbers_taken'])
    expect((await generate('standing', { module: ten, prefix: 'B' })).warnings).toEqual([])
  })

  it('generates a layout in a configured booth size, and mixes in the requested number of larger booths', async () => {
    await exhibitors.publish({
      exhibitorConfig: {
        boothSizes: [
          { code: 'ten', name: '10 × 10 ft', width: 3.048, depth: 3.048, product: null },
          { code: 'island', name: '20 × 20 ft', width: 6.096, depth: 6.096, product: null },
          { code: 'odd', name: 'Odd', width: 5, depth: 3.048, product: null },
        ],
      },
    } as never)
    const mixed = await generate('square', { sizeCode: 'ten', exitClear: { depth: 10 }, mix: [{ sizeCode: 'island', count: 7 }] })
    expect(mixed).toMatchObject({ booths: 48 - 6 * 3, mixUnmet: [{ sizeCode: 'island', count: 1 }], byType: { peninsula: 6 } })
    expect(mixed.firstBooths[0]).toMatchObject({ number: '102', width: 20, depth: 20, type: 'peninsula', sizeCode: 'island' })
    expect(mixed.firstBooths[1]).toMatchObject({ sizeCode: 'ten' })
    const odd = await refused('square', { sizeCode: 'ten', mix: [{ sizeCode: 'odd', count: 1 }] })
    expect(odd.message).toContain('odd is not a whole number of modules wide')
    expect((await refused('square', { sizeCode: 'none' })).message).toContain('no booth size none')
  })

  it('refuses to generate a layout for a plan without a scale, with impossible sizes or with too many grid cells', async () => {
    await exhibitors.plan({ code: 'unscaled', units: 'm' })
    await world.database.pool.query(
      `update floor_plans set scale = '{"method": "none", "unitsPerSourceUnit": null}' where code = 'unscaled'`,
    )
    expect(await refused('unscaled', { module: { width: 3, depth: 3 } })).toMatchObject({ code: 'precondition_failed' })
    expect(await refused('square', { module: { width: 101, depth: 10 } })).toMatchObject({ code: 'precondition_failed' })
    expect((await refused('square', { module: ten, aisle: 5.9 })).message).toContain('at least 1.8 m')
    expect(await generate('square', { module: ten, aisle: 6 })).toMatchObject({ booths: expect.any(Number) })
    await exhibitors.plan({ code: 'huge', units: 'm', outline: { outer: buildRectangle(0, 0, 600, 500) } })
    const tooFine = await refused('huge', { module: { width: 3, depth: 3 }, grid: 0.25 })
    expect(tooFine).toMatchObject({ code: 'limit_exceeded', message: expect.stringContaining('raise grid to 0.5') })
    expect((await refused('square', {})).message).toContain('either module')
    expect((await refused('square', { module: ten, sizeCode: 'ten' })).message).toContain('either module')
    expect(await refused('elsewhere', { module: ten })).toMatchObject({ code: 'not_found' })
  })

  it('refuses to generate a layout without the write permission', async () => {
    const analyst = await world.organizer({ role: 'analyst', at: home })
    const { message } = await analyst.refused('generate_max_fit', arguments_('square', { module: ten }))
    expect(message).toBe('Forbidden — generate_max_fit requires the exhibitors.write permission')
  })
})
