import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { soakRounds } from '../../../../test/support/soak.ts'
import {
  toTenthsOfMillimetres,
  type Obstacle,
  type PointOfInterest,
  type Point,
  type Polygon,
  type PlanUnits,
} from '../floor/plan-shapes.ts'
import { computeBoundingBox, computeOverlapArea } from '../floor/polygons.ts'
import type { Hall, MaxFitLayoutOptions } from '../layout/hall.ts'
import { findMaxFitLayout, type MaxFitLayout } from '../layout/max-fit.ts'
import { findBestLayout } from './exhaustive-layout.ts'

const box = (units: PlanUnits, x: number, y: number, width: number, depth: number): Polygon =>
  (
    [
      [x, y],
      [x + width, y],
      [x + width, y + depth],
      [x, y + depth],
    ] as const
  ).map(([a, b]): Point => [toTenthsOfMillimetres(a, units), toTenthsOfMillimetres(b, units)])
const feet = (x: number, y: number, width: number, depth: number) => box('ft', x, y, width, depth)

const hallOf = (outer: Polygon, more: Partial<Hall> = {}): Hall => ({
  units: 'ft',
  outline: { outer, holes: [] },
  obstacles: [],
  aisles: [],
  zones: [],
  pois: [],
  kept: [],
  ...more,
})

/** The options of the specification's test vectors: booths and aisles are 10 ft (3 m) wide, on a grid of 1 ft (0.5 m). */
const optionsOf = (units: PlanUnits = 'ft', more: Partial<MaxFitLayoutOptions> = {}): MaxFitLayoutOptions => {
  const width = toTenthsOfMillimetres(units === 'ft' ? 10 : 3, units)
  return {
    module: { width, depth: width },
    sizeCode: null,
    aisle: width,
    crossAisle: width,
    perimeter: 'aisle',
    perimeterAisle: width,
    maxRun: 10,
    exitClear: { width: 2 * width, depth: 2 * width },
    pillars: 'forbid',
    clearance: 0,
    angles: null,
    grid: toTenthsOfMillimetres(units === 'ft' ? 1 : 0.5, units),
    mix: [],
    prefix: '',
    ...more,
  }
}

const pillar = (x: number, y: number, more: Partial<Obstacle> = {}): Obstacle => ({
  id: `p-${x}-${y}`,
  kind: 'pillar',
  polygon: feet(x - 1, y - 1, 2, 2),
  blocksWalking: true,
  ...more,
})
const NINE_PILLARS = [25, 50, 75].flatMap((x) => [25, 50, 75].map((y) => pillar(x, y)))
const poi = (kind: PointOfInterest['kind'], x: number, y: number): PointOfInterest => ({
  id: `${kind}-${x}`,
  kind,
  name: kind,
  point: [toTenthsOfMillimetres(x, 'ft'), toTenthsOfMillimetres(y, 'ft')],
})

const SQUARE = feet(0, 0, 100, 100)
const counts = ({ candidates, booths, corners, angle }: MaxFitLayout) => ({
  candidates: candidates.map((one) => [one.angle, one.booths]),
  booths: booths.length,
  corners,
  angle,
})
/** The lower edges of the rows of booths in a layout at 0°, in feet. */
const bandsOf = ({ booths }: MaxFitLayout) =>
  [...new Set(booths.map(({ polygon }) => computeBoundingBox(polygon).bottom / 3048))].toSorted((a, b) => a - b)

