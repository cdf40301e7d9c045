import type pg from 'pg'
import type { PooledConnection } from '../kernel/ports.ts'
import type { RunQuery } from './prepared-statements.ts'

/**
 * Throws if a commit is answered with ROLLBACK: PostgreSQL does that for a failed transaction, without an error. Code that swallowed the
 * failure would take it for committed.
 */
export function withFailedCommitCheck(query: RunQuery): RunQuery {
  const checked: RunQuery = async (text, values) => {
    const result = await query(text, values)
    if (result.command === 'ROLLBACK' && /^\s*(commit|end)\b/i.test(text)) {
      throw new Error('The transaction was rolled back at its commit: a statement in it had failed.')
    }
    return result
  }
  // Statements with parameters cannot be a COMMIT, so they are not checked.
  return (text, values) => (values?.length ? query(text, values) : checked(text, values))
}

/**
 * Ends an open transaction. The server reports the error of a statement before the new status of the transaction, so an empty statement is
 * sent to wait for that status.
 */
async function leaveTransaction(client: pg.ClientBase): Promise<void> {
  await client.query('')
  if (client.getTransactionStatus() !== 'I') await client.query('rollback')
}

/** Wraps a pooled client for one use. Releasing it ends an open transaction; if that fails, the pool discards the connection. */
export function wrapPooledConnection(client: pg.ClientBase, query: RunQuery, returnClient: (lost: boolean) => void): PooledConnection {
  let running = 0
  let failed = false
  let released = false
  return {
    async query(text: string, values?: readonly unknown[]) {
      if (released) throw new Error('a query on a connection that was released')
      running++
      try {
        return await query(text, values)
      } catch (error) {
        failed = true
        throw error
      } finally {
        running--
      }
    },
    release(broken) {
      if (released) throw new Error('a connection was released twice')
      released = true
      if (!broken && !failed && running === 0 && client.getTransactionStatus() === 'I') return returnClient(false)
      leaveTransaction(client).then(
        () => returnClient(Boolean(broken)),
        () => returnClient(true),
      )
    },
  }
}
