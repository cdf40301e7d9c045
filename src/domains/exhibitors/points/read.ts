import { sql } from 'kysely'
import { getCurrencyDecimals } from '../../../kernel/money.ts'
import { eventDb, tenantDb } from '../../../kernel/scoped-db.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import type { EventConfig } from '../../configuration/schema/event-config.ts'
import type { ExhibitorContext } from '../context.ts'
import type { PlanUnits } from '../floor/plan-shapes.ts'
import { TENTHS_OF_MM_PER_METRE, toTenthsOfMillimetres } from '../floor/plan-shapes.ts'
import { computePolygonArea } from '../floor/polygons.ts'
import { calculatePriorityPoints, type CompanyPointsInput, countConsecutiveYears, type PriorityPoints } from './calculate.ts'

export type PriorityPointsScope = Pick<ExhibitorContext, 'tenantId' | 'db' | 'client' | 'event'>

type PointsConfig = Pick<EventConfig, 'exhibitorConfig'>

/** Side length of a booth module (the smallest booth), in the units of the floor plan. */
const MODULE_SIDE: Record<PlanUnits, number> = { m: 3, ft: 10 }
const moduleArea = (units: PlanUnits) => toTenthsOfMillimetres(MODULE_SIDE[units], units) ** 2
const countModules = (area: number, units: PlanUnits) => Math.max(1, Math.round(area / moduleArea(units)))

/** The fields of a booth application that affect its priority points. */
export interface ApplicationPointsInput {
  companyId: string
  submittedAt: Date | null
  /** Code of the first booth size that the application wants. */
  firstSize: string | null
  /** The priority points that were stored when a proposal was applied; null if the points are still recalculated. */
  frozen: number | null
}

/** Reads the facts about companies once, and returns a function that calculates the priority points of an application. */
export async function createPriorityPointsCalculator(
  ctx: PriorityPointsScope,
  config: PointsConfig,
  companyIds: readonly string[] | 'all',
): Promise<(application: ApplicationPointsInput) => PriorityPoints> {
  const rules = config.exhibitorConfig.points?.rules ?? []
  const kinds = new Set(rules.map(({ kind }) => kind))
  const facts = await readCompanyFacts(ctx, companyIds, kinds)
  const sizes = new Map(
    config.exhibitorConfig.boothSizes.map(({ code, width, depth }) => [code, width * depth * TENTHS_OF_MM_PER_METRE ** 2]),
  )
  const digits = getCurrencyDecimals(ctx.event.currency)
  return ({ companyId, submittedAt, firstSize, frozen }) => {
    const company = facts.companies.get(companyId) ?? NO_FACTS
    const wanted = firstSize === null ? undefined : sizes.get(firstSize)
    const modules = company.modules > 0 || wanted === undefined ? company.modules : countModules(wanted, facts.units)
    const submittedOn = submittedAt === null ? null : toDayInZone(ctx.event.timezone, submittedAt)
    const points = calculatePriorityPoints(rules, { ...company, modules, submittedOn }, digits)
    return frozen === null ? points : { ...points, total: frozen }
  }
}

/**
 * Calculates the priority points of companies for their main application, or for the latest additional one. For companies without a live
 * application, rules about applications give no points.
 */
export async function readCompanyPriorityPoints(
  ctx: PriorityPointsScope,
  config: PointsConfig,
  companyIds: readonly string[] | 'all',
): Promise<Map<string, PriorityPoints>> {
  const those = companyIds === 'all' ? sql`` : sql`and c.id = any(${companyIds})`
  const { rows } = await sql<{ companyId: string; submittedAt: Date | null; firstSize: string | null; frozen: string | null }>`
    select distinct on (c.id) c.id as "companyId", a.submitted_at as "submittedAt", a.wanted -> 'sizes' ->> 0 as "firstSize", a.points as frozen
    from companies c left join booth_applications a on a.tenant_id = c.tenant_id and a.event_id = c.event_id and a.company_id = c.id
      and a.status not in ('draft', 'rejected', 'withdrawn', 'cancelled')
    where c.tenant_id = ${ctx.tenantId} and c.event_id = ${ctx.event.id} ${those}
    order by c.id, a.additional, a.submitted_at desc`.execute(ctx.db)
  const calculate = await createPriorityPointsCalculator(ctx, config, companyIds)
  return new Map(rows.map((row) => [row.companyId, calculate({ ...row, frozen: row.frozen === null ? null : Number(row.frozen) })]))
}

