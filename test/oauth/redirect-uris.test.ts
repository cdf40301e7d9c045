import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { matchesRedirectUri, findRedirectUriProblem, describeRedirectTarget } from '../../src/domains/oauth/redirect-uris.ts'
import { readEnvironment } from '../../src/platform/environment.ts'
import { resetRateLimits } from '../support/rpc.ts'
import { authorizePath, newPkce, openStage, registerOAuthClient, type Stage, Visitor } from './flow.ts'

const REGISTERED = [
  'https://app.example/oauth/callback?tenant=1',
  'http://localhost/callback',
  'http://127.0.0.1:3000/cb',
  'cursor://anysphere.cursor-mcp/oauth',
]

/** Lists spellings of a redirect address that other OAuth servers have confused with the registered address. */
function mutationsOf(uri: string): string[] {
  const [scheme, rest] = [uri.slice(0, uri.indexOf('://')), uri.slice(uri.indexOf('://') + 3)]
  const at = rest.search(/[/?]/)
  const [host, path] = [rest.slice(0, at), rest.slice(at)]
  const hosts = [
    host.toUpperCase(),
    `${host}.`,
    `${host}.evil.test`,
    `evil.test`,
    `evil.test.${host}`,
    `user@${host}`,
    `${host}@evil.test`,
    `${host}:80@evil.test`,
    `${host}%2eevil.test`,
    `${host}%00.evil.test`,
    `${host}\\.evil.test`,
    `${host}\\@evil.test`,
    `${host}#@evil.test`,
    `${host}?@evil.test`,
    `evil.test#${host}`,
    `evil.test?${host}`,
    `evil.test\\${host}`,
    `www.${host}`,
    `xn--${host}`,
    host.replace('a', '\u0430'),
    `${host}\u3002evil.test`,
    `[::ffff:127.0.0.1]`,
    `127.1`,
    `0.0.0.0`,
    `2130706433`,
    `localhost.`,
    `localhost.evil.test`,
    `127.0.0.1.evil.test`,
    ` ${host}`,
    `${host}\t`,
    `${host}\n`,
  ].map((other) => `${scheme}://${other}${path}`)
  const paths = [
    `${path}/`,
    `${path}x`,
    `/x${path}`,
    `/./${path.slice(1)}`,
    `/x/..${path}`,
    `/${path}`,
    path.toUpperCase(),
    path.replace('c', '%63'),
    path.replace('/', '/%2e/'),
    path.replace('/', '/%2e%2e/'),
    path.replace('/', '\\'),
    path.replace('/', '/;x='),
    `${path}${path.includes('?') ? '&' : '?'}x=1`,
    `${path}?`,
    `${path}#`,
    `${path}#evil`,
    `${path}%23`,
    `${path}%00`,
    `${path}%0d%0aLocation:https://evil.test`,
    `${path}\r\nLocation: https://evil.test`,
    path.split('?')[0] === path ? `${path}/../evil` : path.split('?')[0]!,
    `${path.split('?')[0]}?tenant=2`,
    '/',
    '',
  ].map((other) => `${scheme}://${host}${other}`)
  const schemes = [
    'http',
    'https',
    'HTTPS',
    'javascript',
    'data',
    'file',
    'ftp',
    'ws',
    'blob:https',
    'view-source:https',
    'foo',
    'cursors',
    'vscode',
  ]
    .filter((other) => other !== scheme)
    .map((other) => `${other}://${rest}`)
  const forms = [
    `//${rest}`,
    rest,
    `${scheme}:${rest}`,
    `${scheme}:/${rest}`,
    `${scheme}:///${rest}`,
    `${scheme}:\\\\${rest}`,
    ` ${uri}`,
    `${uri} `,
    `\t${uri}`,
  ]
  return [...hosts, ...paths, ...schemes, ...forms].filter((other) => other !== uri)
}

const MUTATIONS = [...new Set(REGISTERED.flatMap(mutationsOf))]

