import pg from 'pg'
import { newId } from '../../src/kernel/ids.ts'
import { serveMeasurements, listen, sendJson, withBody } from './listen.ts'
import type { Statement } from './statements.ts'

/** The door decision as one prepared statement, whose rows are returned as they are: no authentication, validation, audit or log. */
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 20, idleTimeoutMillis: 0 })
let statement: Statement = { text: '', values: [] }
let template: Record<string, unknown> = {}

const SCANS = 3

interface Call {
  params: { arguments: { scans: { badge: string; direction: string; deviceName: string }[] } }
}

const server = await listen(
  withBody((body, _request, response) => {
    const { badge, direction, deviceName } = (JSON.parse(body.toString('utf8')) as Call).params.arguments.scans[0]!
    const values = [...statement.values]
    values[SCANS] = JSON.stringify([{ ...template, id: newId(), direction, deviceName, names: [{ id: badge, anyCase: false }] }])
    void pool.query({ name: 'scan', text: statement.text, values }).then(({ rows }) => sendJson(response, JSON.stringify(rows[0])))
  }),
)

serveMeasurements(server, {
  use(given: Statement) {
    statement = given
    ;[template] = JSON.parse(given.values[SCANS] as string) as [Record<string, unknown>]
  },
})
