import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendHttp, buildLegacyMessage, ORGANIZER_PATH, PARTICIPANT_PATH, postMessage } from '../support/rpc.ts'
import { openStage, type Stage } from './flow.ts'

const SERVER = '/.well-known/oauth-authorization-server/api/oauth'
const RESOURCE = '/.well-known/oauth-protected-resource/api/mcp/organizer'

let stage: Stage
beforeAll(async () => void (stage = await openStage()))
afterAll(() => stage.end())

const get = (path: string, headers = {}) => sendHttp(stage.served.url(path), { headers })

describe('OAuth discovery', () => {
  it('starts OAuth discovery with a 401 response that links to the resource metadata', async () => {
    const { baseUrl } = stage.served
    const bare = await postMessage(stage.served, null, buildLegacyMessage('tools/list'))
    expect(bare.status).toBe(401)
    expect(bare.headers['www-authenticate']).toBe(`Bearer resource_metadata="${baseUrl}${RESOURCE}", scope="organizer"`)
    const wrong = await postMessage(stage.served, 'lat_wrong', buildLegacyMessage('tools/list'))
    expect(wrong.headers['www-authenticate']).toBe(`${bare.headers['www-authenticate']}, error="invalid_token"`)
    const { status, json, headers } = await get(RESOURCE)
    expect(status).toBe(200)
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(json).toMatchObject({
      resource: `${baseUrl}${ORGANIZER_PATH}`,
      authorization_servers: [`${baseUrl}/api/oauth`],
      scopes_supported: ['organizer'],
    })
  })

  it('describes the authorization server with its endpoints, grant types, PKCE method and client authentication', async () => {
    const issuer = `${stage.served.baseUrl}/api/oauth`
    expect((await get(SERVER)).json).toEqual({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      revocation_endpoint: `${issuer}/revoke`,
      scopes_supported: ['organizer', 'offline_access'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
      revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    })
  })

  it.each([
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration/api/oauth',
    '/api/oauth/.well-known/openid-configuration',
    '/api/oauth/.well-known/oauth-authorization-server',
  ])('returns the same metadata document at %s', async (alias) => {
    expect((await get(alias)).text).toBe((await get(SERVER)).text)
  })

  it('does not use the Host header for addresses in the metadata', async () => {
    for (const path of [SERVER, RESOURCE]) {
      const forged = await get(path, { host: 'evil.test', 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https' })
      expect(forged.text).toBe((await get(path)).text)
      expect(forged.text).not.toContain('evil.test')
    }
  })

  it.each(['/.well-known/oauth-protected-resource', `/.well-known/oauth-protected-resource${PARTICIPANT_PATH}`])(
    'has no metadata document at %s, where apps would ask organizers to sign in',
    async (path) => expect((await get(path)).status).toBe(404),
  )

  it('allows cross-origin requests for OAuth metadata without cookies', async () => {
    for (const path of [SERVER, RESOURCE, '/api/oauth/token', '/api/oauth/register', '/api/oauth/revoke']) {
      const { status, headers } = await sendHttp(stage.served.url(path), { method: 'OPTIONS', headers: { origin: 'https://app.example' } })
      expect(status).toBe(204)
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-headers': expect.stringContaining('authorization, content-type'),
      })
      expect(headers['access-control-allow-credentials']).toBeUndefined()
    }
    const page = await sendHttp(stage.served.url('/api/oauth/authorize'), { headers: { origin: 'https://app.example' } })
    expect(page.headers['access-control-allow-origin']).toBeUndefined()
  })
})