const NO_FACTS: CompanyPointsInput = {
  yearsExhibited: 0,
  consecutiveYears: 0,
  modules: 0,
  sponsorAmount: 0,
  roomNights: 0,
  tags: new Set(),
  adjustments: 0,
}

type RuleKinds = ReadonlySet<string>

async function readCompanyFacts(
  ctx: PriorityPointsScope,
  companyIds: readonly string[] | 'all',
  kinds: RuleKinds,
): Promise<{ companies: Map<string, CompanyPointsInput>; units: PlanUnits }> {
  let query = eventDb(ctx).selectFrom('companies').select(['id', 'organization_id', 'sponsor_amount', 'sponsor_level', 'categories'])
  if (companyIds !== 'all') query = query.where('id', '=', sql<string>`any(${companyIds})`)
  const rows = await query.execute()
  const organizations = [...new Set(rows.map(({ organization_id }) => organization_id))]
  const years = kinds.has('yearsExhibited') || kinds.has('consecutiveYears') ? await readYears(ctx, organizations) : new Map()
  const adjustments = await readAdjustments(ctx, organizations)
  const { modules, units } = kinds.has('modules') ? await readModules(ctx) : { modules: new Map(), units: 'm' as const }
  const nights = kinds.has('roomNights') ? await readRoomNights(ctx) : new Map<string, number>()
  const tags = kinds.has('flat') ? await readStaffTags(ctx) : new Map<string, string[]>()
  const eventYear = years.size === 0 ? 0 : await readEventYear(ctx)
  const companies = rows.map(({ id, organization_id, sponsor_amount, sponsor_level, categories }): [string, CompanyPointsInput] => {
    const exhibited: readonly number[] = years.get(organization_id) ?? []
    return [
      id,
      {
        yearsExhibited: exhibited.length,
        consecutiveYears: countConsecutiveYears(exhibited, eventYear),
        modules: modules.get(id) ?? 0,
        sponsorAmount: sponsor_amount ?? 0,
        roomNights: nights.get(id) ?? 0,
        tags: new Set([...categories, ...(sponsor_level === null ? [] : [sponsor_level]), ...(tags.get(id) ?? [])]),
        adjustments: adjustments.get(organization_id) ?? 0,
      },
    ]
  })
  return { companies: new Map(companies), units }
}

/**
 * The calendar years of the client's earlier events at which an organization exhibited: it had a booth when the event ended, or was active
 * at an event without any booth assignments in Lanyard.
 */
async function readYears(ctx: PriorityPointsScope, organizations: readonly string[]): Promise<Map<string, number[]>> {
  const { rows } = await sql<{ organizationId: string; years: number[] }>`
    select c.organization_id as "organizationId", array_agg(distinct extract(year from e.starts_on)::int) as years
    from companies c
    join events e on e.tenant_id = c.tenant_id and e.id = c.event_id and e.client_id = ${ctx.client.id}
    join events now on now.tenant_id = c.tenant_id and now.id = ${ctx.event.id} and e.starts_on < now.starts_on
    where c.tenant_id = ${ctx.tenantId} and c.organization_id = any(${organizations}) and c.status <> 'cancelled'
      and (exists (select from booth_assignments a where a.tenant_id = c.tenant_id and a.event_id = c.event_id and a.company_id = c.id and a.until is null)
        or c.status = 'active' and not exists (select from booth_assignments a where a.tenant_id = c.tenant_id and a.event_id = c.event_id))
    group by c.organization_id`.execute(ctx.db)
  return new Map(rows.map(({ organizationId, years }) => [organizationId, years]))
}

