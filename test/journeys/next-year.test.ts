import { describe, expect, it } from 'vitest'
import { BOOTH_SECTIONS } from '../support/booths.ts'
import { buildRectangle } from '../support/companies.ts'
import { useJourney } from '../support/journey.ts'
import type { OrganizerAssistant } from '../support/organizer-assistant.ts'

const SECTIONS = {
  ...BOOTH_SECTIONS,
  exhibitorConfig: {
    ...BOOTH_SECTIONS.exhibitorConfig,
    boothSizes: [{ code: 'ten', name: '10 x 10 ft', width: 3.048, depth: 3.048, product: 'booth-small' }],
    points: { rules: [{ code: 'years', kind: 'yearsExhibited', points: 1 }] },
  },
}
const journey = useJourney(SECTIONS)
const NEXT = { eventCode: 'next-year' }
/** The assistant at last year's event; the same calls with NEXT are about next year's. */
const call = (tool: string, args?: object) => journey.assistant.call(tool, { ...args })
let next: OrganizerAssistant['call']

const [LAST_YEAR, OLD, NEW] = [48, 45, 10]
const nameOf = (n: number) => `Company ${n}`
const rowOf = (n: number) => ({ name: nameOf(n), contactName: `Connie ${n}`, contactEmail: `connie@company${n}.example` })
const listCompanies = async (at: object = {}): Promise<{ id: string; name: string }[]> =>
  (await call('manage_company', { ...at, action: 'list', limit: 100 })).companies
const readPoints = async (at: object = {}) => {
  const points = new Map<string, number>()
  for (const { id, name } of await listCompanies(at)) {
    const { company } = await call('manage_company', { ...at, action: 'get', companyId: id, include: ['points'] })
    points.set(name, company.points.total)
  }
  return points
}

/** A generator of equal numbers on every run (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function shuffle<T>(items: readonly T[], random: () => number): T[] {
  const shuffled = [...items]
  for (let n = shuffled.length - 1; n > 0; n--) {
    const other = Math.floor(random() * (n + 1))
    ;[shuffled[n], shuffled[other]] = [shuffled[other]!, shuffled[n]!]
  }
  return shuffled
}

/** Spearman's rank correlation with mean ranks for ties, calculated independently of the product. */
function rankCorrelation(pairs: readonly (readonly [number, number])[]): number {
  const rank = (values: readonly number[]) =>
    values.map((value) => values.filter((other) => other < value).length + (values.filter((other) => other === value).length + 1) / 2)
  const [a, b] = [rank(pairs.map(([x]) => x)), rank(pairs.map(([, y]) => y))]
  const mean = (pairs.length + 1) / 2
  const sum = (x: number[], y: number[]) => x.reduce((total, value, n) => total + (value - mean) * (y[n]! - mean), 0)
  return sum(a, b) / Math.sqrt(sum(a, a) * sum(b, b))
}

