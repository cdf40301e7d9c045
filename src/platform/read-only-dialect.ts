import { type DatabaseConnection, type Driver, PostgresDialect, type PostgresPool } from 'kysely'
import type { Pool } from '../kernel/ports.ts'

/** Kysely dialect for reads, which are single statements: each uses a connection only while it runs, and transactions are rejected. */
export class ReadOnlyDialect extends PostgresDialect {
  readonly #pool: Pool

  constructor(pool: Pool) {
    super({ pool: pool as unknown as PostgresPool })
    this.#pool = pool
  }

  override createDriver(): Driver {
    const connection: DatabaseConnection = {
      executeQuery: ({ sql, parameters }) => this.#pool.query(sql, parameters),
      streamQuery: () => {
        throw new Error('reads cannot be streamed')
      },
    }
    return {
      init: nothing,
      acquireConnection: () => Promise.resolve(connection),
      beginTransaction: rejectTransaction,
      commitTransaction: rejectTransaction,
      rollbackTransaction: rejectTransaction,
      releaseConnection: nothing,
      destroy: nothing,
    }
  }
}

const nothing = () => Promise.resolve()
const rejectTransaction = () => Promise.reject(new Error('reads cannot start a transaction'))
