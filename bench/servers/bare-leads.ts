import pg from 'pg'
import { newId } from '../../src/kernel/ids.ts'
import { serveMeasurements, listenForBench, sendJsonText } from './listen.ts'
import type { RecordedStatement } from './statements.ts'

/** A server that runs one prepared statement and returns its row unchanged: no validation, signature, visibility rules or log. */
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 20, idleTimeoutMillis: 0 })
let statement: RecordedStatement = { text: '', values: [] }
let signatures: Record<string, string[]> = {}

const SIGNATURES = 0
const BADGES = 6
const IDS = [8, 9] as const

const server = await listenForBench((request, response) => {
  const query = new URLSearchParams(request.url!.slice(request.url!.indexOf('?') + 1))
  const values = [...statement.values]
  values[SIGNATURES] = signatures[query.get('activationCode')!]
  values[BADGES] = [query.get('badgeId')]
  for (const at of IDS) values[at] = newId()
  void pool.query({ name: 'scan', text: statement.text, values }).then(({ rows }) => sendJsonText(response, JSON.stringify(rows[0])))
})

serveMeasurements(server, {
  use(given: { statement: RecordedStatement; signatures: Record<string, string[]> }) {
    ;({ statement, signatures } = given)
  },
})
