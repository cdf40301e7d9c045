import { type CompiledQuery, type DatabaseConnection, type Driver, Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import type { Tables } from '../kernel/columns.ts'
import type { PooledConnection } from '../kernel/ports.ts'

type RunStatement = PooledConnection['query']

/**
 * Kysely dialect that passes each statement on immediately: for reads, which use a connection only while they run, and for the statements
 * of an open transaction. Kysely's own transactions send a statement only after the one before it is answered; here, statements that are
 * started together are sent together.
 */
export class PipelinedPostgresDialect extends PostgresDialect {
  readonly #run: RunStatement

  constructor(run: RunStatement) {
    super({ pool: {} as unknown as PostgresPool })
    this.#run = run
  }

  override createDriver(): Driver {
    const connection: DatabaseConnection = {
      executeQuery: async <R>({ sql, parameters }: CompiledQuery) => {
        const { rows, rowCount } = await this.#run<R>(sql, parameters)
        return { rows, numAffectedRows: BigInt(rowCount ?? 0) }
      },
      streamQuery: () => {
        throw new Error('rows cannot be streamed')
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
const rejectTransaction = () => Promise.reject(new Error('start a transaction with database.transact'))

/** Creates the query builder for the statements of one connection. */
export const createConnectionQueryBuilder = (connection: PooledConnection): Kysely<Tables> =>
  new Kysely<Tables>({ dialect: new PipelinedPostgresDialect((text, values) => connection.query(text, values)) })
