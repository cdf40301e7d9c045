import type pg from 'pg'
import type { Connection } from '../kernel/ports.ts'
import type { Query } from './named.ts'

/** Commit of a failed transaction answers ROLLBACK and no error: whoever swallowed the failure would believe it was kept. */
export function refusingLostCommits(query: Query): Query {
  const checked: Query = async (text, values) => {
    const result = await query(text, values)
    if (result.command === 'ROLLBACK' && /^\s*(commit|end)\b/i.test(text)) {
      throw new Error('The transaction was rolled back at its commit: a statement in it had failed.')
    }
    return result
  }
  // A statement with values is no commit.
  return (text, values) => (values?.length ? query(text, values) : checked(text, values))
}

/** The server tells an error before the transaction status that follows it: the empty statement waits for that status. */
async function leaveTransaction(client: pg.ClientBase): Promise<void> {
  await client.query('')
  if (client.getTransactionStatus() !== 'I') await client.query('rollback')
}

/** One use of a client. It is given back outside any transaction, or with `lost` when that could not be reached. */
export function checkedOut(client: pg.ClientBase, query: Query, giveBack: (lost: boolean) => void): Connection {
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
      if (!broken && !failed && running === 0 && client.getTransactionStatus() === 'I') return giveBack(false)
      leaveTransaction(client).then(
        () => giveBack(Boolean(broken)),
        () => giveBack(true),
      )
    },
  }
}
