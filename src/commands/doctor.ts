import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lastBackup } from '../domains/installation/backups.ts'
import {
  addressFinding,
  backupFinding,
  fail,
  type Finding,
  mailFinding,
  ok,
  outboxFinding,
  settingsFinding,
  warn,
} from '../domains/installation/findings.ts'
import type { Pool } from '../kernel/ports.ts'
import { openDatabase, pendingMigrations } from '../platform/database.ts'
import type { Environment } from '../platform/environment.ts'
import { openFileStore } from '../platform/file-store.ts'
import { mailboxMailer, smtpMailer } from '../platform/mailer.ts'
import { masterKeys } from '../platform/master-key.ts'
import { openToOthers, privateFolder } from '../platform/private-folder.ts'
import type { Command } from './command.ts'

/** Looks at everything that has to be right before people rely on it, and says how to mend what is not. */
export const doctorCommand: Command = {
  usage: 'doctor',
  summary: 'check database, migrations, clock, backups, key, mail, files, folder and settings, with the fix for each',
  async run({ environment }) {
    // Looked at first: whatever opens the folder closes it to others.
    const foundOpen = await openToOthers(environment.dataDir)
    const database = await openDatabase({ url: environment.databaseUrl ?? undefined, dataDir: environment.dataDir }).catch(
      (error: Error) => error,
    )
    const findings: (Finding & { check: string })[] = []
    const look = async (check: string, run: () => Promise<Finding>) => {
      const found = await run().catch((error: Error) => fail(error.message))
      findings.push({ check, ...found })
    }
    if (database instanceof Error) findings.push({ check: 'database', state: 'fail', says: database.message })
    else {
      const { pool, engine } = database
      await look('database', () => databaseFinding(pool, engine, environment))
      await look('migrations', async () => {
        const pending = await pendingMigrations(pool)
        return pending.length === 0 ? ok('all applied') : fail(`missing ${pending.join(', ')}: run \`lanyard migrate\``)
      })
      await look('clock', () => clockFinding(pool))
      await look('outbox', () => outboxFinding(pool))
      await look('backups', async () => backupFinding(await lastBackup(pool)))
      await database.close()
    }
    await look('secret key', async () => {
      await masterKeys(environment)
      return environment.secretKey
        ? ok('LANYARD_SECRET_KEY is set')
        : warn(`kept in ${join(environment.dataDir, 'secret.key')}: back it up, or set LANYARD_SECRET_KEY`)
    })
    await look('mail', () => mailServerFinding(environment))
    await look('files', () => storageFinding(environment))
    await look('data folder', () => folderFinding(environment.dataDir, foundOpen))
    await look('base address', async () => addressFinding(environment))
    await look('settings', async () => settingsFinding(environment.warnings))
    const text = findings.map(({ check, state, says }) => `${state.padEnd(4)}  ${check.padEnd(12)}  ${says}`).join('\n')
    return { text, data: { findings }, failed: findings.some((f) => f.state === 'fail') }
  },
}

async function databaseFinding(pool: Pool, engine: string, { production }: Environment) {
  if (engine === 'embedded') return warn('embedded: for trying out and small use on one machine; set DATABASE_URL to use PostgreSQL')
  const { rows } = await pool.query<{ version: string; super: boolean; role: string }>(
    `select current_setting('server_version') as version, rolsuper as super, rolname as role from pg_roles where rolname = current_user`,
  )
  const { version, super: isSuper, role } = rows[0]!
  if (!isSuper) return ok(`PostgreSQL ${version}, role ${role}`)
  const says = `role ${role} is a superuser: give Lanyard a role of its own that owns its database`
  return production ? fail(says) : warn(says)
}

async function clockFinding(pool: Pool) {
  const before = Date.now()
  const { rows } = await pool.query<{ now: Date }>('select lanyard_now() as now')
  const middle = (before + Date.now()) / 2
  const off = Math.abs(rows[0]!.now.getTime() - middle) / 1000
  return off <= 1
    ? ok(`${off.toFixed(3)} s between this machine and the database`)
    : fail(`${off.toFixed(1)} s between this machine and the database: set both by NTP`)
}

async function mailServerFinding({ smtpUrl, production }: Environment) {
  const mailer = smtpUrl ? smtpMailer(smtpUrl) : mailboxMailer()
  try {
    await mailer.check()
    return mailer.transport === 'smtp' ? ok('the SMTP server answers') : mailFinding({ transport: mailer.transport, production })
  } catch (error) {
    return fail(`the SMTP server does not take mail: ${(error as Error).message}`)
  } finally {
    mailer.close()
  }
}

async function storageFinding(environment: Environment) {
  const files = await openFileStore(environment)
  try {
    await files.check('write')
    return ok(environment.s3 ? `bucket ${environment.s3.bucket} takes and gives files` : 'kept in the data folder')
  } catch (error) {
    const where = environment.s3 ? `bucket ${environment.s3.bucket}: check the S3 settings and the rights of the key` : environment.dataDir
    return fail(`files cannot be kept in ${where} (${(error as Error).message})`)
  } finally {
    files.close()
  }
}

async function folderFinding(dataDir: string, foundOpen: readonly string[]) {
  await privateFolder(dataDir)
  const probe = join(dataDir, '.doctor')
  await writeFile(probe, '')
  await rm(probe)
  const stillOpen = await openToOthers(dataDir)
  if (stillOpen.length > 0)
    return fail(
      `other accounts of this computer get at ${stillOpen.join(', ')}: give them to the account that runs Lanyard and take the rights of all others (\`chown\`, \`chmod -R go=\`)`,
    )
  if (foundOpen.length > 0)
    return warn(
      `other accounts of this computer got at ${foundOpen.join(', ')}; that is closed now. If somebody else works on it, change LANYARD_SECRET_KEY`,
    )
  const { bavail, bsize } = await statfs(dataDir)
  const free = (bavail * bsize) / 2 ** 30
  return free > 1 ? ok(`${dataDir}, ${free.toFixed(0)} GB free`) : warn(`${dataDir} has ${free.toFixed(1)} GB left`)
}
