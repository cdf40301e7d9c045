import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage, RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates, type TlsOptions } from 'node:tls'
import { promisify } from 'node:util'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import type { AppError } from '../../src/kernel/errors.ts'
import { type FetchOptions, fetchErrorFactories } from '../../src/kernel/fetcher.ts'
import { readEnvironment, SettingError } from '../../src/platform/environment.ts'
import { createFetcher } from '../../src/platform/guarded-fetch.ts'
import { serveOnLoopback, startHttpSite, stopSites } from '../support/sites.ts'

afterEach(stopSites)
const fetcher = createFetcher({ allowedHosts: ['127.0.0.1'] })
const refusal = (url: string, options?: FetchOptions) =>
  fetcher.fetch(url, options).then(
    ({ body }) => `answered ${body.length} bytes`,
    (error: AppError) => error.message,
  )

describe('guarded fetcher (HTTP client for addresses that users enter)', () => {
  it('returns status, headers and body of a fetched response', async () => {
    const url = await startHttpSite((_, out) =>
      out.writeHead(404, { 'content-type': 'text/plain', 'x-Word': 'a', 'set-cookie': 'a=b' }).end('größer'),
    )
    const { status, headers, body, url: final } = await fetcher.fetch(`${url}/a?b=c#d`)
    expect({ status, body: body.toString(), final }).toEqual({ status: 404, body: 'größer', final: `${url}/a?b=c#d` })
    expect(headers).toMatchObject({ 'content-type': 'text/plain', 'x-word': 'a' })
    expect(headers).not.toHaveProperty('set-cookie')
  })

  it('decompresses responses of fetched addresses', async () => {
    const packers: Record<string, (text: string) => Buffer> = {
      gzip: gzipSync,
      'X-GZIP': gzipSync,
      br: brotliCompressSync,
      deflate: deflateSync,
      Deflate: deflateRawSync,
      identity: (text) => Buffer.from(text),
    }
    const url = await startHttpSite((inbound, out) => {
      const encoding = inbound.url!.slice(1)
      out.writeHead(200, { 'content-encoding': encoding }).end(packers[encoding]!('hello'))
    })
    const bodies = await Promise.all(
      Object.keys(packers).map(async (encoding) => (await fetcher.fetch(`${url}/${encoding}`)).body.toString()),
    )
    expect(bodies).toEqual(bodies.map(() => 'hello'))
    const empty = await startHttpSite((_, out) => out.writeHead(204, { 'content-encoding': 'gzip' }).end())
    expect((await fetcher.fetch(empty)).body).toHaveLength(0)
  })

  it('rejects responses of another content type than requested, except for error pages', async () => {
    const url = await startHttpSite((inbound, out) =>
      out.writeHead(inbound.url === '/missing' ? 404 : 200, { 'content-type': 'Image/PNG; x=y' }).end('x'),
    )
    expect(await refusal(url, { accept: ['text/html', 'image/*'] })).toBe('answered 1 bytes')
    expect(await refusal(url, { accept: ['image/png'] })).toBe('answered 1 bytes')
    expect(await refusal(url, { accept: ['text/html', 'image/jpeg'] })).toBe('The address did not respond with text/html or image/jpeg')
    expect(await refusal(`${url}/missing`, { accept: ['text/html'] })).toBe('answered 1 bytes')
  })

  it('sends no header that could change the target or the length of a request', async () => {
    const url = await startHttpSite((_, out) => out.end())
    for (const name of ['Host', 'Content-Length', 'Transfer-Encoding', 'connection', 'Proxy-Authorization', 'Upgrade', 'Expect', 'TE'])
      expect(await refusal(url, { headers: { [name]: 'x' } })).toBe(fetchErrorFactories.header(name).message)
    for (const header of [{ 'x y': 'a' }, { x: 'a\r\nHost: b' }, { 'x\r\n': 'a' }, { x: 'ü€' }])
      expect(await refusal(url, { headers: header as Record<string, string> })).toBe(fetchErrorFactories.headerCharacters().message)
  })

  it('restricts fetches to https and the default port if the caller requests that', async () => {
    const other = createFetcher({ resolve: async () => [] })
    await expect(other.fetch('http://public.test/', { httpsOnly: true })).rejects.toThrow('The address must start with https://')
    await expect(other.fetch('https://public.test:80/', { defaultPortsOnly: true })).rejects.toThrow('ports 80 or 443')
    const url = await startHttpSite((_, out) => out.end('x'))
    expect(await refusal(url, { httpsOnly: true }), 'the operator allowed this host').toBe('answered 1 bytes')
    expect(await refusal(url, { defaultPortsOnly: true })).toBe(fetchErrorFactories.port().message)
  })

  it('connects to the IP address that it checked, and resolves a host name once', async () => {
    let lookups = 0
    const url = new URL(await startHttpSite((inbound, out) => out.end(`${inbound.headers.host} at ${inbound.socket.localAddress}`)))
    const named = createFetcher({
      allowedHosts: ['named.test'],
      resolve: async () => [{ address: lookups++ === 0 ? '127.0.0.1' : '127.0.0.9', family: 4 }],
    })
    expect((await named.fetch(`http://named.test:${url.port}/`)).body.toString()).toBe(`named.test:${url.port} at 127.0.0.1`)
    expect(lookups).toBe(1)
  })

  it('tries the next IP address of a host if the first one fails', async () => {
    const url = new URL(await startHttpSite((_, out) => out.end('alive')))
    const addresses = [
      { address: '::1', family: 6 },
      { address: '127.0.0.1', family: 4 },
    ]
    const named = createFetcher({ allowedHosts: ['two.test'], resolve: async () => addresses })
    expect((await named.fetch(`http://two.test:${url.port}/`)).body.toString()).toBe('alive')
  })

  it('reveals in its errors only whether an address is unreachable or a host name unknown', async () => {
    const url = new URL(await startHttpSite((_, out) => out.end()))
    await stopSites()
    expect(await refusal(url.href)).toBe('The address could not be reached')
    await expect(createFetcher({ resolve: async () => [] }).fetch('http://nothing.test/')).rejects.toThrow(
      'The host name of the address does not exist',
    )
    await expect(createFetcher({ resolve: async () => [] }).check('http://nothing.test/')).rejects.toThrow('does not exist')
    await expect(createFetcher({ resolve: async () => [] }).fetch('http://./')).rejects.toThrow('must be a web address')
  })

  it('ignores the proxy settings of the environment', async () => {
    const url = await startHttpSite((_, out) => out.end('direct'))
    const proxy = await startHttpSite((_, out) => out.end('through the proxy'))
    const script = `
      import { get } from 'node:http'
      import { createFetcher } from './src/platform/guarded-fetch.ts'
      const { body } = await createFetcher({ allowedHosts: ['127.0.0.1'] }).fetch('${url}')
      const plain = await new Promise((resolve) => get('${url}', async (answer) => resolve((await answer.toArray()).join(''))))
      process.stdout.write(JSON.stringify([body.toString(), plain]), () => process.exit())`
    const env = { ...process.env, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy, http_proxy: proxy, NO_PROXY: '', no_proxy: '' }
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env })
    expect(JSON.parse(stdout), 'and a plain request does not').toEqual(['direct', 'through the proxy'])
  })

  it('uses the DNS resolver of the system by default', async () => {
    const { port } = new URL(await startHttpSite((_, out) => out.end('hello')))
    await expect(createFetcher().fetch('http://localhost/')).rejects.toThrow('The address is not a public address')
    expect((await createFetcher({ allowedHosts: ['localhost'] }).fetch(`http://localhost:${port}/`)).body.toString()).toBe('hello')
  })

  it("reads the operator's allowed hosts from the environment", () => {
    const read = (hosts: string) => readEnvironment({ LANYARD_ALLOWED_HOSTS: hosts }, false)
    expect(read('crm.internal, 10.0.0.5:8080')).toMatchObject({ allowedHosts: ['crm.internal', '10.0.0.5:8080'], warnings: [] })
    expect(() => read('*.internal')).toThrow(SettingError)
  })
})

