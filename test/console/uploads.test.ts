import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { Hono } from 'hono'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createFile } from '../../src/domains/files/files.ts'
import { listFieldValues } from '../../src/surfaces/web/form-values.ts'
import { readFormWithFiles, type FormUploadTarget } from '../../src/surfaces/web/uploads.ts'
import { getCsrfToken, readSameOriginForm, type WebEnv } from '../../src/surfaces/web/web.ts'
import { rawConnection, requestHead } from '../support/raw-http.ts'
import { SAMPLE_FILES } from '../support/samples.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { createUploadFixtures } from '../support/uploads.ts'
import { type Visitor, visitor } from '../support/visitor.ts'
import { newWorld, type ClientHandle, type World } from '../support/world.ts'

const PAGE = '/fixture/upload'
const PLAIN = '/fixture/plain'
const BOUNDARY = '----lanyard'

let world: World
let served: Served
let acme: ClientHandle
let who: Visitor
let csrf: string
/** The fields and files of the last form that the test page received. */
let got: { form: Record<string, string>; every: readonly string[]; files: string[]; refused: unknown[] } | null

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  acme = await world.client()
  const up = createUploadFixtures(world, acme)
  const targets: Record<string, FormUploadTarget> = {
    photo: { tenantId: acme.tenantId, purpose: 'headshot', maxBytes: 1_000_000 },
    papers: { tenantId: acme.tenantId, purpose: 'answer', maxBytes: 100_000, maxFiles: 3 },
  }
  served = await serve(world, {
    extras: {
      morePages: (web) =>
        new Hono<WebEnv>()
          .get(PAGE, (c) => c.text(getCsrfToken(web, c)))
          .post(PLAIN, async (c) => {
            const form = await readSameOriginForm(web, c)
            got = form && { form: { ...form }, every: listFieldValues(form, 'role'), files: [], refused: [] }
            return c.text(form ? 'taken' : 'not ours', form ? 200 : 403)
          })
          .post(PAGE, async (c) => {
            const sent = await readFormWithFiles(web, c, targets)
            if (!sent) return c.text('not ours', 403)
            const { form, files, refused } = sent
            got = { form: { ...form }, every: listFieldValues(form, 'role'), files: files.map(({ upload }) => upload.name), refused }
            await world.database.transact(async (db) => {
              for (const { upload } of files) await createFile(up.on(db), upload)
            })
            return c.text('taken')
          }),
    },
  })
  who = visitor(served)
  csrf = (await who.get(PAGE)).html
})
afterAll(() => world.end())
beforeEach(() => {
  got = null
})

