import { eventDb } from '../../../kernel/scoped-db.ts'
import type { ExhibitorContext } from '../context.ts'
import type { BoothType } from '../floor/booth-figures.ts'
import { listBooths } from '../floor/booths.ts'
import { readBoothMeasurements } from './plan-cache.ts'

/** Reads the types of all booths on the floor plans of the event, by booth id. */
export async function readBoothTypes(ctx: ExhibitorContext): Promise<Map<string, BoothType>> {
  const types = new Map<string, BoothType>()
  for (const plan of await eventDb(ctx).selectFrom('floor_plans').selectAll().orderBy('id').execute()) {
    const figures = await readBoothMeasurements(plan, await listBooths(ctx, plan.id))
    for (const [id, { type }] of figures) types.set(id, type)
  }
  return types
}
