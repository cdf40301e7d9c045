import { recordChange } from '../../../kernel/audit.ts'
import { runTaskCooperatively } from '../../../kernel/cooperative.ts'
import { conflict, type FieldError, invalidArguments, notFound, preconditionFailed } from '../../../kernel/errors.ts'
import { createUnknownNameFieldError } from '../../../kernel/nearest.ts'
import { checkRevision } from '../../../kernel/revisions.ts'
import { eventDb, joinRowsOfSameEvent } from '../../../kernel/scoped-db.ts'
import { readDraftConfiguration } from '../../configuration/read.ts'
import { type ExhibitorContext, readLiveOrTestConfiguration } from '../context.ts'
import { type BoothRow, createBooths, listBooths } from '../floor/booths.ts'
import { type FloorPlanRow, lockFloorPlan, toStoredPolygon } from '../floor/floor-plans.ts'
import { findPlacementProblems } from '../floor/placement.ts'
import { fromTenthsOfMillimetres, type Point, type Polygon, TENTHS_OF_MM_PER_METRE, type PlanUnits } from '../floor/plan-shapes.ts'
import { getBoothsByNumber, lockBooths } from './lock.ts'

/** A booth given by its corners, or as a rectangle by its lower left corner and its rotation counter-clockwise around that corner. */
export interface BoothShapeInput {
  number: string
  polygon?: readonly (readonly number[])[] | undefined
  x?: number | undefined
  y?: number | undefined
  width?: number | undefined
  depth?: number | undefined
  rotation?: number | undefined
  sizeCode?: string | undefined
  zoneCode?: string | undefined
}

interface BoothSize {
  code: string
  width: number
  depth: number
}

/** Reads the booth sizes of the draft and of the published configuration, so that booths can be drawn before their prices are published. */
export async function readBoothSizes(ctx: ExhibitorContext): Promise<Map<string, BoothSize>> {
  const [live, draft] = [await readLiveOrTestConfiguration(ctx, false), await readDraftConfiguration(ctx)]
  return new Map([live, draft].flatMap(({ config }) => config.exhibitorConfig.boothSizes.map((size) => [size.code, size])))
}

/** Draws new booths on a plan. Returns their ids in the order given. */
export async function addBoothsToPlan(ctx: ExhibitorContext, floorPlanCode: string, booths: readonly BoothShapeInput[]): Promise<string[]> {
  const plan = await lockFloorPlan(ctx, floorPlanCode)
  const sizes = await readBoothSizes(ctx)
  const problems: FieldError[] = []
  const numbers = new Set<string>()
  const drawn = booths.map((booth, i) => {
    const path = `booths/${i}`
    problems.push(...findCodeProblems(plan, sizes, booth, path))
    if (numbers.has(booth.number.toLowerCase())) problems.push({ path: `${path}/number`, message: `${booth.number} is used twice` })
    numbers.add(booth.number.toLowerCase())
    const polygon = toBoothPolygon(plan.units, booth, sizes.get(booth.sizeCode ?? ''))
    if (!polygon) problems.push({ path, message: 'needs a polygon, or x, y, width and depth' })
    const { number, sizeCode, zoneCode } = booth
    return {
      number,
      polygon: polygon ?? [],
      ...(sizeCode === undefined ? {} : { sizeCode }),
      ...(zoneCode === undefined ? {} : { zoneCode }),
    }
  })
  if (problems.length > 0) throw invalidArguments(problems)
  await createBooths(ctx, floorPlanCode, drawn)
  const created = await getBoothsByNumber(
    ctx,
    drawn.map(({ number }) => number),
  )
  return created.map(({ id }) => id)
}

/**
 * Returns the corners of a booth in the units of its plan. A rectangle without width or depth takes them from its booth size, which is in
 * metres.
 */
