import type { Db } from '../../kernel/columns.ts'
import type { DerivedKeys } from '../../kernel/secrets.ts'
import { reencryptCredentials } from './credentials.ts'
import { reencryptPendingLookups, cleanUpLookups } from './lookups.ts'
import { reencryptUploadedLists } from './uploaded-lists.ts'

/** Deletes expired lookup results, and encrypts all stored secrets with the current master key, so that older keys can be removed. */
export async function cleanUpDirectories(db: Db, keys: DerivedKeys): Promise<void> {
  await cleanUpLookups(db)
  await reencryptCredentials(db, keys)
  await reencryptUploadedLists(db, keys)
  await reencryptPendingLookups(db, keys)
}
