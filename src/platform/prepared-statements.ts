import type pg from 'pg'
import { createNamedStatements } from './named-statements.ts'

/**
 * Maximum number of prepared statements per connection. The server keeps a plan for each, so the least recently used are dropped;
 * statements with lists of varying length cannot fill the memory.
 */
const MAX_PREPARED_STATEMENTS = 500
const MAX_STATEMENT_LENGTH = 8000
/** Statements with this SQL function are not prepared: a generic plan for all words would scan a million rows to find a rare word. */
const VALUE_DEPENDENT_FUNCTION = 'lanyard_word_pattern('

/**
 * SQL comment that marks a long statement as worth preparing, because its text is the same for every call. The text of other long
 * statements contains the values of many rows, so it is hardly ever repeated.
 */
const ALWAYS_SAME_MARK = '/* same text for every call */'

const isPreparable = (text: string) =>
  (text.length <= MAX_STATEMENT_LENGTH || text.endsWith(ALWAYS_SAME_MARK)) &&
  !text.includes(VALUE_DEPENDENT_FUNCTION) &&
  /^\s*(select|insert|update|delete|with|merge)\b/i.test(text)

/**
 * Generation of statement names. Increased when a migration changed the columns of a `select *`, which invalidates all plans on all
 * connections: old names cannot be dropped inside a failed transaction, and the retry must not hit the same error on another connection.
 */
let generation = 0
/** A statement whose plan is outdated fails with this error code, so that the transaction is retried. */
const SERIALIZATION_FAILURE = '40001'

const isStalePlan = (error: unknown) =>
  error instanceof Error && (error as { code?: string }).code === '0A000' && error.message.includes('cached plan must not change')

export type RunQuery = (text: string, values?: readonly unknown[]) => Promise<pg.QueryResult>

/** Prepares and names the statements of one connection. The name of a dropped statement is never reused for another one. */
function createPreparedRunner(client: pg.ClientBase, options: { describesOnce: boolean }) {
  const statements = createNamedStatements(client, options)
  const names = new Map<string, string>()
  const namesToDrop: string[] = []
  let made = 0
  let planned = generation

  function makeRoom(): void {
    if (planned !== generation) {
      namesToDrop.push(...names.values())
      names.clear()
      planned = generation
    }
    const [oldest] = names
    if (oldest && names.size > MAX_PREPARED_STATEMENTS) {
      names.delete(oldest[0])
      namesToDrop.push(oldest[1])
    }
  }

  function nameOf(text: string): string {
    const name = (planned === generation && names.get(text)) || `s${++made}`
    names.delete(text)
    makeRoom()
    names.set(text, name)
    return name
  }

  return (text: string, values: unknown[]) => {
    // Do not await the close, to keep the order of statements. It fails only if the connection is lost; then the statement fails too.
    if (namesToDrop.length > 0) statements.close(namesToDrop.shift()!).catch(() => {})
    return statements.run(nameOf(text), text, values)
  }
}

const PROBE_NAME = 'lanyard_probe'

/**
 * Whether the pooler between this client and the server keeps track of named statements, as PgBouncer does from version 1.21 on. It then
 * renames them on the server. Otherwise a name could be unknown, or belong to another client's statement, in the next transaction.
 */
export async function isPoolerTrackingStatements(client: pg.ClientBase): Promise<boolean> {
  await client.query('begin')
  try {
    await createNamedStatements(client, { describesOnce: false }).run(PROBE_NAME, 'select $1::int', [1])
    const { rows } = await client.query(`select from pg_prepared_statements where name = '${PROBE_NAME}'`)
    if (rows.length > 0) await client.query(`deallocate ${PROBE_NAME}`)
    return rows.length === 0
  } catch {
    // The statement name is already used on this server connection, so another client has used the connection before.
    return false
  } finally {
    await client.query('rollback')
  }
}

/**
 * Names every statement with values, so that the server parses and plans it once per connection. On a database session of its own, the
 * result columns are also described only once.
 */
export function withPreparedStatements(client: pg.ClientBase, { ownSession }: { ownSession: boolean }): RunQuery {
  const runNamed = createPreparedRunner(client, { describesOnce: ownSession })
  return async (text, values) => {
    if (!values) return client.query(text)
    if (!isPreparable(text)) return client.query(text, values as unknown[])
    const planned = generation
    try {
      return await runNamed(text, values as unknown[])
    } catch (error) {
      // The stack is replaced by that of the caller, because the driver creates the error only when the response arrives.
      if (error instanceof Error) Error.captureStackTrace(error)
      if (!isStalePlan(error)) throw error
      if (planned === generation) generation++
      if (client.getTransactionStatus() !== 'I') throw Object.assign(error as Error, { code: SERIALIZATION_FAILURE })
      return runNamed(text, values as unknown[])
    }
  }
}

/** Sends every statement without a name, for poolers that do not keep track of names. The server parses and plans it each time. */
export const withUnnamedStatements =
  (client: pg.ClientBase): RunQuery =>
  (text, values) =>
    client.query(text, values as unknown[])