describe('findMaxFitLayout', () => {
  it.each([
    [
      'A',
      hallOf(SQUARE),
      optionsOf(),
      {
        candidates: [
          [0, 48],
          [90, 48],
        ],
        booths: 48,
        corners: 12,
        angle: 0,
      },
    ],
    [
      'B',
      hallOf(SQUARE, { obstacles: NINE_PILLARS }),
      optionsOf(),
      {
        candidates: [
          [0, 32],
          [90, 32],
        ],
        booths: 32,
        corners: 12,
        angle: 0,
      },
    ],
    [
      'B with pillars allowed',
      hallOf(SQUARE, { obstacles: NINE_PILLARS }),
      optionsOf('ft', { pillars: 'allow' }),
      {
        candidates: [
          [0, 48],
          [90, 48],
        ],
        booths: 48,
        corners: 12,
        angle: 0,
      },
    ],
    [
      'C',
      hallOf(SQUARE, { pois: [poi('fireExit', 50, 0)] }),
      optionsOf(),
      {
        candidates: [
          [0, 46],
          [90, 46],
        ],
        booths: 46,
        corners: 12,
        angle: 0,
      },
    ],
    [
      'D',
      hallOf(feet(0, 0, 160, 100)),
      optionsOf(),
      {
        candidates: [
          [0, 78],
          [90, 80],
        ],
        booths: 80,
        corners: 20,
        angle: 90,
      },
    ],
    [
      'E',
      hallOf(box('m', 0, 0, 40, 30), { units: 'm' }),
      optionsOf('m'),
      {
        candidates: [
          [0, 60],
          [90, 64],
        ],
        booths: 64,
        corners: 16,
        angle: 90,
      },
    ],
    [
      'F',
      hallOf(feet(0, 0, 100, 90)),
      optionsOf(),
      {
        candidates: [
          [0, 40],
          [90, 42],
        ],
        booths: 42,
        corners: 12,
        angle: 90,
      },
    ],
    [
      'G',
      hallOf(feet(0, 0, 100, 90)),
      optionsOf('ft', { perimeter: 'booths' }),
      {
        candidates: [
          [0, 48],
          [90, 42],
        ],
        booths: 48,
        corners: 12,
        angle: 0,
      },
    ],
  ])('finds the layout of test vector %s of the specification', (_name, hall, options, expected) => {
    expect(counts(findMaxFitLayout(hall, options))).toEqual(expected)
  })

  it('places the double rows of test vector A at 10, 40 and 70 feet, and single rows on the long walls in test vector G', () => {
    const a = findMaxFitLayout(hallOf(SQUARE), optionsOf())
    expect([bandsOf(a), a.rows]).toEqual([[10, 20, 40, 50, 70, 80], 3])
    const g = findMaxFitLayout(hallOf(feet(0, 0, 100, 90)), optionsOf('ft', { perimeter: 'booths' }))
    expect([bandsOf(g), g.rows]).toEqual([[0, 20, 30, 50, 60, 80], 4])
  })

  it.each([
    ['maxRun of 4 adds a cross aisle', SQUARE, { maxRun: 4 }, 42],
    ['maxRun of 1 leaves islands', SQUARE, { maxRun: 1 }, 24],
    ['a wider aisle', SQUARE, { aisle: toTenthsOfMillimetres(20, 'ft') }, 32],
    ['a wider cross aisle', SQUARE, { crossAisle: toTenthsOfMillimetres(20, 'ft') }, 36],
    ['a module of 10 × 20', SQUARE, { module: { width: toTenthsOfMillimetres(10, 'ft'), depth: toTenthsOfMillimetres(20, 'ft') } }, 24],
    ['no perimeter aisle beyond the aisles themselves', SQUARE, { perimeterAisle: 0 }, 48],
    ['a perimeter of 15', SQUARE, { perimeterAisle: toTenthsOfMillimetres(15, 'ft') }, 35],
    ['an L-shaped hall', [...feet(0, 0, 100, 50).slice(0, 3), ...feet(0, 50, 50, 50).slice(1)], {}, 28],
  ] as const)('places the expected number of booths for the hall or option: %s', (_name, outer, more, booths) => {
    expect(findMaxFitLayout(hallOf(outer as Polygon), optionsOf('ft', more)).booths).toHaveLength(booths)
  })

  it('counts the booths lost to pillars, exits and zones, and places no booth on a blocked area', () => {
    const zone = { code: 'z', name: 'Stage', kind: 'reserved' as const, polygon: feet(40, 40, 20, 20) }
    const lostOf = (more: Partial<Hall>, options: Partial<MaxFitLayoutOptions> = {}) =>
      findMaxFitLayout(hallOf(SQUARE, more), optionsOf('ft', options)).lost
    expect(lostOf({ obstacles: NINE_PILLARS })).toEqual({ pillars: 16, exits: 0, zones: 0, unreachable: 0 })
    expect(lostOf({ pois: [poi('fireExit', 50, 0)] })).toEqual({ pillars: 0, exits: 2, zones: 0, unreachable: 0 })
    expect(lostOf({ zones: [zone] })).toEqual({ pillars: 0, exits: 0, zones: 4, unreachable: 0 })
    expect(lostOf({ zones: [{ ...zone, kind: 'pavilion' }] })).toMatchObject({ zones: 0 })
    // Only fire exits have a clear area.
    expect(lostOf({ pois: [poi('exit', 50, 0), poi('entrance', 20, 0)] })).toMatchObject({ exits: 0 })
    const boothsWith = (more: Partial<Hall>, options: Partial<MaxFitLayoutOptions> = {}) =>
      findMaxFitLayout(hallOf(SQUARE, more), optionsOf('ft', options)).booths.length
    const block = (kind: Obstacle['kind'], blocksWalking: boolean) => [
      pillar(50, 50, { kind, blocksWalking, polygon: feet(40, 40, 20, 20) }),
    ]
    expect(boothsWith({ obstacles: block('noBuild', false) })).toBe(44)
    expect(boothsWith({ obstacles: block('hanging', false) })).toBe(48)
    expect(boothsWith({ obstacles: block('wall', true) }, { pillars: 'allow' })).toBe(44)
    expect(boothsWith({ aisles: [{ id: 'm', kind: 'main', polygon: feet(40, 0, 20, 100) }] })).toBe(36)
    expect(boothsWith({ aisles: [{ id: 's', kind: 'standard', polygon: feet(40, 0, 20, 100) }] })).toBe(48)
    // A noBuild area in the aisle is walkable. A pillar in the aisle is not, and costs more booths if it needs a clearance.
    expect(boothsWith({ obstacles: [pillar(50, 35, { kind: 'noBuild', blocksWalking: false })] })).toBe(48)
    expect(boothsWith({ obstacles: [pillar(50, 51)] })).toBe(46)
    expect(boothsWith({ obstacles: [pillar(55, 55)] })).toBe(47)
    expect(boothsWith({ obstacles: [pillar(55, 55)] }, { clearance: toTenthsOfMillimetres(4, 'ft') })).toBe(47)
    expect(boothsWith({ obstacles: [pillar(55, 55)] }, { clearance: toTenthsOfMillimetres(5, 'ft') })).toBe(43)
    expect(boothsWith({ outline: { outer: SQUARE, holes: [feet(45, 45, 10, 10)] } }, { perimeter: 'booths' })).toBeLessThan(48)
  })

  it('keeps an aisle around existing booths that stay in a generated layout', () => {
    const kept = [feet(40, 40, 20, 20)]
    const { booths } = findMaxFitLayout(hallOf(SQUARE, { kept }), optionsOf())
    expect(booths.length).toBeGreaterThan(20)
    for (const { polygon } of booths) expect(computeOverlapArea(polygon, feet(30.01, 30.01, 39.98, 39.98))).toBe(0)
  })

  it("tries rows of booths at the angles of a turned hall's edges, and chooses the angle with the best layout", () => {
    const [cos, sin] = [Math.cos(Math.PI / 6), Math.sin(Math.PI / 6)]
    const turned = feet(0, 0, 160, 100).map(([x, y]): Point => [Math.round(x * cos - y * sin), Math.round(x * sin + y * cos)])
    const found = findMaxFitLayout(hallOf(turned), optionsOf())
    expect(found.candidates.map(({ angle }) => angle)).toEqual([0, 30, 90, 120])
    expect(found).toMatchObject({ angle: 120, corners: 20 })
    expect(found.booths).toHaveLength(80)
    expect(findMaxFitLayout(hallOf(turned), optionsOf('ft', { angles: [30, 210, 30.04] })).candidates).toEqual([{ angle: 30, booths: 78 }])
  })

  it('removes booths from a layout if no exit can be reached from them', () => {
    const wall = { id: 'w', kind: 'wall' as const, blocksWalking: true, polygon: feet(100, 0, 100, 100) }
    const twoRooms = hallOf(feet(0, 0, 300, 100), { obstacles: [wall] })
    const reached = (...exits: PointOfInterest[]) => {
      const { booths, lost, candidates } = findMaxFitLayout({ ...twoRooms, pois: exits }, optionsOf('ft', { angles: [0] }))
      return [booths.length, lost.unreachable, candidates[0]!.booths]
    }
    expect(reached(poi('exit', 0, 50))).toEqual([48, 48, 96])
    expect(reached(poi('exit', 0, 50), poi('exit', 300, 50))).toEqual([96, 0, 96])
    // A gap in the wall does not connect the rooms if it is narrower than an aisle.
    const gap = (width: number) =>
      findMaxFitLayout(
        { ...twoRooms, obstacles: [{ ...wall, polygon: feet(100, 0, 100, 100 - width) }], pois: [poi('exit', 0, 50)] },
        optionsOf('ft', { angles: [0] }),
      ).lost.unreachable
    expect([gap(9), gap(10)]).toEqual([48, 0])
  })

  it('warns about a hall without exits instead of checking the escape routes, and reports blocked exits', () => {
    expect(findMaxFitLayout(hallOf(SQUARE), optionsOf())).toMatchObject({ warnings: ['no_exits'], lost: { unreachable: 0 } })
    const check = (pois: PointOfInterest[], more: Partial<MaxFitLayoutOptions> = {}) => {
      const { checks, warnings } = findMaxFitLayout(hallOf(feet(0, 0, 100, 90), { pois }), optionsOf('ft', { angles: [0], ...more }))
      expect(warnings).toEqual([])
      return Object.fromEntries(checks.map(({ code, ok, value, limit }) => [code, [ok, value, limit]]))
    }
    expect(check([poi('exit', 0, 45), poi('fireExit', 50, 0)])).toMatchObject({
      aisle_width: [true, 10, 10],
      exits_reachable: [true, 2, 2],
      dead_ends: [true, 0, 0],
      run_length: [true, 8, 10],
      walk_to_exit: [true, expect.any(Number), 200],
    })
    // An ordinary exit has no clear area, so perimeter booths may stand before it.
    expect(check([poi('exit', 50, 0), poi('exit', 0, 45)], { perimeter: 'booths' })).toMatchObject({ exits_reachable: [false, 1, 2] })
  })

  it('numbers the booths of a layout by aisle and column', () => {
    const numbers = (found: MaxFitLayout) => found.booths.map(({ number }) => number)
    const a = numbers(findMaxFitLayout(hallOf(SQUARE), optionsOf()))
    expect(a.slice(0, 9)).toEqual(['102', '104', '106', '108', '110', '112', '114', '116', '201'])
    expect(a.slice(-8)).toEqual(['401', '403', '405', '407', '409', '411', '413', '415'])
    expect(new Set(a).size).toBe(48)
    expect(numbers(findMaxFitLayout(hallOf(SQUARE), optionsOf('ft', { prefix: 'B-' })))[0]).toBe('B-102')
    const long = numbers(findMaxFitLayout(hallOf(feet(0, 0, 600, 40)), optionsOf('ft', { angles: [0] })))
    expect([long[0], long.at(-1)]).toEqual(['1002', `${2000 + 2 * 58 - 1}`])
    expect(new Set(long).size).toBe(long.length)
  })

  it('joins grid cells into booths of the requested larger sizes at the ends of rows', () => {
    const mixed = (mix: MaxFitLayoutOptions['mix'], outer = SQUARE) => {
      const { booths, mixUnmet } = findMaxFitLayout(hallOf(outer), optionsOf('ft', { mix, sizeCode: 'one', angles: [0] }))
      return {
        sizes: booths
          .filter(({ sizeCode }) => sizeCode !== 'one')
          .map(({ number, sizeCode, polygon }) => {
            const { left, bottom, right, top } = computeBoundingBox(polygon)
            return [number, sizeCode, ...[left, bottom, right - left, top - bottom].map((tenths) => tenths / 3048)]
          }),
        mixUnmet,
        booths: booths.length,
      }
    }
    expect(
      mixed([
        { sizeCode: 'two', columns: 2, deep: 1, count: 2 },
        { sizeCode: 'four', columns: 2, deep: 2, count: 1 },
      ]),
    ).toEqual({
      sizes: [
        ['102', 'four', 10, 10, 20, 20],
        ['106', 'two', 30, 10, 20, 10],
        ['110', 'two', 50, 10, 20, 10],
      ].toSorted((a, b) => Number(a[0]) - Number(b[0])),
      mixUnmet: [],
      booths: 48 - 3 - 1 - 1,
    })
    // Each of the three double rows has eight columns, which is too few for a second booth of five columns.
    expect(mixed([{ sizeCode: 'wide', columns: 5, deep: 2, count: 5 }])).toMatchObject({
      mixUnmet: [{ sizeCode: 'wide', count: 2 }],
      booths: 48 - 3 * 9,
    })
    // A double row of exactly two columns becomes an island booth.
    expect(mixed([{ sizeCode: 'four', columns: 2, deep: 2, count: 1 }], feet(0, 0, 40, 40))).toEqual({
      sizes: [['102', 'four', 10, 10, 20, 20]],
      mixUnmet: [],
      booths: 1,
    })
  })

  it('returns the same booth layout for the same input, with all booths inside the hall', () => {
    const run = () => findMaxFitLayout(hallOf(SQUARE, { obstacles: NINE_PILLARS, pois: [poi('fireExit', 50, 0)] }), optionsOf())
    expect(JSON.stringify(run())).toBe(JSON.stringify(run()))
    expect(findMaxFitLayout(hallOf(feet(0, 0, 20, 20)), optionsOf())).toMatchObject({ booths: [], corners: 0, rows: 0 })
    const off = findMaxFitLayout(
      hallOf(SQUARE),
      optionsOf('ft', { module: { width: toTenthsOfMillimetres(9.5, 'ft'), depth: toTenthsOfMillimetres(9.5, 'ft') } }),
    )
    expect(off).toMatchObject({ warnings: ['no_exits', 'module_off_grid'], booths: { length: 48 } })
  })
})

