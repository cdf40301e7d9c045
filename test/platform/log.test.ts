import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { LogFields } from '../../src/kernel/ports.ts'
import { createLog } from '../../src/platform/log.ts'
import { readEnvironment } from '../../src/platform/environment.ts'

function write(format: 'pretty' | 'json', level: 'info' | 'warn' | 'error', message: string, fields: LogFields = {}): string {
  let written = ''
  const log = createLog({ level: 'info', format, write: (text) => (written += text) })
  log[level](message, fields)
  log.flush()
  return stripVTControlCharacters(written)
}

const REQUEST = { requestId: 'r-1', method: 'POST', route: '/api/mcp/organizer', status: 200, ms: 12.4 }
const TIME = /^\d\d:\d\d:\d\d  /

describe('log format', () => {
  it('writes a readable log on a terminal and JSON elsewhere, unless a format is set', () => {
    expect(readEnvironment({}, true).logFormat).toBe('pretty')
    expect(readEnvironment({}, false).logFormat).toBe('json')
    expect(readEnvironment({ LANYARD_LOG_FORMAT: 'json' }, true).logFormat).toBe('json')
  })
})

describe('readable log line', () => {
  it('shows a request in columns of the readable log, with its tool', () => {
    const line = write('pretty', 'info', 'request', { ...REQUEST, principal: 'user 5', tool: 'list_my_events', outcome: 'ok' })
    expect(line).toMatch(TIME)
    expect(line.replace(TIME, '')).toBe('POST    200     12 ms  /api/mcp/organizer  tool=list_my_events  outcome=ok  principal=user 5\n')
  })

  it('writes the id of a failed request to the readable log', () => {
    expect(write('pretty', 'info', 'request', { ...REQUEST, status: 404 })).toContain('404     12 ms  /api/mcp/organizer  requestId=r-1\n')
  })

  it('logs an error with its cause, its reference number and the source line', () => {
    const stack = 'Error: no disk\nline two of the message\n    at save (/srv/store.ts:3:1)\n    at run (/srv/run.ts:9:4)'
    const lines = write('pretty', 'error', 'internal error', { route: '/v1/files', reference: 'abc', error: 'no disk\nline two', stack })
    expect(lines.replace(TIME, '')).toBe(
      'error  internal error: no disk line two  /v1/files  reference=abc\n            at save (/srv/store.ts:3:1)\n            at run (/srv/run.ts:9:4)\n',
    )
  })

  it('writes a readable log entry on one line, without control characters of a value', () => {
    const line = write('pretty', 'warn', 'email not sent', { name: 'm1', error: 'refused\r\n12:00:00  POST 200\u001b[2J' })
    expect(line.replace(TIME, '')).toBe('warn   email not sent: refused 12:00:00 POST 200[2J  name=m1\n')
  })
})

describe('credentials in log lines', () => {
  const token = `lat_${'x'.repeat(43)}`
  it.each([
    ['connect ECONNREFUSED postgres://lanyard:hunter2@db:5432/lanyard', 'hunter2'],
    [`cannot send Authorization: Bearer ${token}`, token.slice(4)],
    [`invalid token ${token}`, token.slice(4)],
    ['No such key: sk_live_4242424242424242', '4242424242424242'],
    ['GET https://crm.example.org/hook?token=letmein&page=2 failed', 'letmein'],
  ])('hides the credential in "%s" in log lines of both formats', (error, secret) => {
    for (const format of ['pretty', 'json'] as const) {
      const line = write(format, 'error', 'internal error', { error, stack: `Error: ${error}\n    at send (/srv/send.ts:1:1)` })
      expect(line).not.toContain(secret)
      expect(line).toContain('…')
    }
  })

  it('logs an error without credentials unchanged', () => {
    const error = 'connect ECONNREFUSED https://crm.example.org:8443/hook?page=2, column "label_name" of lane_closures'
    expect(JSON.parse(write('json', 'error', 'webhook', { error }))).toMatchObject({ level: 'error', message: 'webhook', error })
  })
})
