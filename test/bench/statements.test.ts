import type pg from 'pg'
import { describe, expect, it } from 'vitest'
import { newId } from '../../src/kernel/ids.ts'
import { adaptToAnotherParticipant, recordStatements } from '../../bench/servers/statements.ts'

describe('recorded statements adapted to another participant', () => {
  it('replays recorded statements with new ids for inserted rows, and keeps the ids of rows that existed before', () => {
    const [event, code, message] = [newId(), newId(), newId()]
    const rows = JSON.stringify([{ id: message, source_id: code, to_address: 'ida@example.org' }])
    const statements = [
      { text: 'select 1 from events where id = $1', values: [event] },
      { text: 'insert into one_time_codes (id, event_id) values ($1, $2)', values: [code, event] },
      { text: 'insert into messages select * from json_populate_recordset(null::messages, $1)', values: [rows] },
      { text: 'update messages set text_body = null where source_id = any($1)', values: [[code]] },
    ]
    const [read, insert, email, update] = adaptToAnotherParticipant(statements, 'ida@example.org', [])
    const renewed = insert!.values[0] as string
    const [row] = JSON.parse(email!.values[0] as string)
    expect([read!.values, insert!.values[1]]).toEqual([[event], event])
    expect(renewed).not.toBe(code)
    expect([row.source_id, update!.values]).toEqual([renewed, [[renewed]]])
    expect(row.id).not.toBe(message)
    expect(row.to_address).not.toBe('ida@example.org')
  })
})

describe('recordStatements', () => {
  it('does not record the settings of a database connection that opens during the recording', () => {
    const sent: string[] = []
    class Client {
      connection = { on: () => {} }
      query(text: string) {
        sent.push(text)
      }
    }
    const recorder = recordStatements(Client as unknown as typeof pg.Client)
    recorder.record()
    const client = new Client()
    for (const text of [`set timezone = 'UTC'; set jit = off`, 'set default_transaction_read_only = on', 'select 1']) client.query(text)
    expect(recorder.recorded().statements.map(({ text }) => text)).toEqual(['select 1'])
    expect(sent).toHaveLength(3)
  })
})
