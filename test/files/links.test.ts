import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createFileLinkBuilder } from '../../src/domains/files/links.ts'
import type { FileRecord } from '../../src/domains/files/files.ts'
import { deriveKeys, type DerivedKeys } from '../../src/kernel/secrets.ts'
import { sendHttp } from '../support/rpc.ts'
import { SAMPLE_FILES } from '../support/samples.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { createUploadFixtures } from '../support/uploads.ts'
import { newWorld, type ClientHandle, type World } from '../support/world.ts'

let world: World
let served: Served
let acme: ClientHandle
let up: ReturnType<typeof createUploadFixtures>
let keys: DerivedKeys

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const master = randomBytes(32)
  keys = deriveKeys(master)
  acme = await world.client()
  up = createUploadFixtures(world, acme)
  served = await serve(world, { env: { LANYARD_SECRET_KEY: master.toString('base64') } })
})
afterAll(() => world.end())
beforeEach(() => world.clock.reset())

async function linkTo(file: FileRecord, seconds = 3600, tenantCode = acme.tenantCode): Promise<URL> {
  const link = await createFileLinkBuilder({ db: world.database.read, keys, baseUrl: served.baseUrl, tenantCode }, seconds)
  return new URL(link(file))
}
const get = (url: URL | string, headers: Record<string, string> = {}, method = 'GET') => fetch(url, { method, headers })
const png = (extra = 0) => Buffer.concat([SAMPLE_FILES.png, Buffer.alloc(extra, 7)])

describe('signed link to a file', () => {
  it('returns the file of a link with unchanged bytes', async () => {
    const content = png(300_000)
    const file = await up.file(content, { purpose: 'headshot', name: 'Zoë "Z" — 我.png' })
    const answer = await get(await linkTo(file))
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(content.length),
      'content-disposition': `inline; filename="Zoe Z _ _.png"; filename*=UTF-8''Zo%C3%AB%20Z%20%E2%80%94%20%E6%88%91.png`,
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': expect.stringMatching(/^private, max-age=3(600|59\d)$/),
      'accept-ranges': 'bytes',
      etag: `"${file.sha256}"`,
    })
    expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true)
  })

  it.each([
    ['png', 'x.png', 'inline'],
    ['jpeg', 'x.jpg', 'inline'],
    ['webp', 'x.webp', 'inline'],
    ['gif', 'x.gif', 'inline'],
    ['pdf', 'x.pdf', 'inline'],
    ['svg', 'x.svg', 'attachment'],
    ['text', 'x.txt', 'attachment'],
    ['csv', 'x.csv', 'attachment'],
    ['json', 'x.json', 'attachment'],
    ['xlsx', 'x.xlsx', 'attachment'],
  ] as const)('shows the linked file %s (%s) as %s, and downloads the file on request', async (sample, name, how) => {
    const link = await linkTo(await up.file(SAMPLE_FILES[sample], { name }))
    const { headers } = await get(link)
    expect(headers.get('content-disposition')).toMatch(new RegExp(`^${how}; `))
    // PDFs are the exception: browsers do not open their PDF viewer in a sandbox.
    expect(headers.get('content-security-policy')!.includes('sandbox')).toBe(sample !== 'pdf')
    link.searchParams.set('download', '')
    expect((await get(link)).headers.get('content-disposition')).toMatch(/^attachment; /)
  })

  it('rejects a file link if one character differs', async () => {
    const file = await up.file(png(), { purpose: 'headshot' })
    const other = await up.file(png(), { purpose: 'badge' })
    const link = await linkTo(file)
    const changed = (name: string, change: (value: string) => string) => {
      const url = new URL(link)
      url.searchParams.set(name, change(url.searchParams.get(name)!))
      return url
    }
    const elsewhere = new URL(link)
    elsewhere.pathname = elsewhere.pathname.replace(file.id, other.id)
    const attempts = [
      changed('signature', (value) => `${value.slice(0, -1)}${value.endsWith('A') ? 'B' : 'A'}`),
      changed('signature', () => ''),
      changed('until', (value) => String(Number(value) + 1)),
      changed('until', (value) => `0${value}`.slice(0, -1)),
      changed('until', () => '1e12'),
      changed('for', () => 'badge'),
      changed('for', () => ''),
      changed('tenant', () => 'other'),
      elsewhere,
      new URL(link.pathname, link),
      new URL(link.href.replace(file.id, '../../etc/passwd')),
      new URL(link.href.replace(file.id, 'f'.repeat(24))),
    ]
    expect(await Promise.all(attempts.map(async (url) => (await get(url)).status))).toEqual(attempts.map(() => 404))
    expect((await get(link)).status).toBe(200)
  })

  it('does not open a file of another tenant with any signature', async () => {
    const other = await world.client({ tenant: 'other' })
    const foreign = await createUploadFixtures(world, other).file(png())
    expect((await get(await linkTo(foreign, 3600, 'demo'))).status).toBe(404)
    expect((await get(await linkTo(foreign, 3600, 'other'))).status).toBe(200)
    keys = deriveKeys(randomBytes(32))
    expect((await get(await linkTo(foreign, 3600, 'other'))).status).toBe(404)
  })
})