describe('the next edition of a show', () => {
  it("copies last year's event and floor plan with all booths available", async () => {
    const outline = { outer: buildRectangle(0, 0, 100, 100) }
    await call('manage_floor_plans', { action: 'create', code: 'hall', name: 'Hall', units: 'ft', outline })
    const pois = [
      { kind: 'entrance', point: [20, 1] },
      { kind: 'stage', point: [95, 50] },
      { kind: 'exit', point: [80, 99] },
    ]
    await call('manage_floor_plans', { action: 'update', floorPlanCode: 'hall', pois })
    const { layoutId, booths } = await call('generate_max_fit', { floorPlanCode: 'hall', sizeCode: 'ten' })
    expect(booths).toBe(LAST_YEAR)
    await call('manage_floor_plans', { action: 'apply_layout', layoutId, replace: 'none' })
    await call('manage_floor_plans', { action: 'publish', floorPlanCode: 'hall' })
    const numbers = (await call('list_booths', { limit: 100 })).booths.map(({ number }: { number: string }) => number)
    const rows = numbers.map((number: string, n: number) => ({ ...rowOf(n), boothNumbers: [number] }))
    expect(await call('import_companies', { rows })).toMatchObject({ created: LAST_YEAR, invalid: [] })
    expect((await call('list_floor_plans')).floorPlans[0].booths).toMatchObject({ assigned: 48 })
    // Companies get different priority points from earlier years.
    for (const [n, { id: companyId }] of (await listCompanies()).entries())
      await call('manage_company', { action: 'adjust_points', companyId, points: 1 + ((n * 7) % 50), reason: 'Merits before 2020' })

    await call('clone_event', { newCode: NEXT.eventCode, newName: 'The show, next year', startsOn: '2027-08-31' })
    await call('manage_floor_plans', { action: 'copy', floorPlanCode: 'hall', code: 'hall', toEventCode: NEXT.eventCode })
    next = (await journey.connect(journey.scenario.olga, NEXT)).call
    await next('publish_event', { acceptWarnings: true })
    await next('manage_floor_plans', { action: 'publish', floorPlanCode: 'hall' })
    const [plan] = (await next('list_floor_plans')).floorPlans
    expect(plan.booths).toEqual({ total: 48, available: 48, held: 0, assigned: 0, blocked: 0 })
    expect(await listCompanies(NEXT)).toEqual([])
  })

  it('recognizes 45 of 55 companies from last year, and gives each of them the priority point of another year', async () => {
    const before = await readPoints()
    // A company is recognized despite its legal form and another address.
    const old = Array.from({ length: OLD }, (_, n) => ({ ...rowOf(n), name: n % 3 === 0 ? `${nameOf(n)} GmbH` : nameOf(n) }))
    const fresh = Array.from({ length: NEW }, (_, n) => rowOf(100 + n))
    expect(await next('import_companies', { rows: [...old, ...fresh] })).toMatchObject({
      rows: 55,
      created: 55,
      ambiguous: [],
      invalid: [],
    })
    const organizations = await journey.rows(
      `select organization_id from companies group by 1 having count(distinct event_id) = 2 and count(*) = 2`,
    )
    expect(organizations).toHaveLength(OLD)
    const after = await readPoints(NEXT)
    for (const [n, { name }] of old.entries()) expect([name, after.get(name)]).toEqual([name, before.get(nameOf(n))! + 1])
    for (const { name } of fresh) expect([name, after.get(name)]).toEqual([name, 0])
  })

  it('proposes booths more fairly than at random, and splits the growth of sold space into classes that add up', async () => {
    for (const { id: companyId } of await listCompanies(NEXT)) {
      const { applications } = await next('manage_booth_application', {
        action: 'create',
        companyId,
        wanted: { sizes: ['ten'] },
        submit: true,
      })
      await next('manage_booth_application', { action: 'approve', number: applications[0].number })
    }
    const { proposalId, assigned, unassigned } = await next('propose_booth_assignments', { method: 'points' })
    expect([assigned.length, unassigned.length]).toEqual([48, 7])
    const { fairness, booths } = await next('analyze_placement', { floorPlanCode: 'hall', proposalId, limit: 100 })
    const qualities = new Map<string, number>(booths.map(({ number, quality }: any) => [number, quality]))
    const withPoints = assigned.filter((one: any) => one.points > 0)
    const placed = withPoints.map((one: any): [number, number] => [one.points, qualities.get(one.boothNumbers[0])!])
    expect(fairness.n).toBe(OLD)
    expect(rankCorrelation(placed)).toBeCloseTo(fairness.spearman, 2)
    const random = shuffle([...qualities.values()], randomFrom(1))
    expect(fairness.spearman).toBeGreaterThan(rankCorrelation(placed.map(([points]: [number, number], n: number) => [points, random[n]!])))
    expect(fairness.spearman).toBeGreaterThan(0.9)

    await next('manage_booth_application', { action: 'apply_proposal', proposalId, mode: 'assign' })
    const { summary, classes, retention } = await next('analyze_growth', { compareEventCode: journey.scenario.event.eventCode })
    const changes = Object.values(classes as Record<string, { companies: number; netChange: number }>)
    expect(changes.reduce((sum, { netChange }) => sum + netChange, 0)).toBeCloseTo(summary.net.now - summary.net.last, 6)
    expect(summary.companies).toMatchObject({ last: 48, now: 48 })
    const kept = withPoints.length
    expect(classes).toMatchObject({ new: { companies: 48 - kept }, same: { companies: kept }, lost: { companies: 48 - kept } })
    expect(retention.companies).toBeCloseTo((100 * kept) / 48, 1)
    expect(await journey.listViolations(NEXT)).toEqual([])
  })
})
