import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { FileStore } from '../../kernel/ports.ts'
import type { RecurringRun } from '../../kernel/recurring.ts'
import { keyOf } from './keys.ts'

const BATCH = 500

type Given = Pick<RecurringRun, 'transact'> & { files: FileStore }

/**
 * Removes bytes that no file claims: of uploads that did not become a file within a day, and of files that were deleted a day ago.
 * The bytes go first and the note of them last, so that whoever is killed in between leaves work for the next, and nothing forgotten.
 * The store may be another computer, so no transaction waits for it.
 */
export async function tidyFiles(given: Given): Promise<void> {
  // Marked before anything is removed: from then on no transaction can make a file of it.
  await given.transact((db) =>
    sql`
      update file_uploads set swept_at = lanyard_now()
      where swept_at is null and started_at < lanyard_now() - interval '1 day'`.execute(db),
  )
  await removeAll(given, 'file_uploads', (db) =>
    db
      .selectFrom('file_uploads')
      .where('swept_at', 'is not', null)
      .orderBy('started_at')
      .select(['tenant_id', 'id'])
      .limit(BATCH)
      .execute(),
  )
  await removeAll(given, 'files', (db) =>
    db
      .selectFrom('files')
      .where('deleted_at', '<', sql<Date>`lanyard_now() - interval '1 day'`)
      .orderBy('deleted_at')
      .select(['tenant_id', 'id'])
      .limit(BATCH)
      .execute(),
  )
}

async function removeAll(
  { transact, files }: Given,
  table: 'files' | 'file_uploads',
  oldest: (db: Db) => Promise<{ tenant_id: number; id: string }[]>,
): Promise<void> {
  for (let strays = await transact(oldest); strays.length > 0; strays = await transact(oldest)) {
    for (const { tenant_id, id } of strays) {
      await files.remove(keyOf({ tenantId: tenant_id, id }))
      await transact((db) => db.deleteFrom(table).where('tenant_id', '=', tenant_id).where('id', '=', id).execute())
    }
  }
}
