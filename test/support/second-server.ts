import { freePort } from '../../scripts/postgres.ts'
import type { Log } from '../../src/kernel/ports.ts'
import { openDatabase } from '../../src/platform/database.ts'
import type { Environment } from '../../src/platform/environment.ts'
import { createDatabaseAccess } from '../../src/platform/kysely.ts'
import { startService, type ServiceTestOverrides } from '../../src/start.ts'
import { TIMEOUT_FACTOR } from './database.ts'
import { startHeaderProxy } from './header-proxy.ts'
import { BUILT_MODULE_OPTIONS, startProcess } from './process.ts'
import type { World } from './world.ts'

interface SecondServerOptions {
  environment: Environment
  log: Log
  parts: ServiceTestOverrides
  env: Record<string, string>
  first: { port: number }
}

/**
 * Starts a second server over the same database, and a proxy that sends every second request to that server. The second server is a
 * separate process, unless the test adds parts that only exist in this process; then it has its own database connections.
 */
export async function startSecondServer(
  world: World,
  { environment, log, parts, env, first }: SecondServerOptions,
): Promise<{ port: number; stop: () => Promise<void> }> {
  const addsParts = Object.keys(parts).some((name) => name !== 'toolsets' && name !== 'jobs')
  const second = addsParts ? await startHere(world, environment, log, parts) : await startApart(world, environment, env)
  const proxy = await startHeaderProxy({ port: environment.port, target: [first, second], headers: () => ({}) })
  return {
    port: proxy.port,
    async stop() {
      await proxy.stop()
      await second.stop()
    },
  }
}

async function startHere({ url, replicaUrl, dataDir }: World, environment: Environment, log: Log, parts: ServiceTestOverrides) {
  const database = createDatabaseAccess(await openDatabase({ url, replicaUrl, dataDir, timeoutFactor: TIMEOUT_FACTOR }))
  const { port, stop } = await startService({ ...environment, port: 0 }, log, { ...parts, database })
  return { port, stop: () => stop().then(() => database.close()) }
}

async function startApart({ url, replicaUrl, dataDir, secretKey }: World, { baseUrl }: Environment, env: Record<string, string>) {
  const port = await freePort()
  const settings = {
    LANYARD_BASE_URL: baseUrl,
    LANYARD_SECRET_KEY: secretKey,
    LANYARD_ROLE: 'web',
    LANYARD_DATA_DIR: dataDir,
    DATABASE_URL: url!,
    LANYARD_READ_DATABASE_URL: replicaUrl!,
    ...env,
  }
  const service = startProcess([...BUILT_MODULE_OPTIONS, 'test/support/serve-fixtures.ts'], { port, env: settings })
  await service.ready()
  return { port, stop: async () => void (await service.end('SIGTERM')) }
}
