import { type DatabaseConnection, type Driver, PostgresDialect, type PostgresPool } from 'kysely'
import type { Pool } from '../kernel/ports.ts'

/** For reads, which are single statements: each has a connection only while it runs, so none is wrapped for it, and no transaction can be begun. */
export class ReadingDialect extends PostgresDialect {
  readonly #pool: Pool

  constructor(pool: Pool) {
    super({ pool: pool as unknown as PostgresPool })
    this.#pool = pool
  }

  override createDriver(): Driver {
    const connection: DatabaseConnection = {
      executeQuery: ({ sql, parameters }) => this.#pool.query(sql, parameters),
      streamQuery: () => {
        throw new Error('a read is answered whole')
      },
    }
    return {
      init: nothing,
      acquireConnection: () => Promise.resolve(connection),
      beginTransaction: refuse,
      commitTransaction: refuse,
      rollbackTransaction: refuse,
      releaseConnection: nothing,
      destroy: nothing,
    }
  }
}

const nothing = () => Promise.resolve()
const refuse = () => Promise.reject(new Error('a read begins no transaction'))
