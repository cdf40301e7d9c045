import pg from 'pg'
import { newId } from '../../src/kernel/ids.ts'
import { hashToken } from '../../src/kernel/secrets.ts'
import { serveMeasurements, listenForBench, sendJsonText, withBody } from './listen.ts'
import type { RecordedStatement } from './statements.ts'

/** A server that runs the SQL statement of a door scan and returns its rows unchanged: no validation, no log and no check of the rows. */
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 20, idleTimeoutMillis: 0 })

/** The positions of values in the statement that verifies the caller and runs `door_call`. */
const [TOKEN, EVENT, ENTRY_ID, RULES, SCANS] = [0, 3, 5, 8, 9]

interface Call {
  params: { arguments: { scans: { badge: string; direction: string; deviceName: string }[] } }
}

/**
 * Whether to run the whole statement of the product, or only the decision about the scan: without the caller, the configuration check and
 * the audit row.
 */
let parts: 'whole' | 'decision' = 'whole'
let statement: RecordedStatement = { text: '', values: [] }
let tenantId = 0
let template: Record<string, unknown> = {}

const server = await listenForBench(
  withBody((body, request, response) => {
    const { badge, direction, deviceName } = (JSON.parse(body.toString('utf8')) as Call).params.arguments.scans[0]!
    const scans = JSON.stringify([{ ...template, id: newId(), direction, deviceName, names: [{ id: badge, anyCase: false }] }])
    const values = [...statement.values]
    values[TOKEN] = hashToken(request.headers.authorization!.slice('Bearer '.length))
    values[ENTRY_ID] = newId()
    values[SCANS] = scans
    const query =
      parts === 'whole'
        ? { name: 'whole', text: statement.text, values }
        : { name: 'decision', text: 'select * from door_scans($1, $2, $3, $4)', values: [tenantId, values[EVENT], values[RULES], scans] }
    void pool.query(query).then(({ rows }) => sendJsonText(response, JSON.stringify(rows[0])))
  }),
)

serveMeasurements(server, {
  use(given: { statement: RecordedStatement; parts: typeof parts; tenantId: number }) {
    ;({ statement, parts, tenantId } = given)
    ;[template] = JSON.parse(statement.values[SCANS] as string) as [Record<string, unknown>]
  },
})