const accepted = (uri: string) => matchesRedirectUri(REGISTERED, uri) && findRedirectUriProblem(uri, ['cursor', 'vscode']) === null

let stage: Stage
beforeAll(async () => void (stage = await openStage()))
afterAll(() => stage.end())

describe('redirect address of an OAuth app', () => {
  it('accepts a redirect address exactly as registered, and with any port on loopback', () => {
    for (const uri of [...REGISTERED, 'http://localhost:5/callback', 'http://127.0.0.1/cb', 'http://127.0.0.1:65535/cb'])
      expect(accepted(uri)).toBe(true)
  })

  it(`rejects a redirect address in ${MUTATIONS.length} spellings that differ from the registered one`, () => {
    expect(MUTATIONS.length).toBeGreaterThanOrEqual(200)
    expect(MUTATIONS.filter(accepted)).toEqual([])
  })

  it('control: accepts some other spellings of a redirect address with a looser comparison', () => {
    const sameHost = (uri: string) => URL.canParse(uri) && REGISTERED.some((known) => new URL(known).hostname === new URL(uri).hostname)
    expect(MUTATIONS.filter(sameHost).length).toBeGreaterThan(100)
    const starts = MUTATIONS.filter((uri) => REGISTERED.some((known) => uri.startsWith(known)))
    expect(starts.length).toBeGreaterThan(20)
  })

  it('never redirects to another spelling of a redirect address', async () => {
    const client = await registerOAuthClient(stage.served, { redirect_uris: REGISTERED })
    const { challenge } = newPkce()
    const visitor = new Visitor(stage.served)
    const led: string[] = []
    for (const [at, redirect_uri] of MUTATIONS.entries()) {
      if (at % 300 === 0) await resetRateLimits(stage.world)
      const { status, headers } = await visitor.go(authorizePath(client.client_id, challenge, { redirect_uri }))
      if (status !== 400 || headers.location !== undefined) led.push(`${status} ${redirect_uri}`)
    }
    expect(led).toEqual([])
    const control = await visitor.go(authorizePath(client.client_id, challenge, { redirect_uri: REGISTERED[0]! }))
    expect(control.status).toBe(303)
  })

  it('displays a redirect address in a format that lets a user recognize its host', () => {
    expect(describeRedirectTarget('https://claude.ai/api/mcp/auth_callback')).toEqual({ kind: 'website', shown: 'claude.ai' })
    expect(describeRedirectTarget('https://xn--pple-43d.com:8443/cb')).toEqual({ kind: 'website', shown: 'xn--pple-43d.com:8443' })
    expect(describeRedirectTarget('http://localhost:53682/callback')).toEqual({
      kind: 'computer',
      shown: 'this computer (localhost:53682)',
    })
    expect(describeRedirectTarget('http://127.0.0.1/cb')).toEqual({ kind: 'computer', shown: 'this computer (127.0.0.1)' })
    expect(describeRedirectTarget('cursor://anysphere.cursor-mcp/oauth')).toEqual({ kind: 'app', shown: 'cursor://anysphere.cursor-mcp' })
  })
})

describe('custom URL schemes of OAuth apps', () => {
  const schemes = (text?: string) => readEnvironment(text === undefined ? {} : { LANYARD_OAUTH_APP_SCHEMES: text }, false).oauthAppSchemes

  it("allows the custom URL schemes of well-known assistants, or those of the operator's list", () => {
    expect(schemes()).toEqual(expect.arrayContaining(['cursor', 'vscode', 'vscode-insiders']))
    expect(schemes('cursor://, com.example.app')).toEqual(['cursor', 'com.example.app'])
  })

  it.each(['javascript', 'data:', 'http://', 'https', 'file', 'Cursor', 'a b'])('never allows the custom URL scheme %s', (scheme) => {
    expect(() => schemes(`cursor, ${scheme}`)).toThrow('LANYARD_OAUTH_APP_SCHEMES')
  })
})