async function readEventYear(ctx: PriorityPointsScope): Promise<number> {
  const { starts_on } = await tenantDb(ctx)
    .selectFrom('events')
    .select('starts_on')
    .where('id', '=', ctx.event.id)
    .executeTakeFirstOrThrow()
  return Number(starts_on.slice(0, 4))
}

async function readAdjustments(ctx: PriorityPointsScope, organizations: readonly string[]): Promise<Map<string, number>> {
  const rows = await tenantDb(ctx)
    .selectFrom('points_entries')
    .select(['organization_id', sql<string>`sum(points)`.as('points')])
    .where('organization_id', '=', sql<string>`any(${organizations})`)
    .groupBy('organization_id')
    .execute()
  return new Map(rows.map(({ organization_id, points }) => [organization_id, Number(points)]))
}

/** Reads the size of each company's booths in modules (smallest booths), and the units of the event's floor plans. */
async function readModules(ctx: PriorityPointsScope): Promise<{ modules: Map<string, number>; units: PlanUnits }> {
  const plans = await eventDb(ctx)
    .selectFrom('floor_plans')
    .select(['id', 'units'])
    .where('status', '<>', 'archived')
    .orderBy('id')
    .execute()
  const units = new Map(plans.map((plan) => [plan.id, plan.units]))
  const { rows } = await sql<{ companyId: string; planId: string; polygon: [number, number][] }>`
    select coalesce(b.held_for, a.company_id) as "companyId", b.floor_plan_id as "planId", b.polygon from booths b
    left join booth_assignments a on a.tenant_id = b.tenant_id and a.event_id = b.event_id and a.booth_id = b.id and a.until is null
    where b.tenant_id = ${ctx.tenantId} and b.event_id = ${ctx.event.id} and b.status in ('held', 'assigned')`.execute(ctx.db)
  const modules = new Map<string, number>()
  for (const { companyId, planId, polygon } of rows)
    modules.set(companyId, (modules.get(companyId) ?? 0) + countModules(computePolygonArea(polygon), units.get(planId) ?? 'm'))
  return { modules, units: plans[0]?.units ?? 'm' }
}

/**
 * Counts hotel nights in room blocks by company: all nights in blocks that the company owns, and nights of its participants in other
 * blocks.
 */
async function readRoomNights(ctx: PriorityPointsScope): Promise<Map<string, number>> {
  const { rows } = await sql<{ companyId: string; nights: number }>`
    select coalesce(case b.owner_kind when 'company' then b.owner_ref end, p.company_id) as "companyId", count(*)::int as nights
    from reservation_nights n
    join room_blocks b on b.tenant_id = n.tenant_id and b.event_id = n.event_id and b.id = n.block_id
    join participants p on p.tenant_id = n.tenant_id and p.event_id = n.event_id and p.id = n.participant_id
    where n.tenant_id = ${ctx.tenantId} and n.event_id = ${ctx.event.id} and n.status <> 'held'
    group by 1 having coalesce(case b.owner_kind when 'company' then b.owner_ref end, p.company_id) is not null`.execute(ctx.db)
  return new Map(rows.map(({ companyId, nights }) => [companyId, nights]))
}

async function readStaffTags(ctx: PriorityPointsScope): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ companyId: string; tags: string[] }>`
    select p.company_id as "companyId", array_agg(distinct t.tag) as tags from participants p cross join unnest(p.tags) t(tag)
    where p.tenant_id = ${ctx.tenantId} and p.event_id = ${ctx.event.id} and p.company_id is not null and p.status <> 'cancelled'
    group by p.company_id`.execute(ctx.db)
  return new Map(rows.map(({ companyId, tags }) => [companyId, tags]))
}