describe('findMaxFitLayout against exhaustive search', () => {
  const side = fc.integer({ min: 6, max: 20 })
  const place = fc.integer({ min: 0, max: 18 })
  const shape = fc.record({ x: place, y: place, width: fc.integer({ min: 1, max: 4 }), depth: fc.integer({ min: 1, max: 4 }) })
  const small = fc.integer({ min: 1, max: 3 })
  const halls = fc.record({
    columns: side,
    rows: side,
    notch: fc.option(shape, { freq: 2 }),
    hole: fc.option(shape, { freq: 3 }),
    walls: fc.array(shape, { maxLength: 3 }),
    pillars: fc.array(shape, { maxLength: 2 }),
    reserved: fc.array(shape, { maxLength: 1 }),
    kept: fc.option(shape, { freq: 3 }),
    width: fc.integer({ min: 2, max: 4 }),
    depth: small,
    aisle: small,
    crossAisle: small,
    perimeterAisle: fc.integer({ min: 0, max: 3 }),
    perimeter: fc.constantFrom('aisle' as const, 'booths' as const),
    pillarsAllowed: fc.boolean(),
    maxRun: fc.integer({ min: 1, max: 4 }),
  })

  it('finds as many booths and corners as an exhaustive search in 200 random halls of up to 20 × 20 cells', () => {
    let placed = 0
    fc.assert(
      fc.property(halls, (one) => {
        const metres = ({ x, y, width, depth }: { x: number; y: number; width: number; depth: number }) => box('m', x, y, width, depth)
        // A random hole is left out if it reaches the edge of the hall.
        const hole =
          one.hole &&
          one.hole.x > 0 &&
          one.hole.y > 0 &&
          one.hole.x + one.hole.width < one.columns &&
          one.hole.y + one.hole.depth < one.rows
            ? one.hole
            : null
        const notch = one.notch && one.notch.width < one.columns && one.notch.depth < one.rows ? one.notch : null
        const outer = notch
          ? [
              ...box('m', 0, 0, one.columns, one.rows).slice(0, 2),
              ...box('m', one.columns - notch.width, one.rows - notch.depth, notch.width, notch.depth)
                .slice(0, 2)
                .toReversed()
                .flatMap(([x, y], i): Point[] =>
                  i === 0
                    ? [[x, y]]
                    : [
                        [x, y],
                        [x, toTenthsOfMillimetres(one.rows, 'm')],
                      ],
                ),
              box('m', 0, 0, one.columns, one.rows)[3]!,
            ]
          : box('m', 0, 0, one.columns, one.rows)
        const hall = hallOf(outer, {
          units: 'm',
          outline: { outer, holes: hole ? [metres(hole)] : [] },
          obstacles: [
            ...one.walls.map((wall, i) => ({ id: `w${i}`, kind: 'wall' as const, polygon: metres(wall), blocksWalking: true })),
            ...one.pillars.map((wall, i) => ({ id: `p${i}`, kind: 'pillar' as const, polygon: metres(wall), blocksWalking: true })),
          ],
          zones: one.reserved.map((zone, i) => ({ code: `z${i}`, name: 'Reserved', kind: 'reserved' as const, polygon: metres(zone) })),
          kept: one.kept ? [metres(one.kept)] : [],
        })
        const length = (cells: number) => toTenthsOfMillimetres(cells, 'm')
        const found = findMaxFitLayout(
          hall,
          optionsOf('m', {
            module: { width: length(one.width), depth: length(one.depth) },
            aisle: length(one.aisle),
            crossAisle: length(one.crossAisle),
            perimeterAisle: length(one.perimeterAisle),
            perimeter: one.perimeter,
            pillars: one.pillarsAllowed ? 'allow' : 'forbid',
            maxRun: one.maxRun,
            grid: length(1),
            angles: [0],
          }),
        )
        expect([found.candidates[0]!.booths, found.corners]).toEqual(findBestLayout({ ...one, hole, notch }))
        placed += found.booths.length
      }),
      { numRuns: soakRounds(200) },
    )
    expect(placed).toBeGreaterThan(1000)
  })
})
