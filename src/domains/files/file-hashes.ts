import type { PooledConnection } from '../../kernel/ports.ts'
import { toStorageKey } from './keys.ts'

/** Lists the storage key and SHA-256 hash of every file, for backups. Deleted files and unfinished uploads are left out. */
export async function listFileHashes(connection: PooledConnection): Promise<{ key: string; sha256: string }[]> {
  const { rows: found } = await connection.query<{ there: boolean }>(`select to_regclass('files') is not null as there`)
  if (!found[0]!.there) return []
  const { rows } = await connection.query<{ tenantId: number; id: string; sha256: string }>(
    `select tenant_id as "tenantId", id, encode(sha256, 'hex') as sha256 from files where deleted_at is null order by tenant_id, id`,
  )
  return rows.map((row) => ({ key: toStorageKey(row), sha256: row.sha256 }))
}