export function toBoothPolygon(units: PlanUnits, booth: BoothShapeInput, size: BoothSize | undefined): Polygon | null {
  if (booth.polygon !== undefined) return booth.polygon.map(([x, y]): Point => [x!, y!])
  const metres = (value: number | undefined) =>
    value === undefined ? undefined : fromTenthsOfMillimetres(value * TENTHS_OF_MM_PER_METRE, units)
  const { x, y, width = metres(size?.width), depth = metres(size?.depth), rotation = 0 } = booth
  if (x === undefined || y === undefined || width === undefined || depth === undefined) return null
  const [cos, sin] = turn(rotation)
  const corners = [
    [0, 0],
    [width, 0],
    [width, depth],
    [0, depth],
  ] as const
  return corners.map(([dx, dy]): Point => [x + dx * cos - dy * sin, y + dx * sin + dy * cos])
}

/** Returns cosine and sine of an angle, which are exact for quarter turns. */
function turn(degrees: number): readonly [cos: number, sin: number] {
  const quarter = ((degrees % 360) + 360) % 360
  const exact = { 0: [1, 0], 90: [0, 1], 180: [-1, 0], 270: [0, -1] } as const
  if (quarter in exact) return exact[quarter as keyof typeof exact]
  const radians = (degrees * Math.PI) / 180
  return [Math.cos(radians), Math.sin(radians)]
}

function findCodeProblems(
  { zones }: FloorPlanRow,
  sizes: ReadonlyMap<string, BoothSize>,
  { sizeCode, zoneCode }: { sizeCode?: string | undefined; zoneCode?: string | undefined },
  path = '',
): FieldError[] {
  const at = (name: string) => (path === '' ? name : `${path}/${name}`)
  const zoneCodes = zones.map(({ code }) => code)
  return [
    ...(sizeCode === undefined || sizes.has(sizeCode)
      ? []
      : [createUnknownNameFieldError(at('sizeCode'), sizeCode, [...sizes.keys()], 'booth size')]),
    ...(zoneCode === undefined || zoneCodes.includes(zoneCode)
      ? []
      : [createUnknownNameFieldError(at('zoneCode'), zoneCode, zoneCodes, 'zone')]),
  ]
}

export const CLEARABLE_BOOTH_FIELDS = ['sizeCode', 'zoneCode', 'priceOverride', 'note'] as const

export interface BoothEdit {
  boothId: string
  number?: string | undefined
  polygon?: readonly (readonly number[])[] | undefined
  sizeCode?: string | undefined
  zoneCode?: string | undefined
  /** Price of the booth in minor units. It replaces the price of the booth size. */
  priceOverride?: number | undefined
  note?: string | undefined
  clear?: readonly (typeof CLEARABLE_BOOTH_FIELDS)[number][] | undefined
  ifRevision?: number | undefined
}

/** Edits one booth. The company that has the booth keeps the price that it was charged, even if the booth's price changes. */
export async function editBooth(ctx: ExhibitorContext, { boothId, ifRevision, polygon, ...edit }: BoothEdit): Promise<BoothRow> {
  const plan = await lockPlanOf(ctx, boothId)
  const [booth] = (await lockBooths(ctx, [boothId])) as [BoothRow]
  checkRevision({ kind: 'Booth', name: booth.number, revision: booth.revision }, ifRevision)
  const problems = findCodeProblems(plan, await readBoothSizes(ctx), edit)
  const moved =
    polygon === undefined
      ? undefined
      : toStoredPolygon(
          polygon.map(([x, y]): Point => [x!, y!]),
          plan.units,
          'polygon',
          problems,
        )
  if (problems.length > 0) throw invalidArguments(problems)
  if (moved) await requireValidPlacement(ctx, plan, [{ number: booth.number, polygon: moved }], [boothId])
  if (edit.number !== undefined) await requireFreeBoothNumber(ctx, edit.number, boothId)
  const cleared = new Set(edit.clear)
  const set = <T>(field: (typeof CLEARABLE_BOOTH_FIELDS)[number], value: T | undefined, before: T | null): T | null =>
    cleared.has(field) ? null : (value ?? before)
  const columns = {
    number: edit.number ?? booth.number,
    size_code: set('sizeCode', edit.sizeCode, booth.size_code),
    zone_code: set('zoneCode', edit.zoneCode, booth.zone_code),
    price_override: set('priceOverride', edit.priceOverride, booth.price_override),
    note: set('note', edit.note, booth.note),
  }
  recordChange(ctx, {
    kind: 'booth',
    id: boothId,
    before: { ...toAudited(booth), polygon: booth.polygon },
    after: { ...toAudited(columns), polygon: moved ?? booth.polygon },
  })
  return eventDb(ctx)
    .updateTable('booths')
    .set({ ...columns, ...(moved ? { polygon: JSON.stringify(moved) } : {}) })
    .where('id', '=', boothId)
    .returningAll()
    .executeTakeFirstOrThrow()
}

