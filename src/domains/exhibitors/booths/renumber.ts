import { sql } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import { conflict, invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { ExhibitorContext } from '../context.ts'
import { type BoothRow, listBooths } from '../floor/booths.ts'
import { type FloorShapes, buildFloorSpatialIndex } from '../floor/floor-index.ts'
import { lockFloorPlan } from '../floor/floor-plans.ts'
import { findOpenBoothSides, getSideLength, type BoothSide } from '../floor/open-sides.ts'
import { TENTHS_OF_MM_PER_METRE } from '../floor/plan-shapes.ts'
import { computeBoundingBox } from '../floor/polygons.ts'

export const NUMBERING_SCHEMES = ['aisleHundreds', 'sequential'] as const

interface Renumbering {
  floorPlanCode: string
  scheme: (typeof NUMBERING_SCHEMES)[number]
  prefix?: string | undefined
  force?: boolean | undefined
}

const MAX_NUMBER_LENGTH = 12

/** Renumbers all booths of a plan. Published numbers are printed and linked, so changing them must be forced. Returns the booth ids. */
export async function renumberBooths(
  ctx: ExhibitorContext,
  { floorPlanCode, scheme, prefix = '', force = false }: Renumbering,
): Promise<string[]> {
  const plan = await lockFloorPlan(ctx, floorPlanCode)
  if (plan.status === 'published' && !force)
    throw preconditionFailed(`Floor plan ${floorPlanCode} is published, and its booth numbers are in use. Send force: true to renumber it`)
  const booths = await listBooths(ctx, plan.id)
  const numbers = scheme === 'sequential' ? numberInOrder(booths) : numberByAisles(booths, plan)
  const renumbered = booths.map((booth) => ({ booth, number: `${prefix}${numbers.get(booth.id)!}` }))
  if (renumbered.some(({ number }) => number.length > MAX_NUMBER_LENGTH))
    throw invalidArguments([{ path: 'prefix', message: `makes numbers longer than ${MAX_NUMBER_LENGTH} characters` }])
  const changed = renumbered.filter(({ booth, number }) => booth.number !== number)
  await requireFree(
    ctx,
    plan.id,
    changed.map(({ number }) => number),
  )
  // Booths get temporary numbers first, because a number may still belong to another booth of the plan.
  const setNumber = (id: string, number: string) => eventDb(ctx).updateTable('booths').set({ number }).where('id', '=', id).execute()
  for (const [i, { booth }] of changed.entries()) await setNumber(booth.id, `~${i}`)
  for (const { booth, number } of changed) {
    await setNumber(booth.id, number)
    recordChange(ctx, { kind: 'booth', id: booth.id, before: { number: booth.number }, after: { number } })
  }
  await renumberWishes(
    ctx,
    changed.map(({ booth, number }) => ({ before: booth.number, after: number })),
  )
  return booths.map(({ id }) => id)
}

/** Applications refer to the requested booths by number, so these numbers are changed as well. */
async function renumberWishes(ctx: ExhibitorContext, changed: readonly { before: string; after: string }[]): Promise<void> {
  if (changed.length === 0) return
  const [before, after] = [changed.map((one) => one.before.toLowerCase()), changed.map((one) => one.after)]
  await sql`
    update booth_applications a set wanted = jsonb_set(a.wanted, '{boothNumbers}', (
      select jsonb_agg(coalesce(m.after, n.number) order by n.place)
      from jsonb_array_elements_text(a.wanted -> 'boothNumbers') with ordinality as n (number, place)
      left join unnest(${before}::text[], ${after}::text[]) as m (before, after) on m.before = lower(n.number)))
    where a.tenant_id = ${ctx.tenantId} and a.event_id = ${ctx.event.id} and exists (
      select from jsonb_array_elements_text(a.wanted -> 'boothNumbers') as n (number) where lower(n.number) = any(${before}::text[]))`.execute(
    ctx.db,
  )
}

async function requireFree(ctx: ExhibitorContext, planId: string, numbers: readonly string[]): Promise<void> {
  const rows = await eventDb(ctx)
    .selectFrom('booths')
    .select('number')
    .where('floor_plan_id', '<>', planId)
    .where('status', '<>', 'merged')
    .execute()
  const taken = new Set(rows.map(({ number }) => number.toLowerCase()))
  const clash = numbers.find((number) => taken.has(number.toLowerCase()))
  if (clash !== undefined) throw conflict(`Booth number ${clash} is taken on another floor plan. Choose a prefix`)
}

/** Numbers booths 1, 2, 3 in rows: from the lowest y, and within a row from the lowest x. */
function numberInOrder(booths: readonly BoothRow[]): Map<string, number> {
  const sorted = booths
    .map(({ id, polygon }) => ({ id, ...computeBoundingBox(polygon) }))
    .toSorted((a, b) => a.bottom - b.bottom || a.left - b.left || (a.id < b.id ? -1 : 1))
  return new Map(sorted.map(({ id }, i) => [id, i + 1]))
}

/** Booths whose positions differ by at most half a metre are in one row. */
const SAME_LINE = TENTHS_OF_MM_PER_METRE / 2
const MAX_COLUMNS_PER_HUNDRED = 49

/** A booth with the position of its front, and whether it lies below (or left of) the aisle that it faces. */
interface FacingBooth {
  id: string
  /** Coordinate of the booth's front perpendicular to the aisles: y, or x if the aisles are vertical. */
  front: number
  isBelow: boolean
  /** Coordinate at which the booth begins along its aisle: x, or y if the aisles are vertical. */
  start: number
  width: number
}

/**
 * Numbers by aisles, counted from the lowest y: booths that face aisle k from below are 100k + 2c − 1, from above 100k + 2c, where c counts
 * columns from the left. If most booths face left or right, the aisles are counted from the lowest x instead.
 */
function numberByAisles(booths: readonly BoothRow[], plan: Omit<FloorShapes, 'booths'>): Map<string, number> {
  const floor = buildFloorSpatialIndex({ ...plan, booths })
  const sides = booths.map(({ polygon }) => findOpenBoothSides(floor, polygon))
  const across = (side: BoothSide) => Math.abs(side[1][0] - side[0][0]) >= Math.abs(side[1][1] - side[0][1])
  const horizontal = sides.filter((open) => open.some(across)).length
  const vertical = sides.filter((open) => open.some((side) => !across(side))).length
  const turned = vertical > horizontal
  const facing = booths.map((booth, i) => toFacing(booth, sides[i]!, turned))
  const aisles = assignAisles(facing)
  const [left, width] = [Math.min(...facing.map(({ start }) => start)), Math.min(...facing.map((one) => one.width))]
  const columnOf = ({ start }: FacingBooth) => Math.round((start - left) / width) + 1
  const hundred = facing.some((one) => columnOf(one) > MAX_COLUMNS_PER_HUNDRED) ? 1000 : 100
  const taken = new Set<number>()
  const numbers = new Map<string, number>()
  for (const one of facing.toSorted((a, b) => a.start - b.start || a.front - b.front || (a.id < b.id ? -1 : 1))) {
    let number = hundred * aisles.get(one.id)! + 2 * columnOf(one) - (one.isBelow ? 1 : 0)
    while (taken.has(number)) number += 2
    taken.add(number)
    numbers.set(one.id, number)
  }
  return numbers
}

/** Determines the front of a booth: its longest open side along the aisles, otherwise its lower side. */
function toFacing({ id, polygon }: BoothRow, open: readonly BoothSide[], turned: boolean): FacingBooth {
  const box = computeBoundingBox(polygon)
  const [low, high, start, end] = turned ? [box.left, box.right, box.bottom, box.top] : [box.bottom, box.top, box.left, box.right]
  const axis = turned ? 0 : 1
  const fronts = open.filter(([a, b]) => Math.abs(a[axis] - b[axis]) <= Math.abs(a[1 - axis]! - b[1 - axis]!))
  const front = fronts.toSorted((a, b) => getSideLength(b) - getSideLength(a) || a[0][axis] - b[0][axis])[0]
  const at = front ? (front[0][axis] + front[1][axis]) / 2 : low
  return { id, front: at, isBelow: at > (low + high) / 2, start, width: Math.max(1, end - start) }
}

/**
 * Assigns booths to aisles, from the lowest front to the highest. A new aisle begins at each row of booths below an aisle, and at a row
 * above an aisle unless it faces the row below.
 */
function assignAisles(facing: readonly FacingBooth[]): Map<string, number> {
  const aisles = new Map<string, number>()
  let [count, below, above] = [0, -Infinity, -Infinity]
  for (const one of facing.toSorted((a, b) => a.front - b.front || Number(b.isBelow) - Number(a.isBelow))) {
    const sameRow = Math.abs(one.front - (one.isBelow ? below : above)) <= SAME_LINE
    const opens = one.isBelow ? !sameRow : !sameRow && (below === -Infinity || above !== -Infinity)
    if (opens) {
      count++
      below = above = -Infinity
    }
    if (one.isBelow) below = one.front
    else above = one.front
    aisles.set(one.id, count)
  }
  return aisles
}