describe('validity of file links over time', () => {
  beforeAll(async () => {
    const master = randomBytes(32)
    keys = deriveKeys(master)
    await served.stop()
    served = await serve(world, { env: { LANYARD_SECRET_KEY: master.toString('base64') } })
  })

  it('expires a file link at its expiry time, by the clock of the database', async () => {
    const link = await linkTo(await up.file(png()), 3600)
    await world.clock.advance('59 minutes')
    expect((await get(link)).status).toBe(200)
    await world.clock.advance('61 seconds')
    const expired = await get(link)
    expect([expired.status, await expired.json()]).toEqual([410, { error: 'The link has expired' }])
    const shown = await get(link, { accept: 'text/html' })
    expect([shown.status, await shown.text()]).toEqual([410, expect.stringContaining('This link has expired')])
  })

  it('rejects a file link when the file is deleted', async () => {
    const file = await up.file(png())
    const link = await linkTo(file)
    await up.remove(file.id)
    expect((await get(link)).status).toBe(404)
  })

  it('writes no file link to the log', async () => {
    const link = await linkTo(await up.file(png()))
    await get(link)
    await expect.poll(() => served.logged.some((line) => line.includes('"route":"/files/:id/:name"'))).toBe(true)
    expect(served.logged.join('\n')).not.toContain(link.searchParams.get('signature'))
  })

  it('supports HTTP range requests and conditional requests', async () => {
    const content = Buffer.from(`${SAMPLE_FILES.text.toString()}0123456789`)
    const file = await up.file(content, { name: 'a.txt' })
    const link = await linkTo(file)
    const etag = `"${file.sha256}"`
    const size = content.length
    const part = async (headers: Record<string, string>) => {
      const answer = await get(link, headers)
      return [answer.status, answer.headers.get('content-range'), answer.headers.get('content-length'), await answer.text()]
    }
    const text = content.toString()
    expect(await part({ range: 'bytes=0-3' })).toEqual([206, `bytes 0-3/${size}`, '4', text.slice(0, 4)])
    expect(await part({ range: `bytes=${size - 10}-` })).toEqual([206, `bytes ${size - 10}-${size - 1}/${size}`, '10', '0123456789'])
    expect(await part({ range: 'bytes=-3' })).toEqual([206, `bytes ${size - 3}-${size - 1}/${size}`, '3', '789'])
    expect(await part({ range: 'bytes=-9999' })).toEqual([206, `bytes 0-${size - 1}/${size}`, String(size), text])
    expect(await part({ range: 'bytes=5-99999' })).toEqual([206, `bytes 5-${size - 1}/${size}`, String(size - 5), text.slice(5)])
    expect(await part({ range: `bytes=${size}-` })).toEqual([416, `bytes */${size}`, null, ''])
    expect(await part({ range: 'bytes=-0' })).toEqual([416, `bytes */${size}`, null, ''])
    for (const all of ['bytes=5-2', 'bytes=0-1,3-4', 'bytes=-', 'lines=1-2', 'bytes=a-b', `bytes=${'9'.repeat(30)}-`])
      expect([all, ...(await part({ range: all }))]).toEqual([all, 200, null, String(size), text])
    expect(await part({ range: 'bytes=0-3', 'if-range': etag })).toEqual([206, `bytes 0-3/${size}`, '4', text.slice(0, 4)])
    expect(await part({ range: 'bytes=0-3', 'if-range': '"old"' })).toEqual([200, null, String(size), text])
    expect(await part({ 'if-none-match': `"x", W/${etag}` })).toEqual([304, null, null, ''])
    const head = await sendHttp(link.href.replace('//localhost', '//127.0.0.1'), { method: 'HEAD', headers: {} })
    expect([head.status, head.headers['content-length']]).toEqual([200, String(size)])
  })

  it('stops reading the stored file when the client of a file link disconnects', async () => {
    const link = await linkTo(await up.file(png(50 * 1024 * 1024)))
    const stop = new AbortController()
    const answer = await fetch(link, { signal: stop.signal })
    const reader = answer.body!.getReader()
    await reader.read()
    stop.abort()
    await expect(reader.read()).rejects.toThrow()
    await expect
      .poll(() => served.logged.map((line) => JSON.parse(line)).filter((line) => line.outcome === 'aborted'))
      .toEqual([expect.objectContaining({ route: '/files/:id/:name', status: 200 })])
    expect(served.logged.filter((line) => line.includes('"level":"error"'))).toEqual([])
  })
})
