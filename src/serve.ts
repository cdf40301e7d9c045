import { listenForCommands } from './command-socket.ts'
import { DEMO_ORGANIZER, DEMO_TENANT } from './demo/stage.ts'
import type { DemoCredentials } from './demo.ts'
import { createSetupKey } from './domains/sign-in/setup.ts'
import { listTenantCodes } from './domains/tenancy/create.ts'
import { AppError } from './kernel/errors.ts'
import type { Database } from './kernel/ports.ts'
import { DirectoryInUseError } from './platform/directory-lock.ts'
import { openFileStore } from './platform/file-store.ts'
import { createPasswordHasher } from './platform/passwords.ts'
import { createLog } from './platform/log.ts'
import { type Environment, readEnvironment, SettingError } from './platform/environment.ts'
import { loadMasterKeys } from './platform/master-key.ts'
import { type ServiceTestOverrides, startService } from './start.ts'
import { formatStartupMessage, formatWelcome } from './welcome.ts'

/** Runs the service. A configuration error is printed as one sentence. */
export async function serveUntilStopped(extras: ServiceTestOverrides = {}): Promise<void> {
  try {
    await run(extras)
  } catch (error) {
    if (!(error instanceof SettingError) && !(error instanceof DirectoryInUseError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}

/** Runs the service until a stop signal. On an empty database of a local installation, the demo is added first. */
async function run(extras: ServiceTestOverrides): Promise<void> {
  requireSupportedNode()
  const environment = readEnvironment(process.env, process.stdout.isTTY)
  const log = createLog({ level: environment.logLevel, format: environment.logFormat })
  // Writes buffered log lines however the process ends.
  process.once('exit', log.flush)
  for (const warning of environment.warnings) log.warn(warning)
  process.stdout.write(formatStartupMessage(environment))
  const running = await startService(environment, log, extras).catch((error: Error & { code?: string }) => {
    if (error.code === 'EADDRINUSE') throw new SettingError(`Port ${environment.port} is in use: set PORT to another one`)
    throw error
  })
  const stopCommands = await listenForCommands({ environment, database: running.database, log })
  stopOnSignal(async () => {
    await stopCommands()
    await running.stop()
  }, log)

  const tenants = await listTenantCodes(running.database.write)
  const first = tenants.length === 0
  const demo = first && !environment.production ? await seedDemoData(running.database, environment) : null
  const setupKey = first && environment.production && environment.role !== 'worker' ? await createSetupKey(running.database.write) : null
  const account = !first && tenants.includes(DEMO_TENANT) ? DEMO_ORGANIZER : null
  process.stdout.write(formatWelcome({ environment, demo, setupKey, account, first }))
}

function requireSupportedNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 12)) return
  process.stderr.write(
    `Lanyard needs Node 22.12 or newer; this is ${process.version}. \`npm start\` brings its own on Linux and Windows.\n`,
  )
  process.exit(1)
}

function stopOnSignal(stop: () => Promise<void>, log: { flush: () => void; info: (message: string) => void }): void {
  let stopping = false
  const end = () => {
    if (stopping) process.exit(1)
    stopping = true
    log.info('stopping')
    void stop().then(() => {
      log.flush()
      process.exit(0)
    })
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
}

/**
 * Adds the demo and returns it with its credentials. If several processes start on an empty database, one adds the demo; the others get
 * null.
 */
async function seedDemoData(database: Database, environment: Environment): Promise<DemoCredentials | null> {
  const { seedDemo } = await import('./demo.ts')
  const [passwords, keys, files] = [await createPasswordHasher(), await loadMasterKeys(environment), await openFileStore(environment)]
  try {
    return await seedDemo(database, { resource: `${environment.baseUrl}/api/mcp/organizer`, passwords, keys, files })
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict') return null
    throw error
  } finally {
    files.close()
  }
}
