import pg from 'pg'
import type { Pool } from '../kernel/ports.ts'

/**
 * Settings that every session of Lanyard's role starts with. They belong to the role, and only in this database, because behind a
 * connection pooler a setting of a session would reach other clients or get lost. JIT is off: compiling a complex statement takes longer
 * than running it.
 */
const roleDefaults = (timeoutScale: number): Record<string, string> => ({
  jit: 'off',
  statement_timeout: `${20_000 * timeoutScale}`,
  idle_in_transaction_session_timeout: `${30_000 * timeoutScale}`,
})

/** Id of the advisory lock under which a starting process changes the database role, because concurrent changes of a role fail. */
const ROLE_LOCK_ID = 7_233_103

/** Adds the missing default settings to the database role. An operator's own values, such as a longer timeout, are kept. */
export async function ensureDatabaseRoleDefaults(pool: Pool, timeoutScale = 1): Promise<void> {
  const connection = await pool.connect()
  try {
    await connection.query(`begin; select pg_advisory_xact_lock(${ROLE_LOCK_ID})`)
    const { rows } = await connection.query<{ database: string; present: string[] }>(
      `select d.datname as database, array(select lower(split_part(c, '=', 1)) from unnest(s.setconfig) c) as present
       from pg_database d left join pg_db_role_setting s on s.setdatabase = d.oid and s.setrole = current_user::regrole
       where d.datname = current_database()`,
    )
    const { database, present } = rows[0]!
    for (const [name, value] of Object.entries(roleDefaults(timeoutScale)).filter(([name]) => !present.includes(name))) {
      const setting = `set ${name} = ${pg.escapeLiteral(value)}`
      await connection.query(`alter role current_user in database ${pg.escapeIdentifier(database)} ${setting}`)
      // A new default of the role affects only later database sessions, so it is also set for this one, which a pooler may reuse.
      await connection.query(setting)
    }
    await connection.query('commit')
  } finally {
    connection.release()
  }
}
