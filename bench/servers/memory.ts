import type { Database, Pool } from '../../src/kernel/ports.ts'

/** The result of the token verification statement for one organizer. */
const VERIFIED = {
  app_id: 'app-bench',
  app_name: 'Bench',
  user_id: '0192f0c1d2e3a4b5c6d7e8f9',
  user_name: 'Olga Organizer',
  tenant_id: 1,
  tenant_code: 'demo',
  used: 1,
  reset_at: 1_800_000_000,
  now: 1_799_999_990,
  memberships: [['0192f0c1d2e3a4b5c6d7e8fa', 'acme', 'Acme', true, true, 'admin']],
  staff: null,
}

/** A substitute for the database that returns one organizer without any work, so that only our own code is measured. */
export function createMemoryDatabase(): Database {
  const answered = Promise.resolve({ rows: [VERIFIED], rowCount: 1 })
  const refuse = () => Promise.reject(new Error('this database has no tables'))
  const pool = { query: () => answered, connect: refuse, usage: () => ({ open: 0, idle: 0, waiting: 0 }), end: async () => {} }
  return {
    engine: 'postgres',
    pool: pool as unknown as Pool,
    read: {} as never,
    replica: null,
    write: {} as never,
    transact: refuse,
    runStatement: refuse,
    snapshot: refuse,
    close: async () => {},
  }
}
