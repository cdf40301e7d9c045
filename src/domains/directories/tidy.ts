import type { Db } from '../../kernel/columns.ts'
import type { Keys } from '../../kernel/secrets.ts'
import { resealCredentials } from './credentials.ts'
import { resealWaiting, tidyLookups } from './lookups.ts'
import { resealLists } from './uploaded-lists.ts'

/** Drops what has expired, and lets a changed master key come through: after this nothing needs the old one. */
export async function tidyDirectories(db: Db, keys: Keys): Promise<void> {
  await tidyLookups(db)
  await resealCredentials(db, keys)
  await resealLists(db, keys)
  await resealWaiting(db, keys)
}
