import { checkIntegrity } from '../domains/orders/integrity/check.ts'
import type { Db } from '../kernel/columns.ts'
import { SILENT_LOG } from '../kernel/silent-log.ts'
import { checkBackup, canDecryptSealedValues, restoreBackup } from '../platform/backup/restore-backup.ts'
import { migrate, openDatabase } from '../platform/database.ts'
import { openFileStore } from '../platform/file-store.ts'
import { openJobQueue } from '../platform/job-queue.ts'
import { createDatabaseAccess } from '../platform/kysely.ts'
import { loadKeysFromFile, loadMasterKeys } from '../platform/master-key.ts'
import { requireUnprivilegedDatabaseRole } from '../open-migrated.ts'
import { type Command, KEY_FILE_OPTION, readTextOption, UsageError } from './command.ts'

export const restoreCommand: Command = {
  usage: ['restore <file> [--key-file <file>]'],
  summary: 'restore a backup into an empty database and its files into the file store, migrate to this version and check the data',
  options: { 'key-file': KEY_FILE_OPTION },
  needsStoppedService: true,
  async run({ environment, words: [file, ...more], flags }) {
    if (!file || more.length > 0) throw new UsageError('Give the file of a backup')
    const keys = await loadMasterKeys(environment)
    const keyFile = readTextOption(flags, 'key-file')
    const backupKeys = keyFile === undefined ? keys : await loadKeysFromFile(keyFile)
    const about = await checkBackup(file, backupKeys)
    const opened = await openDatabase({ url: environment.databaseUrl ?? undefined, dataDir: environment.dataDir })
    const files = await openFileStore(environment)
    try {
      await requireUnprivilegedDatabaseRole(opened.pool, environment)
      const queue = await openJobQueue(opened.pool, SILENT_LOG)
      await restoreBackup(file, about, { pool: opened.pool, queue, files, backupKeys }).finally(() => queue.stop())
      const migrated = await migrate(opened.pool)
      // Without statistics, the first queries would use plans for empty tables.
      await opened.pool.query('analyze')
      const { events, broken } = await checkEvents(createDatabaseAccess(opened).write)
      const rows = Object.values(about.rows).reduce((sum, count) => sum + count, 0)
      const sealedOpens = canDecryptSealedValues(about, keys)
      const lines = [
        `Restored ${rows} rows of ${Object.keys(about.rows).length} tables and ${about.files} file(s) as of ${about.madeAt}.`,
        ...(migrated.length > 0 ? [`Migrated to this version with ${migrated.join(', ')}.`] : []),
        ...(sealedOpens ? [] : [OTHER_KEY_WARNING]),
        ...(about.missingFiles.length > 0 ? [`The backup does not contain the content of ${about.missingFiles.join(', ')}.`] : []),
        broken.length === 0 ? `All checks passed for ${events} event(s).` : `Some checks failed: ${broken.join('; ')}`,
        'Emails and jobs that were queued in the backup will run when the service starts, even if they have already run since.',
      ]
      const { madeAt, files: kept, missingFiles } = about
      const counts = { rows, tables: about.rows, files: kept, missingFiles, events }
      return { text: lines.join('\n'), data: { madeAt, ...counts, migrated, sealedOpens, broken }, failed: broken.length > 0 }
    } finally {
      files.close()
      await opened.close()
    }
  },
}

const OTHER_KEY_WARNING =
  'This installation has a different secret key than the backup: webhook secrets, second factors, directory credentials and all other encrypted values cannot be read. Set the former LANYARD_SECRET_KEY, or add it to LANYARD_SECRET_KEYS_OLD, or set them up again'

/**
 * Runs the checks of `audit_event` for every event. Violations existed when the backup was made, so they are reported but do not fail the
 * restore.
 */
async function checkEvents(db: Db): Promise<{ events: number; broken: string[] }> {
  const events = await db.selectFrom('events').select(['tenant_id', 'id', 'code']).orderBy('tenant_id').orderBy('code').execute()
  const broken: string[] = []
  for (const { tenant_id, id, code } of events) {
    const failures = (await checkIntegrity(db, tenant_id, id)).filter(({ ok }) => !ok)
    broken.push(...failures.map((fault) => `${code}: ${fault.id} (${fault.violations}): ${fault.samples.join(', ')}`))
  }
  return { events: events.length, broken }
}
