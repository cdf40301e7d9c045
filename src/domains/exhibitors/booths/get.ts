import { sql } from 'kysely'
import { z } from 'zod'
import { toOneLine, count, flag, instant, list, money, object, oneOf, text, untrustedText } from '../../../kernel/args.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { invalidArguments, notFound } from '../../../kernel/errors.ts'
import { toMoney } from '../../../kernel/money.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { formatInstant } from '../../../kernel/time.ts'
import { readLiveOrTestConfiguration } from '../context.ts'
import { compareBoothNumbers } from '../company-facts.ts'
import { renderFloorPlan } from '../drawing/picture.ts'
import { measureShapeDistance, toPolygonWithBoundingBox } from '../floor/distance.ts'
import { fromTenthsOfMillimetres, TENTHS_OF_MM_PER_METRE } from '../floor/plan-shapes.ts'
import { createPriorityPointsCalculator } from '../points/read.ts'
import { getBoothByNumber } from './lock.ts'
import { readBoothLocationQuality } from './plan-cache.ts'
import { Booth, type ListedBooth, readBoothsOfPlans, toMoneyAmounts, toBoothSummary } from './read-booths.ts'
import { sharesEdge } from './shared-edges.ts'

const company = () => toOneLine(object({ companyId: text(), name: untrustedText() }), 'companyId, name')

export const BoothDetails = {
  booth: toOneLine(
    Booth.extend({
      units: oneOf(['m', 'ft']),
      areaM2: z.number(),
      polygon: list(z.array(z.number()), 500),
      priceOverride: money().optional(),
      utilities: list(text()),
      note: untrustedText().optional(),
      blockReason: untrustedText().optional(),
      mergedFrom: list(text()).optional(),
      revision: count(1, Number.MAX_SAFE_INTEGER),
    }),
    'as list_booths, polygon, areaM2, utilities, note, mergedFrom, blockReason, revision',
  ),
  price: toOneLine(
    object({
      lines: list(
        object({
          productCode: text().optional(),
          description: text(),
          quantity: count(),
          net: money(),
          tax: money(),
          total: money(),
        }),
      ),
      net: money(),
      tax: money(),
      total: money(),
    }),
    'lines[] productCode, quantity; net, tax, total',
  ),
  neighbours: toOneLine(
    list(object({ number: text(), company: company().optional(), distance: z.number(), sharesEdge: flag() }), 10_000),
    'number, company, distance, sharesEdge',
  ),
  quality: toOneLine(
    object({ quality: z.number(), exposure: z.number(), distanceToEntrance: z.number().optional() }),
    'quality 0-100, exposure, distanceToEntrance in metres',
  ).optional(),
  history: toOneLine(
    list(
      object({
        company: company(),
        from: instant(),
        until: instant().optional(),
        by: untrustedText(),
        applicationNumber: text().optional(),
        reason: untrustedText().optional(),
      }),
      10_000,
    ),
    'company, from, until, by, applicationNumber, reason',
  ),
  applicationsWanting: toOneLine(
    list(object({ number: text(), company: company(), rank: count(1, 10), points: z.number() }), 10_000),
    'number, company, rank, points',
  ),
}

type BoothName = { boothId?: string | undefined; number?: string | undefined }

/** Shows one booth with its neighbours, history, price and the applications that want it, and draws its surroundings. */
export async function describeBooth(ctx: EventContext, input: BoothName) {
  const { booth, booths, details } = await readBoothDetails(ctx, input)
  ctx.pictures.push(await renderFloorPlan(toDrawnPlan(booth, booths)))
  return details
}

