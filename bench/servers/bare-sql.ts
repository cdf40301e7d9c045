import { createHash } from 'node:crypto'
import pg from 'pg'
import { serveMeasurements, listenForBench, sendJsonText, withBody } from './listen.ts'
import { recordStatements, type RecordedStatement } from './statements.ts'

/** A server that only runs the product's statements as prepared statements in sequence: no checks, no log. */
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 20, idleTimeoutMillis: 0 })
let statements: (RecordedStatement & { name: string })[] = []

const hashOf = (authorization: string) => createHash('sha256').update(authorization.slice('Bearer '.length)).digest()

async function call(id: number, authorization: string): Promise<string> {
  let row: unknown
  for (const [i, statement] of statements.entries()) {
    // The first statement verifies the caller. Its token hash is the only value that differs between requests.
    const values = i === 0 ? [hashOf(authorization), ...statement.values.slice(1)] : statement.values
    row = (await pool.query({ name: statement.name, text: statement.text, values })).rows[0]
  }
  const structuredContent = { note: row }
  const result = {
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    structuredContent,
    _meta: { 'lanyard/untrusted': ['/note/text'] },
  }
  return JSON.stringify({ result, jsonrpc: '2.0', id })
}

const server = await listenForBench(
  withBody((body, request, response) => {
    const { id } = JSON.parse(body.toString('utf8')) as { id: number }
    void call(id, request.headers.authorization!).then((text) => sendJsonText(response, text))
  }),
)

serveMeasurements(server, {
  ...recordStatements(pg.Client),
  use(given: RecordedStatement[]) {
    statements = given.map((statement, i) => ({ ...statement, name: `bench-${i}` }))
  },
})
