import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Exhibitors, createExhibitorFixtures, buildRectangle } from '../../../test/support/companies.ts'
import { createPersonAt, type PersonHandle } from '../../../test/support/participants.ts'
import { type EventHandle, newWorld, type World } from '../../../test/support/world.ts'

let world: World
let event: EventHandle
let exhibitors: Exhibitors
let petra: PersonHandle
const ids: Record<string, string> = {}

/** A row of five booths of 3 × 3 metres next to a free one, so that 101 is no corner; booths at two walls, and one without a company. */
const BOOTHS = [
  ...[0, 1, 2, 3, 4].map((i) => ({ number: `${101 + 2 * i}`, polygon: buildRectangle(6 + 3 * i, 7, 3, 3) })),
  { number: 'R0', polygon: buildRectangle(3, 7, 3, 3) },
  { number: 'W1', polygon: buildRectangle(0, 17, 3, 3) },
  { number: 'E1', polygon: buildRectangle(27, 0, 3, 3) },
  { number: '99', polygon: buildRectangle(6, 14, 3, 2) },
]

beforeAll(async () => {
  world = await newWorld()
  event = await world.event()
  exhibitors = createExhibitorFixtures(world, event)
  await exhibitors.plan({}, BOOTHS)
  await exhibitors.plan({ code: 'hall-2', name: 'Hall 2', units: 'ft', outline: { outer: buildRectangle(0, 0, 100, 60) } }, [
    { number: '201', polygon: buildRectangle(10, 10, 10, 10) },
  ])
  await exhibitors.plan({ code: 'secret', name: 'Secret' }, [{ number: '301', polygon: buildRectangle(3, 3, 3, 3) }], { published: false })
  const names = {
    '101': 'Borealis',
    '107': 'Cumulus',
    W1: '<script>alert(1)</script>',
    '201': 'Far Away',
    '301': 'Hidden',
    '99': 'Not there yet',
  }
  for (const [number, name] of Object.entries(names)) {
    const { id } = await exhibitors.company({ name, categories: ['robotics'], status: number === '99' ? 'invited' : 'active' })
    ids[number] = id
    await exhibitors.assign(number, id)
  }
  await world.database.pool.query(`update booths set status = 'held', held_for = $1, held_until = '2027-01-01' where number = '105'`, [
    ids['201'],
  ])
  petra = await createPersonAt(world, event)
})
afterAll(() => world.end())

const pictureOf = async (args: Record<string, unknown>) => {
  const { content } = await petra.answer('get_booth_map', args)
  const image = content.find(({ type }) => type === 'image') as unknown as { data: string; mimeType: string }
  return { mimeType: image.mimeType, bytes: Buffer.from(image.data, 'base64') }
}

