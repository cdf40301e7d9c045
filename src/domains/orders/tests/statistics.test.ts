import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Kysely, sql } from 'kysely'
import { newWorld, type World } from '../../../../test/support/world.ts'
import { refreshQueryPlannerStatistics } from '../statistics.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.end())

/** Inserts rows, refreshes the statistics, and returns whether the planner has column statistics. */
async function insertAndRefresh(db: Kysely<any>, place: { tenantId: number; eventId: string }): Promise<boolean> {
  await sql`insert into participants (tenant_id, event_id, id)
    select ${place.tenantId}, ${place.eventId}, lanyard_new_id() from generate_series(1, 1500)`.execute(db)
  await refreshQueryPlannerStatistics({ db } as never)
  const { rows } = await sql`select from pg_stats where schemaname = current_schema() and tablename = 'participants'`.execute(db)
  return rows.length > 0
}

describe('refreshQueryPlannerStatistics', () => {
  it('updates planner statistics again after the transaction that updated them was rolled back', async () => {
    const event = await world.event()
    const rolledBack = world.database.transact(async (db) => {
      expect(await insertAndRefresh(db, event)).toBe(true)
      throw new Error('rolled back')
    })
    await expect(rolledBack).rejects.toThrow('rolled back')
    expect(await world.database.transact((db) => insertAndRefresh(db, event))).toBe(true)
  })
})
