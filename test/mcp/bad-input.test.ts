import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type HttpAnswer, sendHttp, resetRateLimits, buildLegacyMessage, ORGANIZER_PATH, postMessage } from '../support/rpc.ts'
import { rawConnection, requestHead } from '../support/raw-http.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type OrganizerHandle, type World } from '../support/world.ts'
import { expectValidAnswer } from './valid-answer.ts'

const LIMIT = 16 * 1024 * 1024

let world: World
let served: Served
let olga: OrganizerHandle

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const event = await world.event({ code: 'summit', at: await world.client({ code: 'acme' }) })
  olga = await world.organizer({ at: event })
  served = await serve(world)
})
beforeEach(() => resetRateLimits(world))
afterAll(() => world.end())

const { headers } = buildLegacyMessage('tools/list')
const PING = JSON.stringify(buildLegacyMessage('ping').body)

async function send(body: string, more: Record<string, string> = {}): Promise<HttpAnswer> {
  const answer = await postMessage(served, olga.token, { headers: { ...headers, ...more }, body })
  expectValidAnswer(answer)
  return answer
}

const call = (name: string, args: string) =>
  send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`)
const refusalOf = ({ json }: HttpAnswer) =>
  json.result._meta['lanyard/error'] as { code: string; message: string; fields: { path: string }[] }
const rpcRefusal = (code: number, message: string) => ({ status: 400, json: { jsonrpc: '2.0', error: { code, message }, id: null } })

describe('body that is not JSON', () => {
  it.each([
    ['nothing', ''],
    ['words', 'tools/list please'],
    ['half of it', PING.slice(0, -5)],
    ['trailing text', `${PING}x`],
    ['single quotes', PING.replaceAll('"', "'")],
    ['a trailing comma', '{"jsonrpc":"2.0","id":1,"method":"ping",}'],
    ['a comment', `/* hi */${PING}`],
    ['an invalid number', '{"jsonrpc":"2.0","id":NaN,"method":"ping"}'],
    ['a line break in a string', '{"jsonrpc":"2.0","id":"a\nb","method":"ping"}'],
    ['a byte order mark', `\ufeff${PING}`],
    ['a form', 'method=ping&id=1'],
  ])('refuses a request body that is not JSON: %s', async (_what, body) => {
    expect(await send(body)).toMatchObject(rpcRefusal(-32700, 'Parse error: Invalid JSON'))
  })

  it('refuses a request body that is compressed or not in UTF-8', async () => {
    for (const body of [Buffer.from(PING, 'utf16le'), Buffer.from([0x1f, 0x8b, 8, 0]), Buffer.from([0xff, 0xfe, 0xc0, 0x80])]) {
      const answer = await sendHttp(served.url(ORGANIZER_PATH), {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${olga.token}`, 'content-type': 'application/json', 'content-encoding': 'gzip' },
        body,
      })
      expect(answer).toMatchObject(rpcRefusal(-32700, 'Parse error: Invalid JSON'))
    }
  })

  it('refuses a request body that is JSON but not a JSON-RPC message', async () => {
    for (const body of ['5', 'null', 'true', '"ping"', '{}', '{"jsonrpc":"2.0"}', '{"id":1}']) {
      expect(await send(body)).toMatchObject({ status: 400, json: { error: { code: -32600 } } })
    }
    expect(await send('[]')).toMatchObject(rpcRefusal(-32600, 'Invalid request: batches are not served, send one message per POST'))
  })
})

