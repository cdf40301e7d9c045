import type pg from 'pg'

export interface Statement {
  text: string
  values: unknown[]
}

export interface Recorded {
  statements: Statement[]
  /** How often the server said that it is ready again: what the caller waited for. */
  roundTrips: number
}

interface Driver {
  query: (...args: unknown[]) => unknown
  connection: { on: (event: 'readyForQuery', heard: () => void) => void }
}

/** Lets the bench watch one request's statements at the driver. Between `record` and `recorded` only: what is measured runs the driver as it is. */
export function recordStatements(Client: typeof pg.Client) {
  const driver = Client.prototype as unknown as Driver
  const original = driver.query
  const heard = new WeakSet<Driver>()
  let watching = false
  let seen: Recorded = { statements: [], roundTrips: 0 }
  const watched = function (this: Driver, ...args: unknown[]) {
    const [first, second] = args as [string | Statement, unknown[] | undefined]
    seen.statements.push(typeof first === 'string' ? { text: first, values: second ?? [] } : { text: first.text, values: first.values })
    if (!heard.has(this)) {
      heard.add(this)
      this.connection.on('readyForQuery', () => {
        if (watching) seen.roundTrips++
      })
    }
    return original.apply(this, args)
  }
  return {
    record() {
      seen = { statements: [], roundTrips: 0 }
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
