import type { Connection } from '../../kernel/ports.ts'
import { keyOf } from './keys.ts'

/** The place and the hash of every file's bytes, for whoever copies them. What is deleted, or never became a file, is left to be swept. */
export async function listKeptBytes(connection: Connection): Promise<{ key: string; sha256: string }[]> {
  const { rows: found } = await connection.query<{ there: boolean }>(`select to_regclass('files') is not null as there`)
  if (!found[0]!.there) return []
  const { rows } = await connection.query<{ tenantId: number; id: string; sha256: string }>(
    `select tenant_id as "tenantId", id, encode(sha256, 'hex') as sha256 from files where deleted_at is null order by tenant_id, id`,
  )
  return rows.map((row) => ({ key: keyOf(row), sha256: row.sha256 }))
}
