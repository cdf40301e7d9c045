import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { FileStore } from '../../kernel/ports.ts'
import type { RecurringTaskContext } from '../../kernel/recurring.ts'
import { toStorageKey } from './keys.ts'

const CLEANUP_BATCH_ROWS = 500

type CleanupDeps = Pick<RecurringTaskContext, 'transact'> & { files: FileStore }

/**
 * Deletes stored bytes that belong to no file: uploads from which no file was created within a day, and files deleted a day ago. The bytes
 * are deleted before their row, so that an interrupted run is resumed. The store may be remote, so no transaction waits for it.
 */
export async function cleanUpFiles(given: CleanupDeps): Promise<void> {
  // Uploads are marked as deleted before their bytes are deleted, so that no transaction creates a file from a deleted upload.
  await given.transact((db) =>
    sql`
      update file_uploads set swept_at = lanyard_now()
      where swept_at is null and started_at < lanyard_now() - interval '1 day'`.execute(db),
  )
  await deleteBytes(given, 'file_uploads', (db) =>
    db
      .selectFrom('file_uploads')
      .where('swept_at', 'is not', null)
      .orderBy('started_at')
      .select(['tenant_id', 'id'])
      .limit(CLEANUP_BATCH_ROWS)
      .execute(),
  )
  await deleteBytes(given, 'files', (db) =>
    db
      .selectFrom('files')
      .where('deleted_at', '<', sql<Date>`lanyard_now() - interval '1 day'`)
      .orderBy('deleted_at')
      .select(['tenant_id', 'id'])
      .limit(CLEANUP_BATCH_ROWS)
      .execute(),
  )
}

async function deleteBytes(
  { transact, files }: CleanupDeps,
  table: 'files' | 'file_uploads',
  oldest: (db: Db) => Promise<{ tenant_id: number; id: string }[]>,
): Promise<void> {
  for (let strays = await transact(oldest); strays.length > 0; strays = await transact(oldest)) {
    for (const { tenant_id, id } of strays) {
      await files.remove(toStorageKey({ tenantId: tenant_id, id }))
      await transact((db) => db.deleteFrom(table).where('tenant_id', '=', tenant_id).where('id', '=', id).execute())
    }
  }
}