const OPENSSL = process.env['OPENSSL'] ?? 'openssl'

describe('guarded fetcher with https', () => {
  /** Generated each time: a private key in a repository would be reused elsewhere. */
  function certificate(): { key: string; cert: string } | null {
    const folder = mkdtempSync(join(tmpdir(), 'lanyard-cert-'))
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const subject = ['-subj', '/CN=secure.test', '-addext', 'subjectAltName=DNS:secure.test,IP:127.0.0.1']
    try {
      execFileSync(OPENSSL, ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-keyout', key, '-out', cert, ...subject], {
        stdio: 'ignore',
      })
      return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
    } catch {
      return null
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  it('verifies that the TLS certificate of a host matches the host name', async ({ skip }) => {
    const made = certificate()
    if (!made) return skip('openssl is not installed')
    const trusted = getCACertificates('default')
    const asked: string[] = []
    const SNICallback: NonNullable<TlsOptions['SNICallback']> = (name, found) => {
      asked.push(name)
      found(null)
    }
    const server = createSecureServer({ ...made, SNICallback }, (inbound, out) => out.end(inbound.headers.host))
    const port = new URL(await serveOnLoopback(server)).port
    const local = createFetcher({
      allowedHosts: ['secure.test', 'wrong.test', '127.0.0.1'],
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    })
    const outcome = (host: string) =>
      local.fetch(`https://${host}:${port}/`, { httpsOnly: true }).then(
        ({ body }) => body.toString(),
        (e: AppError) => e.message,
      )
    expect(await outcome('secure.test'), 'the certificate is not trusted yet').toBe('The address could not be reached')
    try {
      setDefaultCACertificates([...trusted, made.cert])
      expect(await outcome('secure.test')).toBe(`secure.test:${port}`)
      expect(await outcome('secure.test.')).toBe(`secure.test:${port}`)
      expect(await outcome('127.0.0.1')).toBe(`127.0.0.1:${port}`)
      expect(await outcome('wrong.test')).toBe('The address could not be reached')
    } finally {
      setDefaultCACertificates(trusted)
    }
    expect(asked).toEqual(['secure.test', 'secure.test', 'secure.test', 'wrong.test'])
  })
})

describe('redirects of the guarded fetcher', () => {
  /** Redirects as its path says (`/302/…` to the rest of the path, or to the address in `to`), and otherwise echoes the request. */
  const echo: RequestListener = async (inbound: IncomingMessage, out) => {
    const { pathname, searchParams } = new URL(inbound.url!, 'http://echo')
    const [, status, rest] = /^\/(30\d)(\/.*)$/.exec(pathname) ?? []
    if (status) return void out.writeHead(Number(status), { location: searchParams.get('to') ?? rest }).end('moved')
    out.end(JSON.stringify({ method: inbound.method, headers: inbound.headers, body: (await inbound.toArray()).join('') }))
  }
  const echoed = async (url: string, options?: FetchOptions) => {
    const { body, url: final } = await fetcher.fetch(url, options)
    return { final, ...(JSON.parse(body.toString()) as { method: string; headers: Record<string, string>; body: string }) }
  }
  const headers = { authorization: 'Bearer s', cookie: 'a=b', 'X-Api-Key': 'k', 'accept-language': 'de', 'content-type': 'text/x' }

  it('follows at most three redirects of one fetch', async () => {
    const url = await startHttpSite(echo)
    expect((await echoed(`${url}/302/301/307/end`)).final).toBe(`${url}/end`)
    expect(await refusal(`${url}/302/302/302/302/end`)).toBe(fetchErrorFactories.redirects(3).message)
    expect(await refusal(`${url}/302/302/302/302/end`, { redirects: 10 })).toBe(fetchErrorFactories.redirects(3).message)
    expect(await refusal(`${url}/302/end`, { redirects: 0 })).toBe(fetchErrorFactories.redirects(0).message)
    expect(await refusal(`${url}/302/?to=${encodeURIComponent('/302/?to=')}`)).toBe(fetchErrorFactories.redirects(3).message)
  })

  it('keeps request headers in redirects within the same origin and drops credentials in redirects to other origins', async () => {
    const [url, other] = [await startHttpSite(echo), await startHttpSite(echo)]
    const within = await echoed(`${url}/302/end`, { headers })
    expect(within.headers).toMatchObject({ authorization: 'Bearer s', cookie: 'a=b', 'x-api-key': 'k' })
    const across = await echoed(`${url}/302/x?to=${other}/end`, { headers })
    expect(Object.keys(across.headers).toSorted()).toEqual([
      'accept',
      'accept-encoding',
      'accept-language',
      'connection',
      'host',
      'user-agent',
    ])
    expect(across.headers['host']).toBe(new URL(other).host)
    const back = await echoed(`${url}/302/x?to=${encodeURIComponent(`${other}/302/x?to=${url}/end`)}`, { headers })
    expect(back.headers['authorization'], 'what was dropped does not come back').toBeUndefined()
  })

  it('changes the HTTP method of a redirect as browsers do, and sends no body to another origin', async () => {
    const [url, other] = [await startHttpSite(echo), await startHttpSite(echo)]
    const post: FetchOptions = { method: 'POST', body: 'hello', headers }
    const after = async (status: number, options: FetchOptions) => {
      const { method, body, headers: sent } = await echoed(`${url}/${status}/end`, options)
      return [method, body, sent['content-type'] ?? null, sent['content-length'] ?? null]
    }
    for (const status of [301, 302, 303]) expect(await after(status, post)).toEqual(['GET', '', null, null])
    for (const status of [307, 308]) expect(await after(status, post)).toEqual(['POST', 'hello', 'text/x', '5'])
    expect(await after(303, { method: 'PUT', body: 'hello' })).toEqual(['GET', '', null, null])
    expect(await after(302, { method: 'PUT', body: 'hello' })).toEqual(['PUT', 'hello', null, '5'])
    for (const status of [307, 308])
      expect(await refusal(`${url}/${status}/x?to=${other}/end`, post)).toBe(fetchErrorFactories.movedBody().message)
    expect(await refusal(`${url}/308/x?to=${other}/end`, { method: 'DELETE' })).toBe(fetchErrorFactories.movedBody().message)
    expect((await echoed(`${url}/302/x?to=${other}/end`, post)).method).toBe('GET')
  })
})
