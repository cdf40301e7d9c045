import { DEMO_ORGANIZER, DEMO_TENANT } from './demo/stage.ts'
import type { Demo } from './demo.ts'
import { newSetupKey } from './domains/sign-in/setup.ts'
import { tenantCodes } from './domains/tenancy/found.ts'
import { AppError } from './kernel/errors.ts'
import type { Database } from './kernel/ports.ts'
import { DirectoryInUseError } from './platform/directory-lock.ts'
import { openFileStore } from './platform/file-store.ts'
import { argonPasswords } from './platform/passwords.ts'
import { createLog } from './platform/log.ts'
import { type Environment, readEnvironment, SettingError } from './platform/environment.ts'
import { masterKeys } from './platform/master-key.ts'
import { type Extras, start } from './start.ts'
import { starting, welcome } from './welcome.ts'

/** Runs the service; what keeps it from starting is said in one sentence where somebody can mend it. */
export async function serve(extras: Extras = {}): Promise<void> {
  try {
    await run(extras)
  } catch (error) {
    if (!(error instanceof SettingError) && !(error instanceof DirectoryInUseError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}

/** Runs until it is told to stop. On an empty database that only this computer reaches, a demo is put in first. */
async function run(extras: Extras): Promise<void> {
  refuseOldNode()
  const environment = readEnvironment(process.env, process.stdout.isTTY)
  const log = createLog({ level: environment.logLevel, format: environment.logFormat })
  // However the process ends, the last lines are written.
  process.once('exit', log.flush)
  for (const warning of environment.warnings) log.warn(warning)
  process.stdout.write(starting(environment))
  const running = await start(environment, log, extras).catch((error: Error & { code?: string }) => {
    if (error.code === 'EADDRINUSE') throw new SettingError(`Port ${environment.port} is taken: set PORT to another one`)
    throw error
  })
  stopOnSignal(running.stop, log)

  const tenants = await tenantCodes(running.database.write)
  const first = tenants.length === 0
  const demo = first && !environment.production ? await seedWith(running.database, environment) : null
  const setupKey = first && environment.production && environment.role !== 'worker' ? await newSetupKey(running.database.write) : null
  const account = !first && tenants.includes(DEMO_TENANT) ? DEMO_ORGANIZER : null
  process.stdout.write(welcome({ environment, demo, setupKey, account, first }))
}

function refuseOldNode(): void {
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

/** Of several processes that start on an empty database one puts the demo in; the others find it there, and only that one has its credentials. */
async function seedWith(database: Database, environment: Environment): Promise<Demo | null> {
  const { seedDemo } = await import('./demo.ts')
  const [passwords, keys, files] = [await argonPasswords(), await masterKeys(environment), await openFileStore(environment)]
  try {
    return await seedDemo(database, { resource: `${environment.baseUrl}/api/mcp/organizer`, passwords, keys, files })
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict') return null
    throw error
  } finally {
    files.close()
  }
}
