import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestFolder } from '../support/folder.ts'
import { sendHttp, resetRateLimits, ORGANIZER_PATH } from '../support/rpc.ts'
import { chooseFreeBaseUrl } from '../support/server.ts'
import { submitConsent, LOOPBACK_URI, openStage, registerOAuthClient, openSignedInVisitor, type Stage, requestStatus } from './flow.ts'

let stage: Stage
beforeAll(async () => void (stage = await openStage()))
beforeEach(() => resetRateLimits(stage.world))
afterAll(() => stage.end())

const insecure = { [oauth.allowInsecureRequests]: true }

describe('strict OAuth client', () => {
  it.each([
    ['none', () => oauth.None()],
    ['client_secret_post', (secret: string) => oauth.ClientSecretPost(secret)],
    ['client_secret_basic', (secret: string) => oauth.ClientSecretBasic(secret)],
  ])('accepts every response of the authorization server (%s)', async (method, authenticate) => {
    const resource = new URL(`${stage.served.baseUrl}${ORGANIZER_PATH}`)
    const described = await oauth.processResourceDiscoveryResponse(resource, await oauth.resourceDiscoveryRequest(resource, insecure))
    const issuer = new URL(described.authorization_servers![0]!)
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }))
    const client = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(
        server,
        { client_name: 'Strict', redirect_uris: [LOOPBACK_URI], token_endpoint_auth_method: method },
        insecure,
      ),
    )
    const auth = authenticate(String(client.client_secret))
    const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()]
    const authorize = new URL(server.authorization_endpoint!)
    authorize.search = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: LOOPBACK_URI,
      response_type: 'code',
      scope: 'organizer offline_access',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      resource: resource.href,
      state,
    }).toString()
    const callback = await submitConsent(await openSignedInVisitor(stage, stage.olga.userId), authorize.href)
    const answered = oauth.validateAuthResponse(server, client, callback, state)
    const more = { additionalParameters: { resource: resource.href }, ...insecure }
    const tokens = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(server, client, auth, answered, LOOPBACK_URI, verifier, more),
    )
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'organizer offline_access' })
    expect(await requestStatus(stage.served, tokens.access_token)).toBe(200)
    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, auth, tokens.refresh_token!, insecure),
    )
    expect(await requestStatus(stage.served, refreshed.access_token)).toBe(200)
    await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, auth, refreshed.refresh_token!, insecure))
    expect(await requestStatus(stage.served, refreshed.access_token)).toBe(401)
    const dead = await oauth.refreshTokenGrantRequest(server, client, auth, refreshed.refresh_token!, insecure)
    await expect(oauth.processRefreshTokenResponse(server, client, dead)).rejects.toMatchObject({ error: 'invalid_grant' })
    // A response in the name of another server must be refused. This shows that the client checks the issuer.
    const mixed = new URL(callback)
    mixed.searchParams.set('iss', 'https://evil.test')
    expect(() => oauth.validateAuthResponse(server, client, mixed, state)).toThrow()
  })
})

/** Waits for the program to print `ready`, and returns the printed match of the pattern. */
function printedBy(child: ChildProcess, pattern: RegExp, ready: string): Promise<string> {
  let printed = ''
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (text: Buffer) => {
        printed += text.toString()
        const [found] = pattern.exec(printed) ?? []
        if (found !== undefined && printed.includes(ready)) resolve(found)
      })
    child.once('close', () => reject(new Error(`It ended without "${ready}":\n${printed}`)))
  })
}

const CONFORMANCE = fileURLToPath(new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url))

describe('conformance suite for authorization servers', () => {
  it('passes both scenarios of the conformance suite for authorization servers', async () => {
    const port = new URL(await chooseFreeBaseUrl()).port
    const folder = createTestFolder()
    const { client_id } = await registerOAuthClient(stage.served, { redirect_uris: ['http://127.0.0.1/callback'] })
    const visitor = await openSignedInVisitor(stage, stage.olga.userId)
    const resource = `${stage.served.baseUrl}${ORGANIZER_PATH}`
    const args = [
      'authorization',
      '--url',
      `${stage.served.baseUrl}/api/oauth`,
      '--client-id',
      client_id,
      '--resource',
      resource,
      '-p',
      port,
      '-o',
      folder,
    ]
    const child = spawn(process.execPath, [CONFORMANCE, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    const ended = once(child, 'close') as Promise<[number | null]>
    const url = await printedBy(child, /http:\/\/\S+\/authorize\?\S+/, 'Callback server started')
    await sendHttp((await submitConsent(visitor, url)).href)
    const [code] = await ended
    const checks = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('checks.json'))
      .flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as { id: string; status: string }[])
    expect({ code, checks: checks.map(({ id, status }) => `${id} ${status}`).toSorted() }).toEqual({
      code: 0,
      checks: ['authorization-code-grant SUCCESS', 'authorization-server-metadata SUCCESS', 'authorization-server-metadata-cimd SUCCESS'],
    })
  })
})
