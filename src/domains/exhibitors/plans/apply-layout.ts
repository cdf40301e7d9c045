import { sql } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { conflict, notFound, preconditionFailed } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { formatInstant } from '../../../kernel/time.ts'
import { compareBoothNumbers } from '../company-facts.ts'
import type { ExhibitorQueryContext } from '../context.ts'
import { type BoothRow, findUsedBoothNumbers, insertBooths } from '../floor/booths.ts'
import { type FloorPlanRow, lockFloorPlanById, refuseMisplacedBooths } from '../floor/floor-plans.ts'
import { describeFloorPlan } from './plan-results.ts'

export const BOOTH_REPLACEMENT_OPTIONS = ['none', 'available', 'all'] as const

interface LayoutApplication {
  layoutId: string
  /** Which booths of the plan are deleted before the booths of the layout are added. */
  replace?: (typeof BOOTH_REPLACEMENT_OPTIONS)[number] | undefined
}

/** Adds the booths of a generated layout to the plan that it was generated for. */
export async function applyGeneratedLayout(ctx: EventContext, { layoutId, replace = 'none' }: LayoutApplication) {
  const found = await selectLayout(ctx, layoutId).executeTakeFirst()
  if (!found) throw notFound(`No layout ${layoutId} at this event. Generate one with generate_max_fit`)
  const plan = await lockFloorPlanById(ctx, found.floor_plan_id)
  const layout = await selectLayout(ctx, layoutId).executeTakeFirstOrThrow()
  if (layout.applied_at) throw conflict(`This layout was applied at ${formatInstant(layout.applied_at)}. Generate another one`)
  if (layout.expired) throw preconditionFailed(`This layout expired at ${formatInstant(layout.expires_at)}. Generate another one`)
  if (layout.plan_revision !== plan.revision) throw conflict('Plan changed — generate the layout again')
  const removed = await removeBooths(ctx, plan, replace)
  const { booths } = layout.result
  const taken = await findUsedBoothNumbers(
    ctx,
    booths.map(({ number }) => number),
  )
  const repeated = booths.filter(({ number }) => taken.has(number.toLowerCase())).map(({ number }) => number)
  if (repeated.length > 0)
    throw conflict(`Booth numbers ${repeated.slice(0, 20).join(', ')} are taken at this event. Generate the layout with another prefix`)
  await insertBooths(ctx, plan, booths)
  await refuseMisplacedBooths(ctx, plan, 'This layout does not fit the booths on the plan')
  await eventDb(ctx)
    .updateTable('floor_plan_layouts')
    .set({ applied_at: sql`lanyard_now()` })
    .where('id', '=', layoutId)
    .execute()
  recordChange(ctx, {
    kind: 'floorPlan',
    id: plan.id,
    before: { booths: removed },
    after: { booths: booths.length, layout: layoutId },
  })
  return { ...(await describeFloorPlan(ctx, plan)), applied: booths.length, skipped: [] }
}

const selectLayout = (ctx: EventContext, layoutId: string) =>
  eventDb(ctx)
    .selectFrom('floor_plan_layouts')
    .selectAll()
    .select(sql<boolean>`expires_at <= lanyard_now()`.as('expired'))
    .where('id', '=', layoutId)

/** Finds the newest generated layout that can still be applied to the plan; null if there is none. */
export async function findApplicableLayout(ctx: ExhibitorQueryContext, plan: Pick<FloorPlanRow, 'id' | 'revision'>) {
  const layout = await eventDb(ctx)
    .selectFrom('floor_plan_layouts')
    .select(['id', 'result', 'created_at'])
    .where('floor_plan_id', '=', plan.id)
    .where('plan_revision', '=', plan.revision)
    .where('applied_at', 'is', null)
    .where(sql<boolean>`expires_at > lanyard_now()`)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return layout ?? null
}

/** Deletes the booths that the layout replaces, and those merged into them. Returns how many were deleted. */
async function removeBooths(ctx: EventContext, plan: FloorPlanRow, replace: 'none' | 'available' | 'all'): Promise<number> {
  if (replace === 'none') return 0
  const booths = await eventDb(ctx)
    .selectFrom('booths')
    .select(['id', 'number', 'status', 'merged_into'])
    .where('floor_plan_id', '=', plan.id)
    .orderBy('id')
    .forUpdate()
    .execute()
  const inUse = booths.filter(({ status }) => status === 'held' || status === 'assigned')
  if (replace === 'all' && inUse.length > 0)
    throw preconditionFailed(`Booths are held or assigned: ${listNumbers(inUse)}. Use replace available to keep them`)
  const chosen = new Set(booths.filter(({ status }) => replace === 'all' || status === 'available').map(({ id }) => id))
  const removed = booths.filter(({ id, merged_into }) => chosen.has(id) || (merged_into !== null && chosen.has(merged_into)))
  if (removed.length === 0) return 0
  const ids = removed.map(({ id }) => id)
  await refuseHistory(ctx, removed)
  // Booths that were merged refer to the merged booth, so all of them are deleted in one statement.
  await eventDb(ctx).deleteFrom('booths').where('id', 'in', ids).execute()
  return removed.length
}

const listNumbers = (booths: readonly Pick<BoothRow, 'number'>[]) =>
  booths
    .map(({ number }) => number)
    .toSorted(compareBoothNumbers)
    .slice(0, 20)
    .join(', ')

/** Throws if a company ever had one of the booths, because such a booth is kept for its history. */
async function refuseHistory(ctx: EventContext, booths: readonly Pick<BoothRow, 'id' | 'number'>[]): Promise<void> {
  const rows = await eventDb(ctx)
    .selectFrom('booth_assignments')
    .select('booth_id')
    .distinct()
    .where(
      'booth_id',
      'in',
      booths.map(({ id }) => id),
    )
    .execute()
  const used = new Set(rows.map(({ booth_id }) => booth_id))
  const kept = booths.filter(({ id }) => used.has(id))
  if (kept.length > 0)
    throw preconditionFailed(`Booths with a history cannot be deleted: ${listNumbers(kept)}. Generate the layout around them with keep`)
}
