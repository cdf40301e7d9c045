import pg from 'pg'
import { newId } from '../../src/kernel/ids.ts'
import { serveMeasurements, listen, sendJson, withBody } from './listen.ts'
import type { Statement } from './statements.ts'

/** The statement of a door scan, whose rows are returned as they are: no authentication, validation or log. */
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 20, idleTimeoutMillis: 0 })

/** The positions of scans and audit row among the values of `door_call`. */
const [SCANS, ENTRY] = [4, 5]

interface Call {
  params: { arguments: { scans: { badge: string; direction: string; deviceName: string }[] } }
}

/** The statement as the product sends it, or the decision alone, without the check of the configuration and the audit row. */
let parts: 'whole' | 'decision' = 'whole'
let statement: Statement = { text: '', values: [] }
let template: Record<string, unknown> = {}
let entry: Record<string, unknown> = {}

const server = await listen(
  withBody((body, _request, response) => {
    const { badge, direction, deviceName } = (JSON.parse(body.toString('utf8')) as Call).params.arguments.scans[0]!
    const scans = JSON.stringify([{ ...template, id: newId(), direction, deviceName, names: [{ id: badge, anyCase: false }] }])
    const [tenantId, eventId, version, rules] = statement.values
    const query =
      parts === 'whole'
        ? {
            name: 'whole',
            text: statement.text,
            values: [tenantId, eventId, version, rules, scans, JSON.stringify({ ...entry, id: newId() })],
          }
        : { name: 'decision', text: 'select * from door_scans($1, $2, $3, $4)', values: [tenantId, eventId, rules, scans] }
    void pool.query(query).then(({ rows }) => sendJson(response, JSON.stringify(rows[0])))
  }),
)

serveMeasurements(server, {
  use(given: { statement: Statement; parts: typeof parts }) {
    ;({ statement, parts } = given)
    ;[template] = JSON.parse(statement.values[SCANS] as string) as [Record<string, unknown>]
    entry = JSON.parse(statement.values[ENTRY] as string) as Record<string, unknown>
  },
})
