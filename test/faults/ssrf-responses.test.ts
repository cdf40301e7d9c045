import type { Socket } from 'node:net'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import type { AppError } from '../../src/kernel/errors.ts'
import { FETCH_LIMITS, type FetchOptions, fetchErrorFactories } from '../../src/kernel/fetcher.ts'
import { createFetcher } from '../../src/platform/guarded-fetch.ts'
import { startTcpSite, startHttpSite, stopSites } from '../support/sites.ts'

const { tooLarge, tooSlow, unreadable, unreachable } = fetchErrorFactories
afterEach(stopSites)
const fetcher = createFetcher({ allowedHosts: ['127.0.0.1'] })
const refusal = (url: string, options?: FetchOptions) =>
  fetcher.fetch(url, options).then(
    ({ body }) => `answered ${body.length} bytes`,
    (error: AppError) => error.message,
  )
/** Writes repeatedly until the client disconnects. */
function repeat(write: () => void, socket: Socket, everyMs: number): void {
  const timer = setInterval(write, everyMs)
  socket.on('close', () => clearInterval(timer))
}

describe('hostile HTTP responses', () => {
  const zeros = Buffer.alloc(64 * 1024 * 1024)
  const packers = {
    gzip: gzipSync,
    br: (body: Buffer) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
    deflate: deflateSync,
    'x-gzip': gzipSync,
    Deflate: deflateRawSync,
  }

  it.each(Object.entries(packers))('rejects a small %s response that decompresses beyond the size limit', async (encoding, pack) => {
    const bomb = pack(zeros)
    expect(bomb.length).toBeLessThan(200_000)
    const url = await startHttpSite((_, out) => out.writeHead(200, { 'content-encoding': encoding }).end(bomb))
    expect(await refusal(url)).toBe(tooLarge(FETCH_LIMITS.maxBytes).message)
    expect(await refusal(url, { maxBytes: zeros.length * 2 }), 'an option cannot raise the limit').toBe(
      tooLarge(FETCH_LIMITS.maxBytes).message,
    )
  })

  it('rejects a response compressed twice, with an unsupported encoding or corruptly', async () => {
    const packed = gzipSync('hello')
    const bodies: Record<string, [string, Buffer]> = {
      '/twice': ['gzip, gzip', gzipSync(packed)],
      '/unknown': ['compress', packed],
      '/proto': ['__proto__', packed],
      '/broken': ['gzip', packed.subarray(0, -9)],
      '/other': ['br', packed],
    }
    const url = await startHttpSite((inbound, out) =>
      out.writeHead(200, { 'content-encoding': bodies[inbound.url!]![0] }).end(bodies[inbound.url!]![1]),
    )
    const outcomes = await Promise.all(Object.keys(bodies).map((path) => refusal(url + path)))
    expect(outcomes).toEqual(outcomes.map(() => unreadable().message))
  })

  it('accepts a response body at the size limit and rejects one byte more', async () => {
    const url = await startHttpSite((inbound, out) => {
      const body = Buffer.alloc(Number(inbound.url!.slice(2)), 'a')
      if (inbound.url!.startsWith('/p')) out.setHeader('content-encoding', 'gzip').end(gzipSync(body))
      else out.end(body)
    })
    for (const kind of ['b', 'p']) {
      expect(await refusal(`${url}/${kind}1000`, { maxBytes: 1000 })).toBe('answered 1000 bytes')
      expect(await refusal(`${url}/${kind}1001`, { maxBytes: 1000 })).toBe(tooLarge(1000).message)
    }
  })

  it('rejects a response whose body, headers, trailers or interim responses never end', async () => {
    const line = `x-filler: ${'a'.repeat(1000)}\r\n`
    const endless = (head: string, part: string) => (socket: Socket) => {
      socket.write(head)
      repeat(() => socket.write(part.repeat(20)), socket, 1)
    }
    const body = await startTcpSite(endless('HTTP/1.1 200 OK\r\n\r\n', 'a'.repeat(10_000)))
    const headers = await startTcpSite(endless('HTTP/1.1 200 OK\r\n', line))
    const trailers = await startTcpSite(endless('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n', line))
    const interim = await startTcpSite(endless('', 'HTTP/1.1 103 Early Hints\r\n\r\n'))
    expect(await refusal(body)).toBe(tooLarge(FETCH_LIMITS.maxBytes).message)
    expect(await refusal(headers)).toBe(unreachable().message)
    expect(await refusal(trailers)).toBe(unreachable().message)
    expect(await refusal(interim, { timeoutMs: 100 })).toBe(tooSlow().message)
  })

  it('rejects a response that is too slow, stalls or never begins', async () => {
    const drip = await startTcpSite((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n')
      repeat(() => socket.write('a'), socket, 5)
    })
    const dripHead = await startTcpSite((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      repeat(() => socket.write('a: b\r\n'), socket, 5)
    })
    const silent = await startTcpSite(() => {})
    const sites = [drip, dripHead, silent, silent.replace('http:', 'https:')]
    const outcomes = await Promise.all(sites.map((url) => refusal(url, { timeoutMs: 100 })))
    expect(outcomes).toEqual(sites.map(() => tooSlow().message))
    const nameless = createFetcher({ resolve: () => new Promise(() => {}) })
    await expect(nameless.fetch('http://slow.test/', { timeoutMs: 20 })).rejects.toThrow(tooSlow().message)
  })

  it('rejects a chain of redirects that are each fast but together exceed the timeout', async () => {
    const url = await startHttpSite((_, out) => setTimeout(() => out.writeHead(302, { location: '/' }).end(), 60))
    expect(await refusal(url, { timeoutMs: 100 })).toBe(tooSlow().message)
  })

  it('disconnects from a response that is rejected before its end', async () => {
    const endless = (head: string) =>
      startTcpSite((socket) => {
        socket.write(`HTTP/1.1 ${head}\r\n\r\n`)
        repeat(() => socket.write('a'), socket, 5)
      })
    expect(await refusal(await endless('200 OK\r\ncontent-type: video/mp4'), { accept: ['text/html'] })).toContain('text/html')
    expect(await refusal(await endless('302 Found\r\nlocation: http://[/'))).toContain('After a redirect')
    expect(await refusal(await endless('302 Found\r\nlocation: /'), { redirects: 0 })).toBe(fetchErrorFactories.redirects(0).message)
    await stopSites()
  })

  it('rejects a response that is truncated, upgraded or not HTTP', async () => {
    const talk = (text: string) => startTcpSite((socket) => socket.end(text))
    const answers = [
      'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc',
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
      '+PONG\r\n',
      '',
      'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\nabc',
      'HTTP/1.1 302 Found\r\nlocation: http://exa mple/\r\n\r\n',
    ]
    const outcomes = await Promise.all(answers.map(async (answer) => refusal(await talk(answer))))
    expect(outcomes).toEqual([
      ...answers.slice(1).map(() => unreachable().message),
      fetchErrorFactories.redirected(fetchErrorFactories.notWeb()).message,
    ])
  })
})
