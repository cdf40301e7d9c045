import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readLastBackup } from '../domains/installation/backups.ts'
import {
  checkBaseUrl,
  checkBackups,
  checkExternalCalls,
  createFailedCheck,
  type InstallationCheck,
  checkEmailTransport,
  createPassedCheck,
  checkEmailOutbox,
  checkReportDatabaseRole,
  checkSettingWarnings,
  createWarningCheck,
} from '../domains/installation/checks.ts'
import type { Pool } from '../kernel/ports.ts'
import { measureReplicaLag } from '../kernel/replica.ts'
import { pendingMigrations } from '../platform/database.ts'
import { DirectoryInUseError } from '../platform/directory-lock.ts'
import type { Environment } from '../platform/environment.ts'
import { openFileStore } from '../platform/file-store.ts'
import { createFetcher } from '../platform/guarded-fetch.ts'
import { createMailboxMailer, createSmtpMailer } from '../platform/mailer.ts'
import { loadMasterKeys } from '../platform/master-key.ts'
import { listPathsAccessibleToOthers, ensurePrivateFolder } from '../platform/private-folder.ts'
import { type Command, openCommandDatabase } from './command.ts'

/** Checks everything that must work in production and reports how to fix problems. */
export const doctorCommand: Command = {
  usage: ['doctor'],
  summary:
    'check database, migrations, reports, clock, payments, backups, hotel catalog, key, email, files, folder and settings, with the fix for each',
  async run({ environment, running }) {
    // File permissions are checked first, because opening the data folder restricts its permissions.
    const foundOpen = await listPathsAccessibleToOthers(environment.dataDir)
    const database = await openCommandDatabase({ environment, running }, { replicaUrl: environment.readDatabaseUrl ?? undefined }).catch(
      (error: Error) => {
        if (error instanceof DirectoryInUseError) throw error
        return error
      },
    )
    const findings: (InstallationCheck & { check: string })[] = []
    const runCheck = async (check: string, run: () => Promise<InstallationCheck>) => {
      const found = await run().catch((error: Error) => createFailedCheck(error.message))
      findings.push({ check, ...found })
    }
    if (database instanceof Error) findings.push({ check: 'database', state: 'fail', says: database.message })
    else {
      const { pool, engine, replica } = database
      await runCheck('database', () => databaseFinding(pool, engine, environment))
      await runCheck('migrations', async () => {
        const pending = await pendingMigrations(pool)
        return pending.length === 0
          ? createPassedCheck('all applied')
          : createFailedCheck(`missing ${pending.join(', ')}: run \`lanyard migrate\``)
      })
      if (replica) await runCheck('replica', () => replicaFinding(pool, replica))
      await runCheck('reports', () => checkReportDatabaseRole(pool))
      await runCheck('clock', () => clockFinding(pool))
      await runCheck('outbox', () => checkEmailOutbox(pool))
      await runCheck('payments', () => checkExternalCalls(pool))
      await runCheck('backups', async () => checkBackups(await readLastBackup(pool)))
      await runCheck('hotels', () => hotelCatalogFinding(pool, environment))
      await database.close()
    }
    await runCheck('secret key', async () => {
      await loadMasterKeys(environment)
      return environment.secretKey
        ? createPassedCheck('LANYARD_SECRET_KEY is set')
        : createWarningCheck(`stored in ${join(environment.dataDir, 'secret.key')}: back it up, or set LANYARD_SECRET_KEY`)
    })
    await runCheck('mail', () => mailServerFinding(environment))
    await runCheck('files', () => storageFinding(environment))
    await runCheck('data folder', () => folderFinding(environment.dataDir, foundOpen))
    await runCheck('base address', async () => checkBaseUrl(environment))
    await runCheck('settings', async () => checkSettingWarnings(environment.warnings))
    const text = findings.map(({ check, state, says }) => `${state.padEnd(4)}  ${check.padEnd(12)}  ${says}`).join('\n')
    return { text, data: { findings }, failed: findings.some((f) => f.state === 'fail') }
  },
}

/** Checks that the addresses of the configured catalog and geocoder are allowed. It sends no request, because some cost money. */
async function hotelCatalogFinding(pool: Pool, { hotels, allowedHosts }: Environment) {
  const { rows } = await pool.query<{ hotels: number }>('select count(*)::integer as hotels from catalog_hotels')
  const imported = `${rows[0]!.hotels.toLocaleString('en')} hotels imported`
  const fetcher = createFetcher({ allowedHosts })
  const addresses = [hotels.catalog?.url, hotels.geocoderUrl].filter((url) => url != null)
  for (const url of addresses) {
    const problem = await fetcher.check(url).then(
      () => null,
      (error: Error) => error.message,
    )
    if (problem !== null) return createWarningCheck(`${url} cannot be used: ${problem}. A private host must be in LANYARD_ALLOWED_HOSTS`)
  }
  return createPassedCheck(hotels.catalog ? `${imported}; searches also ask ${hotels.catalog.kind}` : imported)
}

