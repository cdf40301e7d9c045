import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import type { Tables } from '../kernel/columns.ts'
import type { Database } from '../kernel/ports.ts'
import type { Database as OpenDatabase } from './database.ts'
import { owningTransaction } from './pool.ts'
import { ReadingDialect } from './reading-dialect.ts'

/** The kernel's view of an open database. */
export function databaseOn({ engine, pool, reader, close }: OpenDatabase): Database {
  const write = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }) })
  return {
    engine,
    pool,
    write,
    read: new Kysely<Tables>({ dialect: new ReadingDialect(reader) }),
    close,
    // The connection is taken before the mark is set, or taking it would be refused as a second one.
    transact: (run) =>
      again(() => write.connection().execute((connection) => owningTransaction(() => connection.transaction().execute(run)))),
  }
}

const ATTEMPTS = 3

/** A transaction that met another one, or a plan that a migration made stale, is done once more: nothing was wrong with it. */
async function again<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (tries === ATTEMPTS || !isCollision(error)) throw error
    }
  }
}

/** Deadlocks and serialization failures are the database's way of saying "once more". */
const isCollision = (error: unknown) => ['40001', '40P01'].includes((error as { code?: string } | null)?.code ?? '')
