import { createHash } from 'node:crypto'
import pg from 'pg'

/** Beyond these a statement runs unnamed: lists of changing length would otherwise fill every connection with plans. */
const MAX_NAMES = 1000
const MAX_TEXT = 8000
const names = new Map<string, string>()

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known) return known
  if (names.size >= MAX_NAMES || text.length > MAX_TEXT || !/^\s*(select|insert|update|delete|with|merge)\b/i.test(text)) return undefined
  const name = createHash('sha1').update(text).digest('hex').slice(0, 20)
  names.set(text, name)
  return name
}

/**
 * A migration changed the shape of a `select *`. All plans made before are left behind at once, on every connection: the old names cannot be
 * dropped inside a transaction that this lost, and the next try must not meet the same on another connection.
 */
let generation = 0
/** To a transaction it is what this code says: nothing was wrong with it, and once more it will go through. */
const SERIALIZATION_FAILURE = '40001'

const isStalePlan = (error: unknown) =>
  error instanceof Error && (error as { code?: string }).code === '0A000' && error.message.includes('cached plan must not change')

export type Query = (text: string, values?: readonly unknown[]) => Promise<pg.QueryResult>

/** The driver's own query object: a plain description of the same is copied property by property, which costs more than sending it. */
function runNow(client: pg.ClientBase, name: string, text: string, values: unknown[]): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query(text, values, (error, result) => (error ? reject(error) : resolve(result as unknown as pg.QueryResult)))
    client.query(Object.assign(query, { name }))
  })
}

/** Names every plain statement that has values by its text, so that the server parses and plans it once per connection. */
export function naming(client: pg.ClientBase): Query {
  const runNamed = (name: string, text: string, values: unknown[]) =>
    runNow(client, generation ? `${name}-${generation}` : name, text, values)

  return async (text, values) => {
    if (!values) return client.query(text)
    const name = nameOf(text)
    if (!name) return client.query(text, values as unknown[])
    const planned = generation
    try {
      return await runNamed(name, text, values as unknown[])
    } catch (error) {
      // It was made where the answer arrived; told is who asked.
      if (error instanceof Error) Error.captureStackTrace(error)
      if (!isStalePlan(error)) throw error
      if (planned === generation) generation++
      if (client.getTransactionStatus() !== 'I') throw Object.assign(error as Error, { code: SERIALIZATION_FAILURE })
      return runNamed(name, text, values as unknown[])
    }
  }
}