/** Reads one booth with its neighbours, history, price and the applications that want it. */
export async function readBoothDetails(ctx: EventContext, input: BoothName) {
  const { floor_plan_id, id } = await findNamedBooth(ctx, input)
  const plan = await eventDb(ctx).selectFrom('floor_plans').selectAll().where('id', '=', floor_plan_id).executeTakeFirstOrThrow()
  const booths = await readBoothsOfPlans(ctx, [plan])
  const booth = booths.find(({ row }) => row.id === id)!
  const { config } = await readLiveOrTestConfiguration(ctx, false)
  const quality = (
    await readBoothLocationQuality(
      plan,
      booths.map(({ row }) => row),
    )
  )?.get(id)
  const details = {
    booth: await toDetails(ctx, booth),
    price: toPriceLines(ctx, booth),
    neighbours: listNeighbours(booth, booths, config.exhibitorConfig.competitorDistance),
    ...(quality ? { quality: toQuality(quality) } : {}),
    history: await readHistory(ctx, id),
    applicationsWanting: await readApplicationsWanting(ctx, config, booth.row.number),
  }
  return { booth, booths, details }
}

async function findNamedBooth(ctx: EventContext, { boothId, number }: BoothName) {
  if ((boothId === undefined) === (number === undefined))
    throw invalidArguments([{ path: 'number', message: 'send either number or boothId' }])
  if (number !== undefined) return getBoothByNumber(ctx, number)
  const row = await eventDb(ctx)
    .selectFrom('booths')
    .selectAll()
    .where('id', '=', boothId!)
    .where('status', '<>', 'merged')
    .executeTakeFirst()
  if (!row) throw notFound(`No booth ${boothId} at this event. Use list_booths to find it`)
  return row
}

async function toDetails(ctx: EventContext, booth: ListedBooth) {
  const { row, plan, figures } = booth
  const { price: _, ...summary } = toBoothSummary(ctx, booth)
  const parts = await eventDb(ctx)
    .selectFrom('booths')
    .select('number')
    .where('merged_into', '=', row.id)
    .where('was_split', '=', false)
    .execute()
  return {
    ...summary,
    units: plan.units,
    areaM2: figures.areaM2,
    polygon: row.polygon.map(([x, y]) => [fromTenthsOfMillimetres(x, plan.units), fromTenthsOfMillimetres(y, plan.units)]),
    ...(row.price_override === null ? {} : { priceOverride: toMoney(row.price_override, ctx.event.currency) }),
    utilities: row.utilities,
    ...(row.note === null ? {} : { note: row.note }),
    ...(row.block_reason === null ? {} : { blockReason: row.block_reason }),
    ...(parts.length > 0 ? { mergedFrom: parts.map((part) => part.number).toSorted(compareBoothNumbers) } : {}),
    revision: row.revision,
  }
}

function toPriceLines({ event: { currency } }: EventContext, { price }: ListedBooth) {
  const lines = price.lines.map(({ productCode, description, quantity, ...amounts }) => ({
    ...(productCode === null ? {} : { productCode }),
    description,
    quantity,
    ...toMoneyAmounts(amounts, currency),
  }))
  return { lines, ...toMoneyAmounts(price, currency) }
}

/**
 * Lists the booths of the plan within a distance in metres, measured edge to edge, nearest first. The result is in the units of the plan.
 */
function listNeighbours({ row, plan }: ListedBooth, booths: readonly ListedBooth[], metres: number) {
  const shape = toPolygonWithBoundingBox(row.polygon)
  return booths
    .filter((other) => other.row.id !== row.id)
    .map((other) => ({ other, distance: measureShapeDistance(shape, toPolygonWithBoundingBox(other.row.polygon)) }))
    .filter(({ distance }) => distance <= metres * TENTHS_OF_MM_PER_METRE)
    .toSorted((a, b) => a.distance - b.distance || compareBoothNumbers(a.other.row.number, b.other.row.number))
    .map(({ other, distance }) => ({
      number: other.row.number,
      ...(other.company ? { company: { companyId: other.company.id, name: other.company.name } } : {}),
      distance: fromTenthsOfMillimetres(distance, plan.units),
      sharesEdge: sharesEdge(row.polygon, other.row.polygon),
    }))
}