const toAudited = (row: Pick<BoothRow, 'number' | 'size_code' | 'zone_code' | 'price_override' | 'note'>) => ({
  number: row.number,
  sizeCode: row.size_code,
  zoneCode: row.zone_code,
  priceOverride: row.price_override,
  note: row.note,
})

async function lockPlanOf(ctx: ExhibitorContext, boothId: string): Promise<FloorPlanRow> {
  const found = await eventDb(ctx)
    .selectFrom('booths')
    .innerJoin('floor_plans', (join) => joinRowsOfSameEvent(join, 'floor_plans.id', 'booths.floor_plan_id'))
    .select('floor_plans.code')
    .where('booths.id', '=', boothId)
    .where('booths.status', '<>', 'merged')
    .executeTakeFirst()
  if (!found) throw notFound(`No booth ${boothId} at this event. Use list_booths to find it`)
  return lockFloorPlan(ctx, found.code)
}

type PlacedBooth = Pick<BoothRow, 'number' | 'polygon'>

/** Throws if booths in their new shape break rule X2 (inside the hall, without overlaps). Booths that they replace are ignored. */
export async function requireValidPlacement(
  ctx: ExhibitorContext,
  plan: FloorPlanRow,
  booths: readonly PlacedBooth[],
  without: readonly string[],
): Promise<void> {
  const others: PlacedBooth[] = (await listBooths(ctx, plan.id)).filter(({ id }) => !without.includes(id))
  const [problem] = await runTaskCooperatively(findPlacementProblems(plan, [...others, ...booths], new Set(booths)))
  if (problem) throw invalidArguments([{ path: 'polygon', message: `booth ${problem.number} ${problem.reason}` }])
}

export async function requireFreeBoothNumber(ctx: ExhibitorContext, number: string, boothId: string | null): Promise<void> {
  const taken = await eventDb(ctx)
    .selectFrom('booths')
    .select('id')
    .where((eb) => eb(eb.fn<string>('lower', ['number']), '=', number.toLowerCase()))
    .where('status', '<>', 'merged')
    .executeTakeFirst()
  if (taken && taken.id !== boothId) throw conflict(`Booth number ${number} is taken at this event`)
}

/** Deletes booths that no company ever had. Returns their numbers. */
export async function deleteBooths(ctx: ExhibitorContext, numbers: readonly string[]): Promise<string[]> {
  const booths = await lockBooths(ctx, [...new Set((await getBoothsByNumber(ctx, numbers)).map(({ id }) => id))])
  const ids = booths.map(({ id }) => id)
  for (const { number, status } of booths)
    if (status !== 'available' && status !== 'blocked') throw preconditionFailed(`Booth ${number} is ${status} and cannot be deleted`)
  const [used] = await eventDb(ctx).selectFrom('booth_assignments').select('booth_id').where('booth_id', 'in', ids).limit(1).execute()
  const numberOf = (id: string | null) => booths.find((booth) => booth.id === id)!.number
  if (used) throw preconditionFailed(`Booth ${numberOf(used.booth_id)} has a history and cannot be deleted: block it instead`)
  const [part] = await eventDb(ctx)
    .selectFrom('booths')
    .select(['merged_into', 'was_split'])
    .where('merged_into', 'in', ids)
    .limit(1)
    .execute()
  if (part?.was_split) throw preconditionFailed(`Booth ${numberOf(part.merged_into)} has a history and cannot be deleted: block it instead`)
  if (part) throw preconditionFailed(`Booth ${numberOf(part.merged_into)} was merged from others and cannot be deleted: split it first`)
  await eventDb(ctx).deleteFrom('booths').where('id', 'in', ids).execute()
  for (const { id, number } of booths) recordChange(ctx, { kind: 'booth', id, before: { number } })
  return booths.map(({ number }) => number)
}
