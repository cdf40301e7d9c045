import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { Pool } from '../../kernel/ports.ts'

/** `made`: this installation made a backup. `elsewhere`: the operator declared that another system makes the backups from then on. */
type BackupKind = 'made' | 'elsewhere'

export async function storeBackupRecord(db: Db, how: BackupKind): Promise<void> {
  await sql`insert into backups (how) values (${how}) on conflict (noted_at) do update set how = excluded.how`.execute(db)
}

export interface LastBackup {
  notedAt: Date | null
  how: BackupKind | null
  /** Days since the last backup; before the first backup, days since the first data was stored. */
  days: number
}

export async function readLastBackup(pool: Pool): Promise<LastBackup> {
  const { rows } = await pool.query<LastBackup>(`
    select b.noted_at as "notedAt", b.how,
      coalesce(extract(epoch from lanyard_now() - coalesce(b.noted_at, (select min(created_at) from tenants))) / 86400, 0)::float8 as days
    from (select) one left join lateral (select noted_at, how from backups order by noted_at desc limit 1) b on true`)
  return rows[0]!
}

const OVERDUE_DAYS = 7

/** Whether the operator is reminded to make backups. There is no reminder in the first days, because the setup checklist covers backups. */
export const isBackupOverdue = ({ how, days }: LastBackup): boolean => how !== 'elsewhere' && days >= OVERDUE_DAYS