describe('duplicate key in a JSON body', () => {
  it.each([
    ['in the message', '{"jsonrpc":"2.0","id":1,"method":"ping","id":2}'],
    ['spelled with an escape', '{"jsonrpc":"2.0","id":1,"method":"ping","\\u0069d":2}'],
    ['in the params', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_my_events","name":"fixture_delete_notes"}}'],
    [
      'in the arguments',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fixture_echo","arguments":{"text":"a","te\\u0078t":"b"}}}',
    ],
  ])('refuses a duplicate key in a JSON object %s', async (_what, body) => {
    expect(await send(body)).toMatchObject(rpcRefusal(-32600, 'Invalid request: the body has a key twice in one object'))
  })
})

describe('nesting depth of a JSON body', () => {
  it('limits the nesting depth of a JSON body before the message is processed', async () => {
    const refused = rpcRefusal(-32600, 'Invalid request: the body is nested deeper than 64')
    expect(await send('['.repeat(100_000) + ']'.repeat(100_000))).toMatchObject(refused)
    expect(await send('{"a":'.repeat(100_000))).toMatchObject(refused)
    expect(await call('fixture_echo', `{"text":${'['.repeat(100)}${']'.repeat(100)}}`)).toMatchObject(refused)
  })

  it('leaves a nesting depth below the limit of the endpoint to the argument validation', async () => {
    expect(refusalOf(await call('fixture_echo', `{"text":${'['.repeat(60)}${']'.repeat(60)}}`))).toMatchObject({
      code: 'invalid_arguments',
      fields: [{ path: 'text' }],
    })
  })

  it('limits the nesting depth of arguments sent as JSON text too', async () => {
    const deep = JSON.stringify('['.repeat(100_000) + ']'.repeat(100_000))
    const noteId = '0'.repeat(24)
    expect(refusalOf(await call('fixture_mail_note', `{"eventCode":"summit","noteId":"${noteId}","to":${deep}}`))).toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining('is not a list'),
    })
  })
})

describe('size of a request body', () => {
  const tooLarge = { jsonrpc: '2.0', error: { code: -32600, message: 'Request body too large' }, id: null }
  const signedIn = () => ({ ...headers, authorization: `Bearer ${olga.token}`, 'content-type': 'application/json' })

  it('limits the body of a request to exactly 16 MB', async () => {
    expect((await send(PING.padEnd(LIMIT, ' '))).status).toBe(200)
    const answer = await sendHttp(served.url(ORGANIZER_PATH), {
      method: 'POST',
      headers: { ...signedIn(), 'content-length': String(LIMIT + 1) },
    })
    expect(answer).toMatchObject({ status: 413, json: tooLarge })
    expect(answer.headers.connection).toBe('close')
  })

  it('measures the body of a request without a Content-Length', async () => {
    const upload = await rawConnection(served)
    upload.write(requestHead(ORGANIZER_PATH, { ...signedIn(), 'transfer-encoding': 'chunked' }))
    const chunk = `100000\r\n${' '.repeat(2 ** 20)}\r\n`
    for (let i = 0; i < 16; i++) upload.write(chunk)
    expect(await upload.silentFor(50)).toBe(true)
    upload.write('1\r\n \r\n')
    expect((await upload.answer()).status).toBe(413)
    upload.close()
  })

  it('refuses an unauthorized request without reading its body', async () => {
    const announced = { ...headers, 'content-type': 'application/json', 'content-length': String(LIMIT) }
    for (const [authorization, status] of [
      ['Bearer lat_wrong', 401],
      [`Bearer ${olga.token}`, null],
    ] as const) {
      const upload = await rawConnection(served)
      upload.write(requestHead(ORGANIZER_PATH, { ...announced, authorization }))
      if (status) expect((await upload.answer()).status).toBe(status)
      else expect(await upload.silentFor(100)).toBe(true)
      upload.close()
    }
  })
})

describe('content type of a request', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json-rpc',
    '',
  ])('refuses the content type %s', async (type) => {
    expect(await send(PING, { 'content-type': type })).toMatchObject({
      status: 415,
      json: { error: { code: -32000, message: 'Unsupported Media Type: Content-Type must be application/json' } },
    })
  })

  it.each(['application/json', 'application/json;charset=utf-8', 'APPLICATION/JSON ; charset=UTF-8'])(
    'accepts the content type %s',
    async (type) => {
      expect((await send(PING, { 'content-type': type })).status).toBe(200)
    },
  )
})

