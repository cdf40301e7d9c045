import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { Pool } from '../../kernel/ports.ts'
import type {} from './tables.ts'

/** Made just now, or made by somebody else from now on. */
type Backing = 'made' | 'elsewhere'

export async function noteBackup(db: Db, how: Backing): Promise<void> {
  await sql`insert into backups (how) values (${how}) on conflict (noted_at) do update set how = excluded.how`.execute(db)
}

export interface LastBackup {
  notedAt: Date | null
  how: Backing | null
  /** Since then; before the first, since there is something to lose. */
  days: number
}

export async function lastBackup(pool: Pool): Promise<LastBackup> {
  const { rows } = await pool.query<LastBackup>(`
    select b.noted_at as "notedAt", b.how,
      coalesce(extract(epoch from lanyard_now() - coalesce(b.noted_at, (select min(created_at) from tenants))) / 86400, 0)::float8 as days
    from (select) one left join lateral (select noted_at, how from backups order by noted_at desc limit 1) b on true`)
  return rows[0]!
}

const DAYS = 7

/** Nobody is reminded in the first days of something that the checklist asks for anyway. */
export const isOverdue = ({ how, days }: LastBackup): boolean => how !== 'elsewhere' && days >= DAYS
