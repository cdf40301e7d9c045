import type { Db } from '../../kernel/columns.ts'
import type { Keys } from '../../kernel/secrets.ts'
import { resealCredentials } from './credentials.ts'
import { resealPendingLookups, cleanUpLookups } from './lookups.ts'
import { resealLists } from './uploaded-lists.ts'

/** Deletes expired rows and seals all stored secrets under the current master key, after which the old key can be removed. */
export async function cleanUpDirectories(db: Db, keys: Keys): Promise<void> {
  await cleanUpLookups(db)
  await resealCredentials(db, keys)
  await resealLists(db, keys)
  await resealPendingLookups(db, keys)
}
