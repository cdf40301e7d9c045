import { hash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { newId } from '../../src/kernel/ids.ts'

export interface RecordedStatement {
  /** The name of a prepared statement, which is planned once per connection. */
  name?: string
  text: string
  values: unknown[]
  /** The index of the connection that ran the statement, which separates concurrent transactions. */
  connection?: number
  /** The number of the round trip in which the statement was sent, starting at 1. */
  roundTrip?: number
}

export interface RecordedStatements {
  statements: RecordedStatement[]
  /** The number of round trips: how often the caller sent statements and waited for the results. */
  roundTrips: number
}

interface Driver {
  query: (...args: unknown[]) => unknown
  connection: { on: (event: 'readyForQuery', heard: () => void) => void }
}

const statementOf = ({ name, text, values }: RecordedStatement): RecordedStatement => ({ ...(name ? { name } : {}), text, values })

/**
 * Whether the statement sets up a new connection. Such statements are not replayed, because they would make the bare connection read-only.
 */
const isConnectionSetup = ({ text }: RecordedStatement) => /^set (?:timezone|default_transaction_read_only)\b/.test(text)

/**
 * Records the SQL statements of a request in the database driver, only between `record` and `recorded`. Measured calls run the unmodified
 * driver.
 */
export function recordStatements(Client: typeof pg.Client) {
  const driver = Client.prototype as unknown as Driver
  const original = driver.query
  const heard = new WeakMap<Driver, { index: number }>()
  let connections = 0
  let unanswered = 0
  let watching = false
  let seen: RecordedStatements = { statements: [], roundTrips: 0 }
  const watched = function (this: Driver, ...args: unknown[]) {
    const [first, second] = args as [string | RecordedStatement, unknown[] | undefined]
    const state = heard.get(this) ?? { index: connections++ }
    if (!heard.has(this)) {
      heard.set(this, state)
      this.connection.on('readyForQuery', () => {
        if (watching) unanswered--
      })
    }
    if (unanswered++ === 0) seen.roundTrips++
    const statement = typeof first === 'string' ? { text: first, values: second ?? [] } : statementOf(first)
    if (!isConnectionSetup(statement)) seen.statements.push({ ...statement, connection: state.index, roundTrip: seen.roundTrips })
    return original.apply(this, args)
  }
  return {
    record() {
      seen = { statements: [], roundTrips: 0 }
      unanswered = 0
      watching = true
      driver.query = watched
    },
    recorded() {
      watching = false
      driver.query = original
      return seen
    },
  }
}

const isId = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{24}$/.test(value)
const isSecret = (value: unknown): value is Buffer => Buffer.isBuffer(value) && value.length === 32
const written = (value: unknown) => (isSecret(value) ? value.toString('hex') : isId(value) ? value : null)

/** Lists the ids and secrets in a value, including the ids of rows that are written as JSON. */
function writtenIn(value: unknown): string[] {
  const key = written(value)
  if (key !== null) return [key]
  return typeof value === 'string' && /^\[?\{/.test(value) ? [...value.matchAll(/"id":"([0-9a-f]{24})"/g)].map(([, id]) => id!) : []
}

/**
 * Adapts recorded SQL statements to another participant, so that they can be replayed: inserted rows get other ids, secrets and email
 * addresses. Ids of rows that existed before stay the same, as do the `known` ones.
 */
export function adaptToAnotherParticipant(
  statements: readonly RecordedStatement[],
  email: string,
  known: readonly string[],
): RecordedStatement[] {
  const firstIn = new Map<string, boolean>(known.map((id) => [id, false]))
  for (const { text, values } of statements)
    for (const key of values.flatMap(writtenIn)) if (!firstIn.has(key)) firstIn.set(key, /\binsert into\b/i.test(text))
  const person = `${newId()}@example.org`
  const others = new Map([...firstIn].filter(([, isNew]) => isNew).map(([key]) => [key, key.length === 24 ? newId() : randomBytes(32)]))
  const renew = (value: unknown): unknown => {
    const key = written(value)
    if (key !== null) return others.get(key) ?? value
    if (Array.isArray(value)) return value.map(renew)
    return typeof value === 'string'
      ? value.replaceAll(email, person).replaceAll(/[0-9a-f]{24}/g, (id) => String(others.get(id) ?? id))
      : value
  }
  return statements.map(({ text, values }) => ({ text, values: values.map(renew) }))
}

/** Runs the same statements on a bare connection, as prepared statements like ours. */
export async function replayStatements(client: pg.Client, statements: readonly RecordedStatement[]): Promise<void> {
  for (const { text, values } of statements) await client.query({ name: hash('sha1', text), text, values })
}