describe('get_booth_map', () => {
  it('shows assigned and reserved booths, and neither free booths nor private data', async () => {
    const map = await petra.call('get_booth_map')
    expect(map.floorPlans).toEqual([
      { code: 'hall-1', name: 'Hall 1', units: 'm', width: 30, height: 20 },
      { code: 'hall-2', name: 'Hall 2', units: 'ft', width: 100, height: 60 },
    ])
    expect(map.booths.map(({ number, company }: any) => [number, company])).toEqual([
      ['99', 'Reserved'],
      ['101', 'Borealis'],
      ['105', 'Reserved'],
      ['107', 'Cumulus'],
      ['W1', '<script>alert(1)</script>'],
    ])
    expect(map.booths[1]).toEqual({
      number: '101',
      companyId: ids['101'],
      company: 'Borealis',
      x: 6,
      y: 7,
      width: 3,
      depth: 3,
      categories: ['robotics'],
    })
    expect(map.booths[0]).not.toHaveProperty('companyId')
    expect(map).toMatchObject({ total: 5 })
    expect(map.pois).toContainEqual({ id: 'in', kind: 'entrance', name: 'Main entrance', x: 15, y: 0.5 })
    expect(map).not.toHaveProperty('route')
    expect(JSON.stringify(map)).not.toContain('Hidden')
  })

  it('returns the route between two booths on one aisle, nine metres from centre to centre', async () => {
    const { booths, route } = await petra.call('get_booth_map', { boothNumbers: ['107'], from: '101' })
    expect(booths).toHaveLength(1)
    expect(route).toMatchObject({ from: '101', stops: [{ number: '107', company: 'Cumulus', metres: 9 }], metres: 9 })
    const both = await petra.call('get_booth_map', { companyIds: [ids['107'], ids['101'], ids['W1']] })
    expect(both.route.from).toBe('in')
    expect(both.route.stops.map(({ number }: any) => number)).toEqual(['107', '101', 'W1'])
    expect(both.route.metres).toBeCloseTo(
      both.route.stops.reduce((sum: number, stop: any) => sum + stop.metres, 0),
      0,
    )
    expect(both.route.minutes).toBeCloseTo(both.route.metres / 66, 1)
  })

  it('selects the floor plan that contains the requested booth', async () => {
    const { booths } = await petra.call('get_booth_map', { search: 'far away' })
    expect(booths).toEqual([
      { number: '201', companyId: ids['201'], company: 'Far Away', x: 10, y: 10, width: 10, depth: 10, categories: ['robotics'] },
    ])
    expect((await petra.call('get_booth_map', { search: 'absent at all' })).booths).toEqual([])
  })

  it('reports unknown and inaccessible booths as not found', async () => {
    expect(await petra.refused('get_booth_map', { floorPlanCode: 'secret' })).toMatchObject({
      code: 'not_found',
      message: 'No floor plan secret at this event. Available: hall-1, hall-2',
    })
    expect((await petra.refused('get_booth_map', { boothNumbers: ['109'] })).message).toMatch(
      /^No booth 109 on the map\. Similar numbers: /,
    )
    expect(await petra.refused('get_booth_map', { companyIds: ['f'.repeat(24)] })).toMatchObject({ code: 'not_found' })
    expect(await petra.refused('get_booth_map', { boothNumbers: ['101'], from: 'the moon' })).toMatchObject({ code: 'not_found' })
  })

  it('returns a small image that is always identical for the same booth, and differs for another booth', async () => {
    const plain = await pictureOf({})
    expect(plain.mimeType).toBe('image/png')
    expect(plain.bytes.subarray(1, 4).toString()).toBe('PNG')
    expect(plain.bytes.length).toBeLessThan(150_000)
    const [width, height] = [plain.bytes.readUInt32BE(16), plain.bytes.readUInt32BE(20)]
    expect([width, height]).toEqual([1200, 811])
    expect((await pictureOf({})).bytes.equals(plain.bytes)).toBe(true)
    expect((await pictureOf({ boothNumbers: ['101'] })).bytes.equals(plain.bytes)).toBe(false)
  })
})

describe('booths drawn on a floor plan', () => {
  const refusal = async (number: string, polygon: ReturnType<typeof buildRectangle>) => {
    const change = exhibitors.plan(
      {
        code: `try-${number.toLowerCase()}`,
        obstacles: [{ id: 'p1', kind: 'pillar', polygon: buildRectangle(20, 10, 1, 1), blocksWalking: true }],
      },
      [
        { number: `${number}-0`, polygon: buildRectangle(10, 10, 3, 3) },
        { number, polygon },
      ],
    )
    return change.then(
      () => null,
      (error: Error) => error.message,
    )
  }

  it.each([
    ['A', 'beyond the wall', buildRectangle(28, 5, 3, 3), 'lies outside the hall'],
    ['B', 'up to the wall', buildRectangle(27, 5, 3, 3), null],
    ['C', 'a centimetre beyond it', buildRectangle(27.003, 5, 3, 3), null],
    ['D', 'a hand beyond it', buildRectangle(27.1, 5, 3, 3), 'lies outside the hall'],
    ['E', 'on another booth', buildRectangle(12, 10, 3, 3), 'overlaps booth E-0'],
    ['F', 'beside it', buildRectangle(13, 10, 3, 3), null],
    ['G', 'on a pillar', buildRectangle(19, 9, 3, 3), 'stands on the pillar p1'],
  ])('accepts or rejects the position of booth %s on the floor plan: %s', async (number, _what, polygon, message) => {
    expect(await refusal(number, polygon)).toBe(message === null ? null : `booths/${number}: ${message}`)
  })

  it('rejects a booth number that is already used at the event, ignoring case', async () => {
    expect(await refusal('w1', buildRectangle(3, 3, 3, 3))).toBe('Booth number w1 is taken at this event')
  })

  it('rejects database writes that would leave a booth assigned without a company, or a company without its booth', async () => {
    const write = (sql: string) => world.database.pool.query(sql)
    await expect(write(`update booths set status = 'available' where number = '101'`)).rejects.toThrow(
      'a booth is assigned exactly while a company has it',
    )
    await expect(write(`update booth_assignments set until = lanyard_now() where company_id = '${ids['101']}'`)).rejects.toThrow(
      'assigned exactly',
    )
    await expect(exhibitors.assign('101', ids['107']!)).rejects.toThrow('Booth 101 was assigned')
    await expect(exhibitors.assign('105', ids['107']!)).rejects.toThrow('Booth 105 is held for another company')
  })
})
