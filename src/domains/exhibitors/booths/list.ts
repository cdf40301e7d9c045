import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { decryptCursor, paginateSorted } from '../../../kernel/page.ts'
import { buildWordMatchCondition } from '../../../kernel/search.ts'
import { sumLineAmounts } from '../../orders/record-sale.ts'
import { getCompany } from '../companies.ts'
import { compareBoothNumbers } from '../company-facts.ts'
import type { BoothType } from '../floor/booth-figures.ts'
import { measureShapeDistance, toPolygonWithBoundingBox } from '../floor/distance.ts'
import { toAreaInPlanUnits, toSquareMetres, toTenthsOfMillimetres } from '../floor/plan-shapes.ts'
import { computePolygonArea } from '../floor/polygons.ts'
import { getBoothByNumber } from './lock.ts'
import { readBoothLocationQuality } from './plan-cache.ts'
import {
  type LISTED_BOOTH_STATUSES,
  type ListedBooth,
  listUnarchivedFloorPlans,
  readBoothsOfPlans,
  toMoneyAmounts,
  toBoothSummary,
} from './read-booths.ts'

export const BOOTH_SORTS = ['number', 'area', 'price', 'quality'] as const

interface BoothFilter {
  floorPlanCode?: string | undefined
  status?: readonly (typeof LISTED_BOOTH_STATUSES)[number][] | undefined
  sizeCode?: string | undefined
  type?: BoothType | undefined
  zoneCode?: string | undefined
  minArea?: number | undefined
  maxArea?: number | undefined
  companyId?: string | undefined
  search?: string | undefined
  near?: { boothNumber: string; distance: number } | undefined
  sort?: (typeof BOOTH_SORTS)[number] | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

/** Lists booths with their areas and today's prices. Prices are sorted in ascending order, areas and qualities in descending order. */
export async function listBoothInventory(ctx: EventContext, { sort = 'number', limit = 25, cursor, ...filter }: BoothFilter) {
  // Validates the cursor first, because a cursor of another search should be reported before an unknown floor plan.
  if (cursor !== undefined) decryptCursor(ctx, cursor)
  if (filter.companyId !== undefined) await getCompany(ctx, filter.companyId)
  const plans = await listUnarchivedFloorPlans(ctx, filter.floorPlanCode)
  const all = await readBoothsOfPlans(ctx, plans)
  const found = await filterBooths(ctx, all, filter)
  const quality = sort === 'quality' ? await readQuality(found, all) : new Map<string, number>()
  const { items, ...page } = paginateSorted(
    ctx,
    { limit, cursor },
    {
      rows: found,
      keyOf: (booth) => [toSortValue(booth, sort, quality), booth.row.number, booth.row.id],
      compare: compareKeys,
      shape: (booth) => ({
        ...toBoothSummary(ctx, booth),
        ...(quality.has(booth.row.id) ? { quality: quality.get(booth.row.id)! } : {}),
      }),
    },
  )
  return { booths: items, total: found.length, totals: toTotals(ctx, found), ...page }
}

async function filterBooths(ctx: EventContext, booths: readonly ListedBooth[], filter: BoothFilter): Promise<ListedBooth[]> {
  const { status, sizeCode, type, zoneCode, minArea = 0, maxArea = Infinity, companyId, search, near } = filter
  const matching = search === undefined ? null : await findMatching(ctx, search)
  const isNear = near === undefined ? () => true : await nearTo(ctx, near)
  return booths.filter(
    (booth) =>
      (status === undefined || status.some((one) => one === booth.row.status)) &&
      (sizeCode === undefined || booth.row.size_code === sizeCode) &&
      (zoneCode === undefined || booth.row.zone_code === zoneCode) &&
      (type === undefined || booth.figures.type === type) &&
      booth.figures.area >= minArea &&
      booth.figures.area <= maxArea &&
      (companyId === undefined || booth.company?.id === companyId) &&
      (matching === null || matching.has(booth.row.id)) &&
      isNear(booth),
  )
}

/** Finds the ids of booths whose number, company name or company code contains the search text. */
async function findMatching({ db, tenantId, event }: EventContext, search: string): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select b.id from booths b
    left join booth_assignments a on a.tenant_id = b.tenant_id and a.event_id = b.event_id and a.booth_id = b.id and a.until is null
    left join companies c on c.tenant_id = b.tenant_id and c.event_id = b.event_id and c.id = coalesce(b.held_for, a.company_id)
    where b.tenant_id = ${tenantId} and b.event_id = ${event.id} and b.status <> 'merged'
      and ${buildWordMatchCondition(sql`lanyard_searched(b.number, c.name, c.code)`, search)}`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Whether another booth of the same plan is within the given distance, edge to edge, in the plan's units. */
async function nearTo(ctx: EventContext, { boothNumber, distance }: { boothNumber: string; distance: number }) {
  const centre = await getBoothByNumber(ctx, boothNumber)
  const shape = toPolygonWithBoundingBox(centre.polygon)
  return ({ row, plan }: ListedBooth) =>
    row.floor_plan_id === centre.floor_plan_id &&
    row.id !== centre.id &&
    measureShapeDistance(shape, toPolygonWithBoundingBox(row.polygon)) <= toTenthsOfMillimetres(distance, plan.units)
}

async function readQuality(found: readonly ListedBooth[], all: readonly ListedBooth[]): Promise<Map<string, number>> {
  const quality = new Map<string, number>()
  for (const plan of new Set(found.map((booth) => booth.plan))) {
    const measured = await readBoothLocationQuality(
      plan,
      all.filter((booth) => booth.plan === plan).map(({ row }) => row),
    )
    for (const [id, one] of measured ?? []) quality.set(id, one.quality)
  }
  return quality
}

/** Returns the value by which booths are sorted in ascending order. Booths without a price or a quality come last. */
function toSortValue(
  { row, figures, price }: ListedBooth,
  sort: (typeof BOOTH_SORTS)[number],
  quality: ReadonlyMap<string, number>,
): number {
  if (sort === 'area') return -figures.areaM2
  if (sort === 'price') return price.lines.length > 0 ? price.total : Number.MAX_SAFE_INTEGER
  if (sort === 'quality') return -(quality.get(row.id) ?? -1)
  return 0
}

type Key = readonly (string | number)[]

const compareKeys = ([valueA, numberA, idA]: Key, [valueB, numberB, idB]: Key): number =>
  Number(valueA) - Number(valueB) || compareBoothNumbers(String(numberA), String(numberB)) || (idA! < idB! ? -1 : idA! > idB! ? 1 : 0)

/** Sums the areas of booths: in the plans' units, or in square metres if plans with different units are listed together. */
function toTotals({ event: { currency } }: EventContext, booths: readonly ListedBooth[]) {
  const area = booths.reduce((sum, { row }) => sum + computePolygonArea(row.polygon), 0)
  const units = new Set(booths.map(({ plan }) => plan.units))
  return {
    count: booths.length,
    area: units.size === 1 ? toAreaInPlanUnits(area, [...units][0]!) : toSquareMetres(area),
    areaM2: toSquareMetres(area),
    price: toMoneyAmounts(sumLineAmounts(booths.map(({ price }) => price)), currency),
  }
}
