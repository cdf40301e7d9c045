import pg from 'pg'

/** The result columns of a statement, in the form of the driver's result object. */
interface ResultColumns {
  fields: unknown
  _parsers: unknown
  _prebuiltEmptyResultObject: unknown
}

/** The driver's query object, with the parts that its type declarations omit. */
interface DriverQuery {
  name: string
  submit: (connection: pg.Connection) => unknown
  _accumulateRows: boolean
  _result: ResultColumns
}

const columnsOf = ({ fields, _parsers, _prebuiltEmptyResultObject }: ResultColumns): ResultColumns => ({
  fields,
  _parsers,
  _prebuiltEmptyResultObject,
})

export interface NamedStatements {
  run: (name: string, text: string, values: unknown[]) => Promise<pg.QueryResult>
  /** Closes a prepared statement by a protocol message. Unlike DEALLOCATE, poolers support it, and it cannot fail a transaction. */
  close: (name: string) => Promise<void>
}

/**
 * Runs the named prepared statements of one connection. With `describesOnce`, the server describes the result columns only when a statement
 * runs for the first time. This requires a session of its own: there, the server refuses a statement whose columns have changed, but a
 * pooler may prepare the same name again in another session.
 */
export function createNamedStatements(client: pg.ClientBase, { describesOnce }: { describesOnce: boolean }): NamedStatements {
  const { connection } = client as unknown as { connection: pg.Connection & { parsedStatements: Record<string, string> } }
  const undescribed = Object.assign(Object.create(connection) as pg.Connection, { describe: () => {} })
  const columnsByName = new Map<string, ResultColumns>()

  function useColumns(query: DriverQuery, columns: ResultColumns): void {
    Object.assign(query._result, columns)
    query._accumulateRows = true
    const submit = query.submit.bind(query)
    query.submit = () => submit(undescribed)
  }

  return {
    // The driver gets its own query object, because copying the properties of a plain config object takes longer than sending the query.
    run: (name, text, values) =>
      new Promise((resolve, reject) => {
        const columns = columnsByName.get(name)
        const query = new pg.Query(text, values, (error, done) => {
          if (error) return reject(error)
          if (describesOnce && !columns) columnsByName.set(name, columnsOf(own._result))
          resolve(done as unknown as pg.QueryResult)
        })
        const own = query as unknown as DriverQuery
        own.name = name
        if (columns) useColumns(own, columns)
        client.query(query)
      }),
    close(name) {
      delete connection.parsedStatements[name]
      columnsByName.delete(name)
      return new Promise((resolve, reject) => {
        const query = new pg.Query('', [], (error) => (error ? reject(error) : resolve()))
        query.submit = () => {
          connection.close({ type: 'S', name }, false)
          connection.sync()
          return null as never
        }
        client.query(query)
      })
    },
  }
}
