import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import type { Tables } from '../kernel/columns.ts'
import type { Database, Pool } from '../kernel/ports.ts'
import type { Database as OpenDatabase } from './database.ts'
import { owningTransaction } from './pool.ts'

const builderOn = (pool: Pool) => new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }) })

/** The kernel's view of an open database. */
export function databaseOn({ engine, pool, reader, close }: OpenDatabase): Database {
  const write = builderOn(pool)
  return {
    engine,
    pool,
    write,
    read: reader === pool ? write : builderOn(reader),
    close,
    // The connection is taken before the mark is set, or taking it would be refused as a second one.
    transact: (run) => write.connection().execute((connection) => owningTransaction(() => connection.transaction().execute(run))),
  }
}
