import { recordChange } from '../../../kernel/audit.ts'
import { type FieldError, invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import type { ExhibitorContext } from '../context.ts'
import { type BoothRow, boothStates } from '../floor/booths.ts'
import { type FloorPlanRow, lockFloorPlan, toStoredPolygon } from '../floor/floor-plans.ts'
import { type Polygon, TENTHS_OF_MM_PER_METRE } from '../floor/plan-shapes.ts'
import { computePolygonArea, computeOverlapArea, findSmallestRectangle } from '../floor/polygons.ts'
import { compareBoothNumbers } from '../company-facts.ts'
import { type BoothShapeInput, readBoothSizes, requireFreeBoothNumber, toBoothPolygon } from './edit.ts'
import { getBoothByNumber, getBoothsByNumber, lockBooths, lockCompanies } from './lock.ts'
import { requireNoOpenOffer } from './offers.ts'
import { joinPolygons } from './shared-edges.ts'

/**
 * Joins booths that share full edges into one booth. The original booths stay stored, and a later split restores them. If they are held for
 * a company, the joined booth is held for it, too.
 */
export async function mergeBooths(
  ctx: ExhibitorContext,
  { numbers, number }: { numbers: readonly string[]; number: string },
): Promise<BoothRow> {
  const found = await getBoothsByNumber(ctx, numbers)
  const ids = [...new Set(found.map(({ id }) => id))]
  if (ids.length < 2) throw invalidArguments([{ path: 'numbers', message: 'names at least two booths' }])
  const plan = await lockSinglePlan(ctx, found)
  const parts = await lockBooths(ctx, ids)
  await requireNoOpenOffer(ctx, parts)
  const hold = requireMergeable(parts)
  const polygon = joinPolygons(parts.map((part) => part.polygon))
  if (!polygon) throw preconditionFailed(`Booths ${numbers.join(' and ')} do not share full edges`)
  if (!parts.some((part) => part.number.toLowerCase() === number.toLowerCase())) await requireFreeBoothNumber(ctx, number, null)
  const merged = await insertMerged(ctx, plan, { parts, number, polygon })
  return hold ? changeRecordState(ctx, boothStates, merged, 'held', { columns: hold, audited: { companyId: hold.held_for } }) : merged
}

async function insertMerged(
  ctx: ExhibitorContext,
  plan: FloorPlanRow,
  { parts, number, polygon }: { parts: readonly BoothRow[]; number: string; polygon: Polygon },
): Promise<BoothRow> {
  const id = newId()
  const zones = new Set(parts.map((part) => part.zone_code))
  const insert = {
    tenant_id: ctx.tenantId,
    event_id: ctx.event.id,
    id,
    floor_plan_id: plan.id,
    // The joined booth gets a temporary number first, because an original booth may keep the final number until it is marked as merged.
    number: `~${id.slice(-8)}`,
    polygon: JSON.stringify(polygon),
    size_code: await findSizeCode(ctx, polygon),
    zone_code: zones.size === 1 ? [...zones][0]! : null,
    utilities: [...new Set(parts.flatMap((part) => part.utilities))],
  }
  await ctx.db.insertInto('booths').values(insert).execute()
  for (const part of parts) {
    const free =
      part.status === 'held'
        ? await changeRecordState(ctx, boothStates, part, 'available', { columns: { held_for: null, held_until: null } })
        : part
    await changeRecordState(ctx, boothStates, free, 'merged', { columns: { merged_into: id }, audited: { mergedInto: number } })
  }
  recordChange(ctx, { kind: 'booth', id, after: { number, mergedFrom: parts.map((part) => part.number) } })
  return eventDb(ctx).updateTable('booths').set({ number }).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/**
 * Throws unless all booths are available or held for the same company. Returns the company and the latest end of the holds; null without a
 * hold.
 */
function requireMergeable(parts: readonly BoothRow[]): { held_for: string; held_until: Date } | null {
  const odd = parts.find(({ status }) => status !== 'available' && status !== 'held')
  if (odd) throw preconditionFailed(`Booth ${odd.number} is ${odd.status} and cannot be merged`)
  const holds = parts.filter(({ status }) => status === 'held')
  if (holds.length === 0) return null
  if (new Set(holds.map(({ held_for }) => held_for)).size > 1)
    throw preconditionFailed(`Booths ${holds.map(({ number }) => number).join(' and ')} are held for different companies`)
  const latest = holds.reduce((best, one) => (one.held_until! > best.held_until! ? one : best))
  return { held_for: latest.held_for!, held_until: latest.held_until! }
}

async function lockSinglePlan(ctx: ExhibitorContext, booths: readonly BoothRow[]): Promise<FloorPlanRow> {
  if (new Set(booths.map((booth) => booth.floor_plan_id)).size > 1) throw preconditionFailed('The booths are on different floor plans')
  // To avoid deadlocks, every change of held booths first locks the companies that hold them, and then the floor plan.
  const companies = booths.flatMap(({ held_for }) => (held_for === null ? [] : [held_for]))
  if (companies.length > 0) await lockCompanies(ctx, companies)
  const { code } = await eventDb(ctx)
    .selectFrom('floor_plans')
    .select('code')
    .where('id', '=', booths[0]!.floor_plan_id)
    .executeTakeFirstOrThrow()
  return lockFloorPlan(ctx, code)
}

/** Tolerance for comparing booth sizes: one centimetre, because sizes are given in metres and plans may be drawn in feet. */
const SIZE_TOLERANCE = 100

/**
 * Finds the booth size with the width and depth of a polygon, in either orientation. Null if the polygon is no rectangle or no size
 * matches.
 */
async function findSizeCode(ctx: ExhibitorContext, polygon: Polygon): Promise<string | null> {
  const { width, depth } = findSmallestRectangle(polygon)
  if (Math.abs(width * depth - computePolygonArea(polygon)) > SIZE_TOLERANCE * (width + depth)) return null
  const matches = (a: number, b: number) =>
    Math.abs(a * TENTHS_OF_MM_PER_METRE - width) <= SIZE_TOLERANCE && Math.abs(b * TENTHS_OF_MM_PER_METRE - depth) <= SIZE_TOLERANCE
  const sizes = [...(await readBoothSizes(ctx)).values()]
  return sizes.find((size) => matches(size.width, size.depth) || matches(size.depth, size.width))?.code ?? null
}

/** Maximum area that a split may leave uncovered: 0.01 m², in square tenths of millimetres. */
const MAX_LOST_AREA = 0.01 * TENTHS_OF_MM_PER_METRE ** 2

/**
 * Splits an available booth. A merged booth is split into the booths it was merged from, any other booth into the given booths, which must
 * cover it. Returns the new or restored booths.
 */
export async function splitBooth(
  ctx: ExhibitorContext,
  { number, into }: { number: string; into?: readonly BoothShapeInput[] | undefined },
): Promise<BoothRow[]> {
  const found = await getBoothByNumber(ctx, number)
  const plan = await lockSinglePlan(ctx, [found])
  const [booth] = (await lockBooths(ctx, [found.id])) as [BoothRow]
  if (booth.status !== 'available') throw preconditionFailed(`Booth ${booth.number} is ${booth.status} and cannot be split`)
  const parts = await eventDb(ctx)
    .selectFrom('booths')
    .selectAll()
    .where('merged_into', '=', booth.id)
    .where('was_split', '=', false)
    .orderBy('id')
    .execute()
  if (parts.length > 0) return restoreParts(ctx, booth, parts, into)
  if (!into || into.length < 2) throw invalidArguments([{ path: 'into', message: 'names at least two booths that cover the booth' }])
  return cutBooth(ctx, plan, booth, into)
}

/**
 * Restores the booths from which a booth was merged, with their polygons. They can get new numbers, for example if an old number is in use
 * by now.
 */
async function restoreParts(
  ctx: ExhibitorContext,
  booth: BoothRow,
  stored: readonly BoothRow[],
  into: readonly BoothShapeInput[] | undefined,
): Promise<BoothRow[]> {
  const parts = stored.toSorted((a, b) => compareBoothNumbers(a.number, b.number))
  if (into && (into.length !== parts.length || into.some(({ polygon, x }) => polygon ?? x)))
    throw invalidArguments([
      {
        path: 'into',
        message: `names ${parts.length} numbers without polygons: the booth was merged from ${parts.map((part) => part.number).join(', ')}`,
      },
    ])
  const numbers = parts.map((part, i) => into?.[i]!.number ?? part.number)
  const others = numbers.filter((one) => one.toLowerCase() !== booth.number.toLowerCase())
  for (const one of others) await requireFreeBoothNumber(ctx, one, null)
  await retire(ctx, booth, parts[0]!.id)
  const restored: BoothRow[] = []
  for (const [i, part] of parts.entries()) {
    restored.push(await changeRecordState(ctx, boothStates, part, 'available', { columns: { merged_into: null, number: numbers[i]! } }))
  }
  await removeUnused(ctx, booth)
  return restored
}

/** Replaces a booth that was never merged with smaller booths that cover it. */
async function cutBooth(ctx: ExhibitorContext, plan: FloorPlanRow, booth: BoothRow, into: readonly BoothShapeInput[]): Promise<BoothRow[]> {
  const problems: FieldError[] = []
  const pieces = into.map((piece, i) => {
    const drawn = toBoothPolygon(plan.units, piece, undefined)
    if (!drawn) problems.push({ path: `into/${i}`, message: 'needs a polygon, or x, y, width and depth' })
    return { number: piece.number, polygon: drawn ? toStoredPolygon(drawn, plan.units, `into/${i}`, problems) : [] }
  })
  if (problems.length > 0) throw invalidArguments(problems)
  requireCover(booth, pieces)
  for (const { number } of pieces) if (number.toLowerCase() !== booth.number.toLowerCase()) await requireFreeBoothNumber(ctx, number, null)
  const ids = pieces.map(() => newId())
  const shared = { tenant_id: ctx.tenantId, event_id: ctx.event.id, floor_plan_id: plan.id, zone_code: booth.zone_code }
  const rows = await Promise.all(
    pieces.map(async ({ polygon }, i) => ({
      ...shared,
      id: ids[i]!,
      number: `~${ids[i]!.slice(-8)}`,
      polygon: JSON.stringify(polygon),
      size_code: await findSizeCode(ctx, polygon),
    })),
  )
  await ctx.db.insertInto('booths').values(rows).execute()
  await retire(ctx, booth, ids[0]!)
  const parts: BoothRow[] = []
  for (const [i, { number }] of pieces.entries()) {
    recordChange(ctx, { kind: 'booth', id: ids[i]!, after: { number, splitFrom: booth.number } })
    parts.push(await eventDb(ctx).updateTable('booths').set({ number }).where('id', '=', ids[i]!).returningAll().executeTakeFirstOrThrow())
  }
  await removeUnused(ctx, booth)
  return parts
}

function requireCover(booth: BoothRow, pieces: readonly { number: string; polygon: Polygon }[]): void {
  const numbers = new Set(pieces.map(({ number }) => number.toLowerCase()))
  if (numbers.size < pieces.length) throw invalidArguments([{ path: 'into', message: 'uses a number twice' }])
  for (const [i, { number, polygon }] of pieces.entries()) {
    if (computePolygonArea(polygon) - computeOverlapArea(polygon, booth.polygon) > MAX_LOST_AREA)
      throw invalidArguments([{ path: `into/${i}`, message: `${number} lies outside booth ${booth.number}` }])
    const other = pieces.slice(0, i).find((one) => computeOverlapArea(one.polygon, polygon) > MAX_LOST_AREA)
    if (other) throw invalidArguments([{ path: `into/${i}`, message: `${number} overlaps ${other.number}` }])
  }
  const covered = pieces.reduce((sum, { polygon }) => sum + computePolygonArea(polygon), 0)
  if (computePolygonArea(booth.polygon) - covered > MAX_LOST_AREA)
    throw invalidArguments([{ path: 'into', message: `does not cover booth ${booth.number}` }])
}

/** Marks a booth that was split as replaced by the smaller booths, so that its number can be used again. */
const retire = (ctx: ExhibitorContext, booth: BoothRow, partId: string) =>
  changeRecordState(ctx, boothStates, booth, 'merged', { columns: { merged_into: partId, was_split: true }, audited: { split: true } })

/** Deletes a booth that was split, unless it is needed for its history: if a company ever had it or other booths were merged into it. */
async function removeUnused(ctx: ExhibitorContext, { id }: BoothRow): Promise<void> {
  const used = await eventDb(ctx).selectFrom('booth_assignments').select('id').where('booth_id', '=', id).limit(1).executeTakeFirst()
  const parts = await eventDb(ctx).selectFrom('booths').select('id').where('merged_into', '=', id).limit(1).executeTakeFirst()
  if (!used && !parts) await eventDb(ctx).deleteFrom('booths').where('id', '=', id).execute()
}
