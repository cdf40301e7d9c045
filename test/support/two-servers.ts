import { openDatabase } from '../../src/platform/database.ts'
import { createDatabaseAccess } from '../../src/platform/kysely.ts'
import { TIMEOUT_FACTOR } from './database.ts'
import type { World } from './world.ts'

/** Returns the world, and on PostgreSQL a second world over the same database with its own connections, like two servers. */
export async function openTwoServers(world: World): Promise<World[]> {
  if (!world.url) return [world]
  const other = createDatabaseAccess(await openDatabase({ url: world.url, dataDir: world.dataDir, timeoutFactor: TIMEOUT_FACTOR }))
  world.onEnd(() => other.close())
  return [world, { ...world, database: other, services: { ...world.services, database: other } }]
}