const toQuality = ({
  quality,
  exposure,
  distanceToEntrance,
}: {
  quality: number
  exposure: number
  distanceToEntrance: number | null
}) => ({
  quality,
  exposure,
  ...(distanceToEntrance === null ? {} : { distanceToEntrance }),
})

/** Reads the companies that had the booth, the latest first. */
async function readHistory({ db, tenantId, event }: EventContext, boothId: string) {
  const { rows } = await sql<{
    companyId: string
    name: string
    from: Date
    until: Date | null
    by: string
    application: string | null
    reason: string | null
  }>`
    select c.id as "companyId", c.name, a."from", a.until, a.by, p.number as application, a.end_reason as reason from booth_assignments a
    join companies c on c.tenant_id = a.tenant_id and c.event_id = a.event_id and c.id = a.company_id
    left join booth_applications p on p.tenant_id = a.tenant_id and p.event_id = a.event_id and p.id = a.application_id
    where a.tenant_id = ${tenantId} and a.event_id = ${event.id} and a.booth_id = ${boothId}
    order by a."from" desc, a.id desc limit 100`.execute(db)
  return rows.map(({ companyId, name, from, until, by, application, reason }) => ({
    company: { companyId, name },
    from: formatInstant(from),
    ...(until === null ? {} : { until: formatInstant(until) }),
    by,
    ...(application === null ? {} : { applicationNumber: application }),
    ...(reason === null ? {} : { reason }),
  }))
}

/** Reads the open applications that list the booth, sorted by the rank of the booth in the application, then by priority points. */
async function readApplicationsWanting(ctx: EventContext, config: Parameters<typeof createPriorityPointsCalculator>[1], number: string) {
  const { rows } = await sql<{
    number: string
    companyId: string
    name: string
    rank: number
    submittedAt: Date | null
    firstSize: string | null
    frozen: string | null
  }>`
    select a.number, c.id as "companyId", c.name, min(w.rank)::int as rank, a.submitted_at as "submittedAt",
      a.wanted -> 'sizes' ->> 0 as "firstSize", a.points as frozen
    from booth_applications a
    join companies c on c.tenant_id = a.tenant_id and c.event_id = a.event_id and c.id = a.company_id
    cross join jsonb_array_elements_text(coalesce(a.wanted -> 'boothNumbers', '[]')) with ordinality w(wish, rank)
    where a.tenant_id = ${ctx.tenantId} and a.event_id = ${ctx.event.id} and not a.is_test_data and lower(w.wish) = ${number.toLowerCase()}
      and a.status not in ('draft', 'accepted', 'rejected', 'withdrawn', 'cancelled')
    group by a.number, c.id, c.name, a.submitted_at, a.wanted, a.points`.execute(ctx.db)
  if (rows.length === 0) return []
  const calculate = await createPriorityPointsCalculator(
    ctx,
    config,
    rows.map(({ companyId }) => companyId),
  )
  return rows
    .map(({ number: application, companyId, name, rank, ...facts }) => ({
      number: application,
      company: { companyId, name },
      rank,
      points: calculate({ companyId, ...facts, frozen: facts.frozen === null ? null : Number(facts.frozen) }).total,
    }))
    .toSorted((a, b) => a.rank - b.rank || b.points - a.points || compareBoothNumbers(a.number, b.number))
}

const toDrawnPlan = ({ row, plan }: ListedBooth, booths: readonly ListedBooth[]) => ({
  name: plan.name,
  units: plan.units,
  outer: plan.outline.outer,
  holes: plan.outline.holes,
  obstacles: plan.obstacles.filter(({ blocksWalking }) => blocksWalking),
  booths: booths.map((booth) => ({
    number: booth.row.number,
    polygon: booth.row.polygon,
    label: booth.company?.name ?? null,
    look:
      booth.row.id === row.id
        ? ('chosen' as const)
        : booth.row.status === 'assigned'
          ? ('taken' as const)
          : booth.row.status === 'available'
            ? ('free' as const)
            : ('reserved' as const),
  })),
  pois: plan.pois,
  route: [],
})
