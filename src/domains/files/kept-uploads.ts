import type { Db } from '../../kernel/columns.ts'
import type { DerivedKeys } from '../../kernel/secrets.ts'
import type { StoredUpload } from './upload.ts'

const LABEL = 'kept upload'

/**
 * Encrypts the reference to an uploaded file. If a form is refused, its page contains this text, so that users need not choose the file
 * again. It can be decrypted only for the same `place`: the form and field that the file was sent with. The uploaded file itself expires
 * after a day.
 */
export const encryptUploadReference = (keys: DerivedKeys, upload: StoredUpload, place: string): string =>
  keys.seal(LABEL, JSON.stringify({ ...upload, sha256: upload.sha256.toString('hex') }), place)

/** Decrypts the reference to an uploaded file in a form. Null if it belongs to another form or field, has expired, or was already used. */
export async function findUploadByReference(
  { db, keys }: { db: Db; keys: DerivedKeys },
  sealed: string,
  place: string,
): Promise<StoredUpload | null> {
  const opened = keys.open(LABEL, sealed, place)
  if (!opened) return null
  const { sha256, ...rest } = JSON.parse(opened.toString()) as Omit<StoredUpload, 'sha256'> & { sha256: string }
  const row = await db
    .selectFrom('file_uploads')
    .select('id')
    .where('tenant_id', '=', rest.tenantId)
    .where('id', '=', rest.id)
    .where('swept_at', 'is', null)
    .executeTakeFirst()
  return row ? { ...rest, sha256: Buffer.from(sha256, 'hex') } : null
}
