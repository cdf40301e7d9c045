import pg from 'pg'

/** On one connection, whose server process keeps a plan for each: the ones longest unused make room, so lists of changing length cannot fill it. */
const MAX_NAMES = 500
const MAX_TEXT = 8000
/** What is searched for decides how: a plan for any word would walk through a million rows to the one that a rare word is in. */
const PLANNED_FOR_ITS_VALUES = 'lanyard_word_pattern('

/** A long statement that is always the same says so at its end; all others of that length are lists of many rows. */
const ASKED_AGAIN = '/* always the same */'

const isNamed = (text: string) =>
  (text.length <= MAX_TEXT || text.endsWith(ASKED_AGAIN)) &&
  !text.includes(PLANNED_FOR_ITS_VALUES) &&
  /^\s*(select|insert|update|delete|with|merge)\b/i.test(text)

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

/**
 * Runs statements under the names that one connection has for them. A name that had to make room never comes back: a statement that was sent
 * under it runs before it is dropped, and none can meet it under another text.
 */
function runningNamed(client: pg.ClientBase) {
  const { parsedStatements } = (client as unknown as { connection: { parsedStatements: Record<string, string> } }).connection
  const names = new Map<string, string>()
  const leaving: string[] = []
  let made = 0
  let planned = generation

  function makeRoom(): void {
    if (planned !== generation) {
      leaving.push(...names.values())
      names.clear()
      planned = generation
    }
    const [oldest] = names
    if (oldest && names.size > MAX_NAMES) {
      names.delete(oldest[0])
      leaving.push(oldest[1])
    }
  }

  /** A failed transaction would refuse it, and what the server never took under that name would fail the one that is open. */
  async function dropOne(): Promise<void> {
    if (client.getTransactionStatus() === 'E') return
    const name = leaving.shift()!
    if (parsedStatements[name] === undefined) return
    try {
      await client.query(`deallocate "${name}"`)
      delete parsedStatements[name]
    } catch {
      leaving.push(name)
    }
  }

  function nameOf(text: string): string {
    const name = (planned === generation && names.get(text)) || `s${++made}`
    names.delete(text)
    makeRoom()
    names.set(text, name)
    return name
  }

  return async (text: string, values: unknown[]) => {
    if (leaving.length > 0) await dropOne()
    return runNow(client, nameOf(text), text, values)
  }
}

/** Names every plain statement that has values, so that the server parses and plans it once per connection. */
export function naming(client: pg.ClientBase): Query {
  const runNamed = runningNamed(client)
  return async (text, values) => {
    if (!values) return client.query(text)
    if (!isNamed(text)) return client.query(text, values as unknown[])
    const planned = generation
    try {
      return await runNamed(text, values as unknown[])
    } catch (error) {
      // It was made where the answer arrived; told is who asked.
      if (error instanceof Error) Error.captureStackTrace(error)
      if (!isStalePlan(error)) throw error
      if (planned === generation) generation++
      if (client.getTransactionStatus() !== 'I') throw Object.assign(error as Error, { code: SERIALIZATION_FAILURE })
      return runNamed(text, values as unknown[])
    }
  }
}
