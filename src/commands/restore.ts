import { checkIntegrity } from '../domains/orders/integrity/check.ts'
import type { Db } from '../kernel/columns.ts'
import { QUIET } from '../kernel/quiet-log.ts'
import { checkBackup, opensHere, restoreBackup } from '../platform/backup/restore-backup.ts'
import { migrate, openDatabase } from '../platform/database.ts'
import { openFileStore } from '../platform/file-store.ts'
import { openJobQueue } from '../platform/job-queue.ts'
import { databaseOn } from '../platform/kysely.ts'
import { keysInFile, masterKeys } from '../platform/master-key.ts'
import { refuseSuperuser } from '../open-migrated.ts'
import { type Command, optional, UsageError } from './command.ts'

export const restoreCommand: Command = {
  usage: 'restore <file> [--key-file <file>]',
  summary: 'put a backup into an empty database and its files into the file store, bring them to this version and check them',
  options: { 'key-file': 'string' },
  async run({ environment, words: [file, ...more], flags }) {
    if (!file || more.length > 0) throw new UsageError('The file of a backup is needed')
    const keys = await masterKeys(environment)
    const keyFile = optional(flags, 'key-file')
    const backupKeys = keyFile === undefined ? keys : await keysInFile(keyFile)
    const about = await checkBackup(file, backupKeys)
    const opened = await openDatabase({ url: environment.databaseUrl ?? undefined, dataDir: environment.dataDir })
    const files = await openFileStore(environment)
    try {
      await refuseSuperuser(opened.pool, environment)
      const queue = await openJobQueue(opened.pool, QUIET)
      await restoreBackup(file, about, { pool: opened.pool, queue, files, backupKeys }).finally(() => queue.stop())
      const migrated = await migrate(opened.pool)
      // Nobody has counted these rows yet, and the first who ask would wait for plans made for none.
      await opened.pool.query('analyze')
      const { events, broken } = await checkEvents(databaseOn(opened).write)
      const rows = Object.values(about.rows).reduce((sum, count) => sum + count, 0)
      const sealedOpens = opensHere(about, keys)
      const lines = [
        `Restored ${rows} rows of ${Object.keys(about.rows).length} tables and ${about.files} file(s) as they were at ${about.madeAt}.`,
        ...(migrated.length > 0 ? [`Brought to this version by ${migrated.join(', ')}.`] : []),
        ...(sealedOpens ? [] : [SEALED_ELSEWHERE]),
        ...(about.missingFiles.length > 0 ? [`The backup has no bytes of ${about.missingFiles.join(', ')}.`] : []),
        broken.length === 0 ? `All is well with ${events} event(s).` : `Not all is well: ${broken.join('; ')}`,
        'Mail and work that waited then are sent and done when the service starts, also where that was done since.',
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

const SEALED_ELSEWHERE =
  'This installation has another secret key than the one that made the backup: webhook secrets, second factors, directory credentials and all else that is sealed cannot be opened. Set the former LANYARD_SECRET_KEY, also as one of LANYARD_SECRET_KEYS_OLD, or have them set up again'

/** What `audit_event` looks at, of every event. What is wrong was so when the backup was made: it is told, not refused. */
async function checkEvents(db: Db): Promise<{ events: number; broken: string[] }> {
  const events = await db.selectFrom('events').select(['tenant_id', 'id', 'code']).orderBy('tenant_id').orderBy('code').execute()
  const broken: string[] = []
  for (const { tenant_id, id, code } of events) {
    const faults = (await checkIntegrity(db, tenant_id, id)).filter(({ ok }) => !ok)
    broken.push(...faults.map((fault) => `${code}: ${fault.id} (${fault.violations}): ${fault.samples.join(', ')}`))
  }
  return { events: events.length, broken }
}