describe('unusual values in a message', () => {
  it.each([
    ['a high surrogate', '"a\\ud800"'],
    ['a low surrogate', '"\\udc00b"'],
    ['a zero', '"a\\u0000b"'],
  ])('rejects %s of UTF-16 in a text, with the path of the argument', async (_what, text) => {
    for (const [name, args] of [
      ['fixture_echo', `{"text":${text}}`],
      ['fixture_add_note', `{"eventCode":"summit","text":${text}}`],
      ['fixture_list_notes', `{"eventCode":"summit","search":${text}}`],
    ] as const) {
      expect(refusalOf(await call(name, args))).toMatchObject({
        code: 'invalid_arguments',
        message: expect.stringContaining('contains U+0000 or half of a surrogate pair, which cannot be stored'),
      })
    }
    expect(refusalOf(await call('fixture_list_notes', `{"eventCode":${text}}`)).code).not.toBe('internal')
    expect((await send(`{"jsonrpc":"2.0","id":${text},"method":"tools/list"}`)).status).toBe(200)
  })

  it('accepts surrogate pairs and all other Unicode text', async () => {
    const text = '"\\ud83d\\ude00 e\\u0301 \\uffff \\u2028 \\u0001"'
    expect((await call('fixture_add_note', `{"eventCode":"summit","text":${text}}`)).json.result.isError).toBeUndefined()
  })

  it.each(['1e400', '-1e400', '123456789012345678901234567890', '1.5', '-0.1', '1e-400'])(
    'rejects the number %s as value of the tool argument limit',
    async (number) => {
      const refused = refusalOf(await call('list_my_events', `{"limit":${number}}`))
      expect(refused.code).toBe('invalid_arguments')
      expect(new Set(refused.fields.map((field) => field.path))).toEqual(new Set(['limit']))
    },
  )

  it.each(['1e400', '99999999999999999999', '1.5'])('accepts the number %s as the id of a JSON-RPC message', async (number) => {
    await send(`{"jsonrpc":"2.0","id":${number},"method":"tools/list"}`)
  })

  it.each(['constructor', 'toString', 'hasOwnProperty', 'prototype', 'valueOf'])(
    'reports %s like any other unknown argument',
    async (name) => {
      for (const value of ['1', 'null', '""', '{"prototype":{"polluted":1}}']) {
        expect(refusalOf(await call('fixture_echo', `{"text":"a","${name}":${value}}`))).toMatchObject({
          code: 'invalid_arguments',
          fields: [{ path: name }],
        })
      }
      expect(({} as { polluted?: number }).polluted).toBeUndefined()
      expect((await call(name, '{}')).json.error).toMatchObject({ code: -32602, message: expect.stringMatching(`^Unknown tool: ${name}`) })
    },
  )

  it.each(['{"__proto__":{"text":"a"}}', '{"text":"a","x":{"__proto__":1}}', '{"\\u005f_proto__":{"text":"a"}}'])(
    'rejects arguments with a __proto__ key: %s',
    async (args) => {
      expect(await call('fixture_echo', args)).toMatchObject(rpcRefusal(-32600, 'Invalid request: the body has a key named __proto__'))
    },
  )

  it('returns a short error for any number of invalid arguments', async () => {
    const keys = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join(',')}}`
    const answer = await call('fixture_echo', keys(9_000))
    expect(refusalOf(answer).fields.length).toBeLessThanOrEqual(50)
    expect(answer.text.length).toBeLessThan(50_000)
    expect(refusalOf(await call('fixture_echo', keys(11_000))).fields).toEqual([
      { path: 'arguments', message: 'exceed the limit of 10000 keys and 20000 values: split them over several calls' },
    ])
    expect((await call('fixture_echo', keys(26_000))).status).toBe(400)
    const long = await call('fixture_manage_note', `{"eventCode":"summit","status":"${'x'.repeat(1_000_000)}"}`)
    expect(long.text.length).toBeLessThan(5_000)
    const items = `[${Array.from({ length: 15_000 }, () => '5').join(',')}]`
    const list = await call('fixture_mail_note', `{"eventCode":"summit","noteId":"${'0'.repeat(24)}","to":${items}}`)
    expect(refusalOf(list).fields.length).toBeLessThanOrEqual(50)
  })
})

describe('upload of a request body', () => {
  const head = () =>
    requestHead(ORGANIZER_PATH, {
      ...headers,
      authorization: `Bearer ${olga.token}`,
      'content-type': 'application/json',
      'content-length': String(PING.length),
    })

  it('accepts a request that the client sends slowly', async () => {
    const upload = await rawConnection(served)
    upload.write(head())
    for (const byte of PING.slice(0, -1)) upload.write(byte)
    expect(await upload.silentFor(50)).toBe(true)
    upload.write(PING.slice(-1))
    expect((await upload.answer()).status).toBe(200)
    upload.close()
  })

  it('logs no error if the client interrupts its request', async () => {
    const before = served.logged.length
    for (const sent of ['', PING.slice(0, 10)]) {
      const upload = await rawConnection(served)
      upload.write(head() + sent)
      await upload.silentFor(30)
      upload.close()
    }
    const whole = await rawConnection(served)
    whole.write(head() + PING)
    whole.close()
    await whole.silentFor(100)
    expect((await send(PING)).status).toBe(200)
    expect(served.logged.slice(before).filter((line) => line.includes('"level":"error"'))).toEqual([])
    const aborted = served.logged.slice(before).filter((line) => line.includes('"status":499') && line.includes('"outcome":"aborted"'))
    expect(aborted.length).toBeGreaterThanOrEqual(2)
  })

  it('closes connections whose request was answered but never completed', async () => {
    const unread = { 'content-type': 'application/json', 'content-length': '1000' }
    const openings = {
      organizer: requestHead(ORGANIZER_PATH, { ...headers, ...unread, authorization: 'Bearer lat_wrong' }),
      participant: requestHead('/api/mcp/participant', { ...headers, ...unread }),
      chunked: requestHead(ORGANIZER_PATH, { ...headers, 'content-type': 'application/json', 'transfer-encoding': 'chunked' }),
      tooLarge: requestHead('/api/public/lead-devices', { ...unread, 'content-length': '9999999' }),
      rest: requestHead('/v1/participants', unread),
      page: requestHead('/no/such/page', unread),
      form: requestHead('/console/sign-in', { 'content-type': 'text/plain', 'content-length': '1000' }),
    }
    // The participant endpoint waits for the body before it answers.
    const impatient = await serve(world, { port: 0, extras: { bodyTimeoutMs: 1000 } })
    const drips: NodeJS.Timeout[] = []
    const closed = Object.entries(openings).map(async ([name, opening]) => {
      const half = await rawConnection(impatient)
      half.write(opening)
      const { status } = await half.answer()
      expect([name, status >= 300]).toEqual([name, true])
      // Bytes that arrive slowly do not keep the connection open.
      if (name === 'organizer') drips.push(setInterval(() => half.write(' '), 200))
      if (!half.socket.closed) await once(half.socket, 'close')
    })
    await Promise.all(closed).finally(() => drips.forEach(clearInterval))
  })

  it.each([
    ['not HTTP', 'hello\r\n\r\n', 400],
    ['two lengths', 'POST /api/mcp/organizer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    [
      'a length beside chunks',
      'POST /api/mcp/organizer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['no host', 'POST /api/mcp/organizer HTTP/1.1\r\n\r\n', 400],
    ['headers without an end', `POST /api/mcp/organizer HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('refuses an invalid HTTP request: %s', async (_what, text, status) => {
    const connection = await rawConnection(served)
    connection.write(text)
    expect((await connection.answer()).status).toBe(status)
    connection.close()
  })
})