const cookie = () => [...who.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
const rows = async (text: string) => (await world.database.pool.query<any>(text)).rows
const field = (name: string, value: string) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const fileHead = (name: string, filename: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: image/png\r\n\r\n`
const file = (name: string, filename: string, content: Buffer) =>
  Buffer.concat([Buffer.from(fileHead(name, filename)), content, Buffer.from('\r\n')])
const END = `--${BOUNDARY}--\r\n`
const own = () => field('_csrf', csrf)
const body = (...parts: (string | Buffer)[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string)))

async function send(path: string, content: Buffer | string, type = `multipart/form-data; boundary=${BOUNDARY}`, origin = served.baseUrl) {
  const sent = request(served.url(path), { method: 'POST', family: 4, headers: { cookie: cookie(), origin, 'content-type': type } })
  sent.on('error', () => {})
  sent.end(content)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const text = Buffer.concat(await answer.toArray()).toString()
  sent.destroy()
  return { status: answer.statusCode!, text }
}
const encoded = (text: string) => send(PLAIN, text, 'application/x-www-form-urlencoded')

/** Counts the stored files, and stored bytes that belong to no file. */
async function countStored() {
  const entries = await readdir(join(world.dataDir, 'files'), { recursive: true, withFileTypes: true }).catch(() => [])
  const [{ files, uploads }] = await rows(
    'select (select count(*)::int from files) as files, (select count(*)::int from file_uploads) as uploads',
  )
  return { objects: entries.filter((entry) => entry.isFile()).length, files, uploads }
}
const errors = () => served.logged.filter((line) => line.includes('"level":"error"'))
const requests = () => served.logged.map((line) => JSON.parse(line)).filter((line) => line.message === 'request')

describe('parsing of form requests', () => {
  it('keeps every value of a repeated form field, and returns the last one if a single value is read', async () => {
    await encoded(new URLSearchParams(`_csrf=${csrf}&role=a&name=x&role=b&role=a`).toString())
    expect(got).toMatchObject({ form: { name: 'x', role: 'a' }, every: ['a', 'b', 'a'] })
    await encoded(`_csrf=${csrf}&name=x`)
    expect(got!.every).toEqual([])
    await send(PLAIN, body(own(), field('role', 'b'), field('role', 'c'), END))
    expect(got!.every).toEqual(['b', 'c'])
  })

  it('accepts fields named like object properties, such as constructor', async () => {
    for (const content of [
      encoded(`_csrf=${csrf}&__proto__=a&constructor=b&toString=c&hasOwnProperty=d`),
      send(
        PLAIN,
        body(own(), field('__proto__', 'a'), field('constructor', 'b'), field('toString', 'c'), field('hasOwnProperty', 'd'), END),
      ),
    ]) {
      expect((await content).status).toBe(200)
      const { form } = got!
      expect(
        ['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map((name) => Object.getOwnPropertyDescriptor(form, name)?.value),
      ).toEqual(['a', 'b', 'c', 'd'])
      expect(({} as Record<string, unknown>)['a']).toBeUndefined()
    }
    await encoded(`_csrf=${csrf}`)
    expect(Object.keys(got!.form)).toEqual(['_csrf'])
  })

  it.each([
    ['fields', (n: number) => `&a=1`.repeat(n), [499, 500]],
    ['bytes in a name', (n: number) => `&${'n'.repeat(n)}=1`, [200, 201]],
    ['bytes in a value', (n: number) => `&a=${'v'.repeat(n)}`, [204_800, 204_801]],
  ] as const)('rejects a form with too many %s, and accepts one less', async (_what, make, [fine, over]) => {
    expect((await encoded(`_csrf=${csrf}${make(fine)}`)).status).toBe(200)
    const answer = await encoded(`_csrf=${csrf}${make(over)}`)
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(/more than (500|200|204800) .*Send less at a time/)])
  })

  it.each([
    ['fields', (n: number) => field('a', '1').repeat(n), [499, 500]],
    ['bytes in a name', (n: number) => field('n'.repeat(n), '1'), [200, 201]],
    ['bytes in a value', (n: number) => field('a', 'v'.repeat(n)), [204_799, 204_801]],
  ] as const)('rejects too many %s in a multipart form, and accepts one less', async (_what, make, [fine, over]) => {
    expect((await send(PLAIN, body(own(), make(fine), END))).status).toBe(200)
    const answer = await send(PLAIN, body(own(), make(over), END))
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(/more than (500|200|204800) .*Send less at a time/)])
  })

  it('limits the number of fields in a form with files as in other forms', async () => {
    expect((await send(PAGE, body(own(), field('a', '1').repeat(499), END))).status).toBe(200)
    expect((await send(PAGE, body(own(), field('a', '1').repeat(500), END))).text).toContain('more than 500 fields')
  })

  it('rejects a form with a hundred thousand fields from any sender in any encoding', async () => {
    const many = Array.from({ length: 100_000 }, (_, i) => `a${i}`)
    expect((await encoded(many.join('=&'))).status).toBe(400)
    expect((await encoded(`${'a&'.repeat(100_000)}`)).text).toContain('more than 500 fields')
    expect((await send(PLAIN, body(...many.slice(0, 3000).map((name) => field(name, '1')), END))).status).toBe(400)
    expect((await send('/console/sign-in', `${'a&'.repeat(100_000)}`, 'application/x-www-form-urlencoded')).status).toBe(400)
    expect(errors()).toEqual([])
  })

  it('rejects a form with another content type or without a CSRF token', async () => {
    expect((await send(PLAIN, `_csrf=${csrf}`, 'text/plain')).status).toBe(403)
    expect((await send(PLAIN, JSON.stringify({ _csrf: csrf }), 'application/json')).status).toBe(403)
    expect((await send(PLAIN, body(own(), END), 'multipart/form-data; charset=x')).status).toBe(403)
    expect((await send(PLAIN, body(own(), 'no end'))).status).toBe(403)
    expect((await send(PLAIN, 'nothing at all')).status).toBe(403)
    expect((await send(PLAIN, body(own(), END), undefined, 'https://evil.example')).status).toBe(403)
    expect((await encoded('_csrf=wrong')).status).toBe(403)
    expect((await encoded(`_csrf=${csrf}`)).status).toBe(200)
    expect(errors()).toEqual([])
  })
})

describe('forms with files', () => {
  it('passes the fields of a form with files to the page, and streams the files of the form', async () => {
    const before = await countStored()
    const large = Buffer.concat([SAMPLE_FILES.png, randomBytes(900_000)])
    const answer = await send(
      PAGE,
      body(
        own(),
        field('name', 'Ana'),
        file('photo', 'C:\\fakepath\\Zoë.html', large),
        file('papers', 'a.pdf', SAMPLE_FILES.pdf),
        field('role', 'x'),
        file('papers', '', Buffer.alloc(0)),
        END,
      ),
    )
    expect(answer).toEqual({ status: 200, text: 'taken' })
    expect(got).toMatchObject({ form: { name: 'Ana', role: 'x' }, refused: [] })
    expect(got!.files.toSorted()).toEqual(['Zoë.html.png', 'a.pdf'])
    expect(await countStored()).toEqual({ objects: before.objects + 2, files: before.files + 2, uploads: before.uploads })
    expect((await rows('select size, mime from files order by size desc limit 1'))[0]).toEqual({ size: large.length, mime: 'image/png' })
  })

  it('stores no file without a valid CSRF token, which must come before the first file', async () => {
    const before = await countStored()
    const photo = file('photo', 'a.png', SAMPLE_FILES.png)
    for (const content of [body(photo, END), body(field('_csrf', 'wrong'), photo, END), body(photo, own(), END)])
      expect((await send(PAGE, content)).status).toBe(403)
    expect((await send(PAGE, body(own(), photo, END), undefined, 'https://evil.example')).status).toBe(403)
    expect([got, await countStored()]).toEqual([null, before])
    expect((await send(PAGE, body(own(), photo, END))).status).toBe(200)
  })

  it("shows file errors at the file's field, stores no file, and keeps the other fields", async () => {
    const before = await countStored()
    const tooLarge = Buffer.concat([SAMPLE_FILES.png, Buffer.alloc(1_200_000)])
    for (const [part, path, message] of [
      [
        file('photo', 'a.png', SAMPLE_FILES.svg),
        'photo',
        'The file is image/svg+xml by its content. It must be one of image/png, image/jpeg, image/webp',
      ],
      [file('photo', 'a.png', tooLarge), 'photo', 'The file is larger than the limit of 976.6 KB'],
      [file('other', 'a.png', SAMPLE_FILES.png), 'other', 'does not accept files'],
      [file('__proto__', 'a.png', SAMPLE_FILES.png), '__proto__', 'does not accept files'],
      [body(file('photo', 'a.png', SAMPLE_FILES.png), file('photo', 'b.png', SAMPLE_FILES.png)), 'photo', 'accepts no more than 1'],
    ] as const) {
      const answer = await send(PAGE, body(own(), file('papers', 'a.pdf', SAMPLE_FILES.pdf), part, field('name', 'Ana'), END))
      expect(answer).toEqual({ status: 200, text: 'taken' })
      expect(got).toMatchObject({ form: { name: 'Ana' }, files: [], refused: [{ path, message }] })
    }
    expect(await countStored()).toEqual(before)
  })

  it('rejects a form if the request ends in the middle of a file, and stores nothing', async () => {
    const before = await countStored()
    const whole = body(
      own(),
      file('papers', 'a.pdf', SAMPLE_FILES.pdf),
      file('photo', 'a.png', Buffer.concat([SAMPLE_FILES.png, Buffer.alloc(500_000)])),
      END,
    )
    for (const cut of [whole.length - 10, whole.length - 50, whole.length - 400_000])
      expect((await send(PAGE, whole.subarray(0, cut))).status).toBe(403)
    expect([got, await countStored(), errors()]).toEqual([null, before, []])
  })

  it('stops reading a form once a file exceeds the allowed size', async () => {
    const before = await countStored()
    const answer = await send(PAGE, body(own(), file('photo', 'a.png', Buffer.concat([SAMPLE_FILES.png, Buffer.alloc(4_000_000)])), END))
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('more than')])
    const sent = await rawConnection(served)
    sent.write(
      requestHead(PAGE, { cookie: cookie(), 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, 'transfer-encoding': 'chunked' }),
    )
    sent.write(`${Buffer.byteLength(own()).toString(16)}\r\n${own()}\r\n`)
    const head = fileHead('photo', 'a.png')
    sent.write(`${Buffer.byteLength(head).toString(16)}\r\n${head}\r\n`)
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(2 ** 20, 0x20), Buffer.from('\r\n')])
    for (let i = 0; i < 8; i++) sent.write(chunk)
    expect((await sent.answer()).status).toBe(400)
    sent.close()
    expect([got, await countStored()]).toEqual([null, before])
  })

  it('stores nothing and logs no error if a form with files is interrupted at any byte', async () => {
    const before = await countStored()
    const logged = requests().length
    const whole = body(
      own(),
      file('papers', 'a.pdf', SAMPLE_FILES.pdf),
      file('photo', 'a.png', Buffer.concat([SAMPLE_FILES.png, Buffer.alloc(500_000)])),
      END,
    )
    const cuts = [0, 30, body(own()).length + 20, whole.length - 400_000, whole.length - 10]
    for (const cut of cuts) {
      const sent = await rawConnection(served)
      sent.write(
        requestHead(PAGE, {
          cookie: cookie(),
          'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
          'content-length': String(whole.length),
        }),
      )
      await new Promise<void>((done) => sent.socket.write(whole.subarray(0, cut), () => done()))
      sent.socket.end()
      sent.close()
    }
    await expect
      .poll(() =>
        requests()
          .slice(logged)
          .map(({ status, outcome }) => [status, outcome]),
      )
      .toEqual(cuts.map(() => [499, 'aborted']))
    await expect.poll(countStored).toEqual(before)
    expect([got, errors(), await rows('select 1 from feedback')]).toEqual([null, [], []])
  })

  it('logs no error if a form without files is interrupted', async () => {
    const logged = requests().length
    for (const [path, type] of [
      [PLAIN, 'application/x-www-form-urlencoded'],
      ['/console/sign-in', 'application/x-www-form-urlencoded'],
      ['/docs/feedback', 'application/x-www-form-urlencoded'],
      ['/api/oauth/token', 'application/x-www-form-urlencoded'],
      ['/api/oauth/register', 'application/json'],
    ] as const) {
      const sent = await rawConnection(served)
      sent.write(requestHead(path, { cookie: cookie(), 'content-type': type, 'content-length': '1000' }))
      await new Promise<void>((done) => sent.socket.write('a=1', () => done()))
      sent.close()
    }
    await expect
      .poll(() =>
        requests()
          .slice(logged)
          .map(({ status, outcome }) => [status, outcome]),
      )
      .toEqual(Array.from({ length: 5 }, () => [499, 'aborted']))
    expect([errors(), await rows('select 1 from feedback')]).toEqual([[], []])
  })
})
