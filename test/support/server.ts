import { once } from 'node:events'
import { createServer } from 'node:net'
import { readEnvironment } from '../../src/platform/environment.ts'
import { createLog } from '../../src/platform/log.ts'
import { type ServiceTestOverrides, startService } from '../../src/start.ts'
import { checkResponsesOf } from './openapi-checks.ts'
import { FIXTURE_JOBS, fixtureToolset } from './fixture-tools/index.ts'
import { findTokenLines } from './leaks.ts'
import { startSecondServer } from './second-server.ts'
import type { World } from './world.ts'

export interface Served {
  /** The test world whose database the server uses. */
  world: World
  /** The server's configured base URL, which tokens are bound to. */
  baseUrl: string
  /** The port that the server listens on, which differs from the base URL only behind a proxy. */
  port: number
  url: (path: string) => string
  /** The log as an operator sees it, one entry per line. */
  logged: string[]
  stop: () => Promise<void>
}

interface ServeOptions {
  /** The port to listen on if it is not that of the base URL. The test must then run a proxy at the base URL. */
  port?: number
  env?: Record<string, string>
  extras?: Pick<ServiceTestOverrides, 'rawTools' | 'capabilities' | 'answerFast' | 'fetcher' | 'morePages' | 'cards' | 'bodyTimeoutMs'>
}

/**
 * The real server in this process over the world's database, with the fixture tools added. It stops with the world. In a cluster, it takes
 * turns with a second server.
 */
export async function serve(world: World, { port, env = {}, extras = {} }: ServeOptions = {}): Promise<Served> {
  const { baseUrl } = world.services
  const environment = readEnvironment(
    {
      LANYARD_BASE_URL: baseUrl,
      PORT: String(port ?? new URL(baseUrl).port),
      LANYARD_SECRET_KEY: world.secretKey,
      LANYARD_ROLE: 'web',
      LANYARD_DATA_DIR: world.dataDir,
      ...env,
    },
    false,
  )
  const logged: string[] = []
  const log = createLog({ level: 'info', format: 'json', write: (text) => void logged.push(...text.split('\n').filter(Boolean)) })
  const parts = { toolsets: [fixtureToolset], jobs: FIXTURE_JOBS, ...extras }
  const running = await startService({ ...environment, ...(world.replicaUrl ? { port: 0 } : {}) }, log, {
    ...parts,
    database: world.database,
  })
  const entrance = world.replicaUrl ? await startSecondServer(world, { environment, log, parts, env, first: running }) : running
  const origin = `http://localhost:${entrance.port}`
  const letGo = checkResponsesOf(origin, baseUrl)
  const end = async () => {
    if (entrance !== running) await entrance.stop()
    await running.stop()
    letGo()
    log.flush()
    const leaks = findTokenLines(logged)
    if (leaks.length > 0) throw new Error(`A token was logged: ${leaks.join('; ')}`)
  }
  let ended: Promise<void> | undefined
  const stop = () => (ended ??= end())
  world.onEnd(stop)
  return {
    world,
    baseUrl,
    port: entrance.port,
    url: (path) => origin + path,
    get logged() {
      log.flush()
      return logged
    },
    stop,
  }
}

/** Below the ephemeral port range, so that no outgoing connection takes the port between choosing it and listening. */
const LOWEST_PORT = 20_000
const HIGHEST_PORT = 32_000
/**
 * Each worker has its own range of ports and uses them in turn, so that two workers never choose the same. Concurrent runs start at
 * different offsets.
 */
const PORTS_PER_WORKER = 500
const worker = (process.ppid + Number(process.env['VITEST_POOL_ID'] ?? 0)) % ((HIGHEST_PORT - LOWEST_PORT) / PORTS_PER_WORKER)
let turn = Math.floor(Math.random() * PORTS_PER_WORKER)

/** Chooses a free address before the server starts, because tokens and metadata contain the address. */
export async function chooseFreeBaseUrl(): Promise<string> {
  for (;;) {
    const port = LOWEST_PORT + worker * PORTS_PER_WORKER + (turn++ % PORTS_PER_WORKER)
    if (await isFree(port)) return `http://localhost:${port}`
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  try {
    probe.listen(port, '127.0.0.1')
    await once(probe, 'listening')
    return true
  } catch {
    return false
  } finally {
    await new Promise((done) => probe.close(done))
  }
}
