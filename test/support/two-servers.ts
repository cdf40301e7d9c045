import { openDatabase } from '../../src/platform/database.ts'
import { databaseOn } from '../../src/platform/kysely.ts'
import { PATIENCE } from './database.ts'
import type { World } from './world.ts'

/** The world, and where the database can have several clients once more with connections of its own, as two servers have. */
export async function serversOf(world: World): Promise<World[]> {
  if (!world.url) return [world]
  const other = databaseOn(await openDatabase({ url: world.url, dataDir: world.dataDir, patience: PATIENCE }))
  world.onEnd(() => other.close())
  return [world, { ...world, database: other, road: { ...world.road, database: other } }]
}
