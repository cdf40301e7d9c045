import { sql } from 'kysely'
import { notFound, preconditionFailed } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { type ListedBooth, readBoothsOfPlans } from '../booths/read-booths.ts'
import { readBoothLocationQuality } from '../booths/plan-cache.ts'
import { type ExhibitorContext, readLiveOrTestConfiguration } from '../context.ts'
import { computeBoothMeasurements } from '../floor/booth-figures.ts'
import { buildFloorSpatialIndex } from '../floor/floor-index.ts'
import type { FloorPlanRow } from '../floor/floor-plans.ts'
import { fromTenthsOfMillimetres, type Polygon } from '../floor/plan-shapes.ts'
import { computePolygonArea, computeOverlapArea, findSmallestRectangle } from '../floor/polygons.ts'
import { readRankedPriorityPoints } from '../applications/read.ts'
import type { BoothAssignmentApplicant, BoothAssignmentInputs, ProposalBooth } from './problem.ts'
import type { StoredProposalInput } from './stored.ts'

/** The input of a proposal for booth assignments, and the database rows that it was read from. */
export interface AssignmentProblemData {
  problem: BoothAssignmentInputs
  plans: FloorPlanRow[]
  booths: ListedBooth[]
}

/** Finds the floor plans on which booths are proposed: the given ones, otherwise all published ones. */
export async function listFloorPlansForProposal(ctx: ExhibitorContext, codes: readonly string[] | undefined): Promise<FloorPlanRow[]> {
  const plans = await eventDb(ctx).selectFrom('floor_plans').selectAll().where('status', '=', 'published').orderBy('id').execute()
  const missing = codes?.find((code) => !plans.some((plan) => plan.code === code))
  if (missing !== undefined) throw notFound(`No published floor plan ${missing} at this event. Use list_floor_plans to see the plans`)
  return codes === undefined ? plans : plans.filter(({ code }) => codes.includes(code))
}

export async function readAssignmentProblem(ctx: ExhibitorContext, input: StoredProposalInput): Promise<AssignmentProblemData> {
  const plans = await eventDb(ctx)
    .selectFrom('floor_plans')
    .selectAll()
    .where('id', '=', sql<string>`any(${input.floorPlanIds})`)
    .orderBy('id')
    .execute()
  const booths = await readBoothsOfPlans(ctx, plans)
  const rows = await readApplicants(ctx, input)
  const offered = await readOfferedBooths(ctx)
  const companies = new Set(rows.map(({ companyId }) => companyId))
  const isHeld = ({ row }: ListedBooth) => row.status === 'held' && (input.keepHeld || offered.has(row.id))
  const isCandidate = ({ row }: ListedBooth) =>
    row.status === 'available' || (row.status === 'held' && !offered.has(row.id) && (!input.keepHeld || companies.has(row.held_for!)))
  const candidates = booths.filter(isCandidate)
  if (candidates.length === 0) throw preconditionFailed('No booth is available on these floor plans')
  const quality = await readQualities(plans, booths)
  const { config } = await readLiveOrTestConfiguration(ctx, false)
  const problem: BoothAssignmentInputs = {
    booths: candidates.map((booth) => toProposalBooth(booth, quality.get(booth.row.id) ?? 0, input.keepHeld)),
    applicants: await addLastYear(ctx, rows, candidates),
    fixed: booths
      .filter((booth) => booth.row.status === 'assigned' || (isHeld(booth) && !isCandidate(booth)))
      .map(({ row, company }) => ({ companyId: company!.id, planId: row.floor_plan_id, polygon: row.polygon })),
    competitors: await readCompetitors(ctx),
    sizes: new Map(config.exhibitorConfig.boothSizes.map(({ code, width, depth }) => [code, { width, depth }])),
    typeOf: createTypeReader(plans, booths),
    rules: input,
  }
  return { problem, plans, booths }
}

const toProposalBooth = ({ row, figures }: ListedBooth, quality: number, keepHeld: boolean): ProposalBooth => {
  const { width, depth } = findSmallestRectangle(row.polygon)
  return {
    id: row.id,
    number: row.number,
    planId: row.floor_plan_id,
    polygon: row.polygon,
    area: figures.area,
    width: fromTenthsOfMillimetres(width, 'm'),
    depth: fromTenthsOfMillimetres(depth, 'm'),
    sizeCode: row.size_code,
    zoneCode: row.zone_code,
    type: figures.type,
    quality,
    heldFor: keepHeld ? row.held_for : null,
  }
}

async function readApplicants(
  ctx: ExhibitorContext,
  { statuses, applicationNumbers }: StoredProposalInput,
): Promise<BoothAssignmentApplicant[]> {
  const points = await readRankedPriorityPoints(ctx)
  let query = eventDb(ctx)
    .selectFrom('booth_applications')
    .select(['id', 'number', 'company_id', 'submitted_at', 'wanted'])
    .where('is_test_data', '=', false)
    .where('status', '=', sql<'approved'>`any(${statuses})`)
  if (applicationNumbers !== null) query = query.where('number', '=', sql<string>`any(${applicationNumbers})`)
  const rows = await query.orderBy('number').execute()
  const missing = applicationNumbers?.find((number) => !rows.some((row) => row.number === number))
  if (missing !== undefined) throw preconditionFailed(`Booth application ${missing} is not ${statuses.join(' or ')}`)
  if (rows.length === 0) throw preconditionFailed(`No booth application is ${statuses.join(' or ')}`)
  return rows.map((row) => ({
    number: row.number!,
    companyId: row.company_id,
    points: points.get(row.id)!.total,
    submittedAt: row.submitted_at,
    wanted: row.wanted,
    lastYear: new Set<string>(),
  }))
}

