import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Exhibitors, createExhibitorFixtures, buildRectangle } from '../../../../test/support/companies.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'

interface Shown {
  number: string
  company?: string
  quality: number
  exposure: number
  distanceToEntrance: number
  openSides: number
}

describe('analyze_placement', () => {
  let world: World
  let home: EventHandle
  let exhibitors: Exhibitors
  let olga: OrganizerHandle
  const companies = new Map<string, string>()
  const analyze = (floorPlanCode: string, more: object = {}) =>
    olga.call('analyze_placement', { eventCode: home.eventCode, floorPlanCode, limit: 100, ...more })

  const exit = { id: 'out', kind: 'exit' as const, name: 'Exit', point: [20, 0] as const }
  const entrance = (x: number) => ({ id: 'in', kind: 'entrance' as const, name: 'Entrance', point: [x, 10] as const, doorWidth: 4 })
  /** A double row of ten columns in the middle of a hall of 40 × 20 metres: numbers 1 to 10 face down, 11 to 20 up. */
  const doubleRow = (prefix: string) =>
    Array.from({ length: 20 }, (_, i) => ({
      number: `${prefix}${i + 1}`,
      polygon: buildRectangle(5 + 3 * (i % 10), i < 10 ? 7 : 10, 3, 3),
    }))

  beforeAll(async () => {
    world = await newWorld()
    home = await world.event()
    exhibitors = createExhibitorFixtures(world, home)
    olga = await world.organizer({ role: 'analyst', at: home })
    const outline = { outer: buildRectangle(0, 0, 40, 20) }
    await exhibitors.plan({ code: 'left', outline, pois: [entrance(0), exit] }, doubleRow('L'))
    await exhibitors.plan({ code: 'right', outline, pois: [entrance(40), exit] }, doubleRow('R'))
    for (const [i, name] of ['Ada', 'Borealis', 'Cirrus', 'Dynamo', 'Ember', 'Fjord'].entries()) {
      const { id } = await exhibitors.company({ name, appointmentsEnabled: false, isTestData: name === 'Fjord' })
      companies.set(name, id)
      // Ada is at booth L1, Borealis at L3 (3 m apart), Cirrus at L5, …
      await exhibitors.assign(`L${2 * i + 1}`, id)
    }
  })
  afterAll(() => world.end())

  const compete = (one: string, other: string) => {
    const ids = [companies.get(one)!, companies.get(other)!].toSorted()
    return world.database.pool.query(
      'insert into company_competitors (tenant_id, event_id, company_id, competitor_id) select tenant_id, event_id, $1, $2 from companies where id = $1',
      ids,
    )
  }
  const givePoints = (name: string, points: number) =>
    world.database.pool.query(
      `insert into points_entries (tenant_id, id, organization_id, points, reason, by) select tenant_id, $2, organization_id, $3, 'test', 'test' from companies where id = $1`,
      [companies.get(name), `${points}`.padStart(24, 'a'), points],
    )

  it('mirrors the quality scores of booths if the entrance moves to the other end of a symmetric hall', async () => {
    const byNumber = (found: { booths: Shown[] }) => new Map(found.booths.map((one) => [one.number.slice(1), one]))
    const [left, right] = [byNumber(await analyze('left')), byNumber(await analyze('right'))]
    const figures = ({ quality, exposure, distanceToEntrance, openSides }: Shown) => ({ quality, exposure, distanceToEntrance, openSides })
    for (let i = 0; i < 20; i++) {
      const twin = (i < 10 ? 9 - i : 29 - i) + 1
      expect(figures(right.get(String(twin))!)).toEqual(figures(left.get(String(i + 1))!))
    }
    expect(left.get('1')!.quality).toBeGreaterThan(left.get('10')!.quality)
    expect(left.get('1')).toMatchObject({ openSides: 2, company: 'Ada' })
    expect(left.get('11')).not.toHaveProperty('company')
    // Fjord is a test company, so it is not listed.
    expect([...left.values()].filter(({ company }) => company !== undefined)).toHaveLength(5)
  })

  it('draws a heat map of booth quality and returns the booths in pages', async () => {
    const { content } = await olga.answer('analyze_placement', { eventCode: home.eventCode, floorPlanCode: 'left' })
    expect(content.filter(({ mimeType }) => mimeType === 'image/png')).toHaveLength(1)
    const first = await analyze('left', { limit: 15 })
    const second = await analyze('left', { limit: 15, cursor: first.nextCursor })
    expect([...first.booths, ...second.booths].map(({ number }: Shown) => number)).toEqual(doubleRow('L').map(({ number }) => number))
    expect(second).toMatchObject({ nextCursor: null, total: 20 })
  })

  it('lists pairs of competitors whose booths are nearer than the event allows', async () => {
    await compete('Ada', 'Borealis')
    // Cirrus and Ada are nine metres apart.
    await compete('Cirrus', 'Ada')
    await compete('Ember', 'Fjord')
    expect((await analyze('left')).competitorPairs).toEqual([
      {
        a: { number: expect.stringMatching(/^L[13]$/), company: expect.any(String) },
        b: { number: expect.stringMatching(/^L[13]$/), company: expect.any(String) },
        distance: 3,
        limit: 6,
      },
    ])
    await exhibitors.publish({ exhibitorConfig: { competitorDistance: 3 } } as never)
    expect((await analyze('left')).competitorPairs).toEqual([])
    await exhibitors.publish({ exhibitorConfig: { competitorDistance: 10 } } as never)
    expect((await analyze('left')).competitorPairs).toHaveLength(2)
  })

  it('compares priority points with booth quality only if at least five companies have priority points', async () => {
    for (const [i, name] of ['Ada', 'Borealis', 'Cirrus', 'Dynamo'].entries()) await givePoints(name, 50 - i)
    expect((await analyze('left')).fairness).toEqual({ spearman: null, n: 4, worst: [] })
    // Ember has the most points and the worst booth of the five.
    await givePoints('Ember', 90)
    const { fairness, booths } = await analyze('left')
    expect(fairness.n).toBe(5)
    expect(fairness.spearman).toBeLessThan(0.5)
    expect(fairness.worst[0]).toMatchObject({ company: 'Ember', points: 90, boothNumbers: ['L9'] })
    expect(fairness.worst[0].quality).toBe(booths.find(({ number }: Shown) => number === 'L9').quality)
  })

  it('analyzes the placement of a proposed booth assignment as if it were already applied', async () => {
    const proposal = {
      assigned: [{ companyId: companies.get('Ember'), boothIds: await boothIds('L2'), boothNumbers: ['L2'] }],
      unassigned: [],
    }
    await world.database.pool.query(
      `insert into assignment_proposals (tenant_id, event_id, id, plan_revisions, input, result, by)
       select tenant_id, event_id, '00aa00aa00aa00aa00aa00aa', '{}', '{}', $2, 'test' from companies where id = $1`,
      [companies.get('Ember'), JSON.stringify(proposal)],
    )
    const { booths, competitorPairs } = await analyze('left', { proposalId: '00aa00aa00aa00aa00aa00aa' })
    expect(booths.find(({ number }: Shown) => number === 'L2')).toMatchObject({ company: 'Ember' })
    expect(competitorPairs).toHaveLength(2)
    const unknown = await olga.refused('analyze_placement', {
      eventCode: home.eventCode,
      floorPlanCode: 'left',
      proposalId: 'ff'.repeat(12),
    })
    expect(unknown).toMatchObject({ code: 'not_found' })
  })
  const boothIds = async (number: string) =>
    (await world.database.pool.query<{ id: string }>('select id from booths where number = $1', [number])).rows.map(({ id }) => id)

  it('analyzes the first published floor plan if none is named', async () => {
    expect((await olga.call('analyze_placement', { eventCode: home.eventCode })).booths[0].number).toBe('L1')
  })

  it('rates booths with custom weights of the quality criteria, and refuses floor plans without an entrance', async () => {
    const qualities = async (weights: object) => (await analyze('left', { weights })).booths.map(({ quality }: Shown) => quality)
    expect(new Set(await qualities({ exposure: 0, proximity: 0, openSides: 1 }))).toEqual(new Set([25, 50]))
    const refusal = (more: object) => olga.refused('analyze_placement', { eventCode: home.eventCode, floorPlanCode: 'left', ...more })
    expect(await refusal({ weights: { exposure: 0, proximity: 0, openSides: 0 } })).toMatchObject({ code: 'invalid_arguments' })
    await exhibitors.plan({ code: 'closed', pois: [exit] }, [], { published: false })
    expect(await refusal({ floorPlanCode: 'closed' })).toMatchObject({ code: 'precondition_failed', message: 'Add an entrance POI' })
    expect(await refusal({ floorPlanCode: 'nowhere' })).toMatchObject({ code: 'not_found' })
  })
})