async function databaseFinding(pool: Pool, engine: string, { production }: Environment) {
  if (engine === 'embedded')
    return createWarningCheck('embedded: for trying out and small use on one machine; set DATABASE_URL to use PostgreSQL')
  const { rows } = await pool.query<{ version: string; super: boolean; role: string }>(
    `select current_setting('server_version') as version, rolsuper as super, rolname as role from pg_roles where rolname = current_user`,
  )
  const { version, super: isSuper, role } = rows[0]!
  if (!isSuper) return createPassedCheck(`PostgreSQL ${version}, role ${role}`)
  const says = `role ${role} is a superuser: create a separate role for Lanyard that owns its database`
  return production ? createFailedCheck(says) : createWarningCheck(says)
}

async function replicaFinding(pool: Pool, replica: Pool) {
  const { rows } = await replica.query<{ standby: boolean }>('select pg_is_in_recovery() as standby')
  if (!rows[0]!.standby)
    return createWarningCheck('LANYARD_READ_DATABASE_URL is not a replica but accepts changes: set it to a streaming replica')
  const lagMs = await measureReplicaLag(pool, replica)
  return lagMs === null
    ? createFailedCheck('a change did not arrive within 10 seconds: check the replication. Until then all reads use DATABASE_URL')
    : createPassedCheck(`${(lagMs / 1000).toFixed(1)} s behind`)
}

async function clockFinding(pool: Pool) {
  const before = Date.now()
  const { rows } = await pool.query<{ now: Date }>('select lanyard_now() as now')
  const middle = (before + Date.now()) / 2
  const off = Math.abs(rows[0]!.now.getTime() - middle) / 1000
  return off <= 1
    ? createPassedCheck(`${off.toFixed(3)} s difference between this machine and the database`)
    : createFailedCheck(`${off.toFixed(1)} s difference between this machine and the database: synchronize both with NTP`)
}

async function mailServerFinding({ smtpUrl, production }: Environment) {
  const mailer = smtpUrl ? createSmtpMailer(smtpUrl) : createMailboxMailer()
  try {
    await mailer.check()
    return mailer.transport === 'smtp'
      ? createPassedCheck('the SMTP server responds')
      : checkEmailTransport({ transport: mailer.transport, production })
  } catch (error) {
    return createFailedCheck(`the SMTP server does not accept emails: ${(error as Error).message}`)
  } finally {
    mailer.close()
  }
}

async function storageFinding(environment: Environment) {
  const files = await openFileStore(environment)
  try {
    await files.check('write')
    return createPassedCheck(environment.s3 ? `bucket ${environment.s3.bucket} stores and returns files` : 'stored in the data folder')
  } catch (error) {
    const where = environment.s3 ? `bucket ${environment.s3.bucket}: check the S3 settings and the rights of the key` : environment.dataDir
    return createFailedCheck(`files cannot be stored in ${where} (${(error as Error).message})`)
  } finally {
    files.close()
  }
}

async function folderFinding(dataDir: string, foundOpen: readonly string[]) {
  await ensurePrivateFolder(dataDir)
  const probe = join(dataDir, '.doctor')
  await writeFile(probe, '')
  await rm(probe)
  const stillOpen = await listPathsAccessibleToOthers(dataDir)
  if (stillOpen.length > 0)
    return createFailedCheck(
      `other accounts on this computer can access ${stillOpen.join(', ')}: make the account that runs Lanyard their owner and remove the rights of all others (\`chown\`, \`chmod -R go=\`)`,
    )
  if (foundOpen.length > 0)
    return createWarningCheck(
      `other accounts on this computer could access ${foundOpen.join(', ')}; this is now fixed. If other people use this computer, change LANYARD_SECRET_KEY`,
    )
  const { bavail, bsize } = await statfs(dataDir)
  const free = (bavail * bsize) / 2 ** 30
  return free > 1
    ? createPassedCheck(`${dataDir}, ${free.toFixed(0)} GB free`)
    : createWarningCheck(`${dataDir} has ${free.toFixed(1)} GB left`)
}