async function readOfferedBooths(ctx: ExhibitorContext): Promise<Set<string>> {
  const rows = await eventDb(ctx).selectFrom('booth_applications').select('offer_booth_ids').where('status', '=', 'offered').execute()
  return new Set(rows.flatMap(({ offer_booth_ids }) => offer_booth_ids))
}

async function readCompetitors(ctx: ExhibitorContext): Promise<[string, string][]> {
  const rows = await eventDb(ctx).selectFrom('company_competitors').select(['company_id', 'competitor_id']).execute()
  return rows.map(({ company_id, competitor_id }) => [company_id, competitor_id])
}

/** Reads how easily visitors find each booth (its quality), by booth id. Booths on plans without an entrance are left out. */
async function readQualities(plans: readonly FloorPlanRow[], booths: readonly ListedBooth[]): Promise<Map<string, number>> {
  const qualities = new Map<string, number>()
  for (const plan of plans) {
    const rows = booths.filter(({ row }) => row.floor_plan_id === plan.id).map(({ row }) => row)
    for (const [id, { quality }] of (await readBoothLocationQuality(plan, rows)) ?? []) qualities.set(id, quality)
  }
  return qualities
}

function createTypeReader(plans: readonly FloorPlanRow[], booths: readonly ListedBooth[]): BoothAssignmentInputs['typeOf'] {
  const floors = new Map(
    plans.map((plan) => {
      const shapes = booths.filter(({ row }) => row.floor_plan_id === plan.id).map(({ row }) => row)
      return [plan.id, { units: plan.units, floor: buildFloorSpatialIndex({ ...plan, booths: shapes }) }]
    }),
  )
  return (planId, polygon) => {
    const { floor, units } = floors.get(planId)!
    return computeBoothMeasurements(floor, polygon, units).type
  }
}

/** For applicants who ask for the same booth as before, finds the booths that match those of their last event of the same client. */
async function addLastYear(
  ctx: ExhibitorContext,
  applicants: BoothAssignmentApplicant[],
  booths: readonly ListedBooth[],
): Promise<BoothAssignmentApplicant[]> {
  const asking = applicants.filter(({ wanted }) => wanted.sameAsLastYear).map(({ companyId }) => companyId)
  if (asking.length === 0) return applicants
  const { rows } = await sql<{ companyId: string; eventId: string; number: string; planCode: string; polygon: Polygon }>`
    select own.id as "companyId", e.id as "eventId", b.number, p.code as "planCode", b.polygon
    from companies own
    join companies c on c.tenant_id = own.tenant_id and c.organization_id = own.organization_id and c.event_id <> own.event_id
    join events e on e.tenant_id = c.tenant_id and e.id = c.event_id
    join events now on now.tenant_id = own.tenant_id and now.id = own.event_id and e.starts_on < now.starts_on and e.client_id = now.client_id
    join booth_assignments a on a.tenant_id = c.tenant_id and a.event_id = c.event_id and a.company_id = c.id and a.until is null
    join booths b on b.tenant_id = a.tenant_id and b.event_id = a.event_id and b.id = a.booth_id
    join floor_plans p on p.tenant_id = b.tenant_id and p.event_id = b.event_id and p.id = b.floor_plan_id
    where own.tenant_id = ${ctx.tenantId} and own.event_id = ${ctx.event.id} and own.id = any(${asking})
    order by e.starts_on desc, e.id`.execute(ctx.db)
  const latest = new Map(rows.toReversed().map(({ companyId, eventId }) => [companyId, eventId]))
  const places = Map.groupBy(
    rows.filter(({ companyId, eventId }) => latest.get(companyId) === eventId),
    ({ companyId }) => companyId,
  )
  return applicants.map((applicant) => {
    const had = applicant.wanted.sameAsLastYear ? (places.get(applicant.companyId) ?? []) : []
    return had.length === 0
      ? applicant
      : { ...applicant, lastYear: new Set(booths.filter((one) => isSamePlace(one, had)).map(({ row }) => row.id)) }
  })
}

/** Whether a booth matches the former booth of a company: same number, or at least half of its area on the plan with the same code. */
const isSamePlace = ({ row, plan }: ListedBooth, had: readonly { number: string; planCode: string; polygon: Polygon }[]) =>
  had.some(
    ({ number, planCode, polygon }) =>
      number.toLowerCase() === row.number.toLowerCase() ||
      (planCode === plan.code && computeOverlapArea(row.polygon, polygon) >= computePolygonArea(polygon) / 2),
  )
