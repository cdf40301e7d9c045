import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { rotateRefreshToken } from '../../src/domains/oauth/tokens.ts'
import { resetRateLimits } from '../support/rpc.ts'
import {
  postOAuthForm,
  connectOAuthApp,
  openStage,
  refresh,
  type RegisteredClient,
  registerOAuthClient,
  openSignedInVisitor,
  type Stage,
  type Tokens,
  requestStatus,
  type Visitor,
} from './flow.ts'
import { chooseForSoak, soakRounds } from '../support/soak.ts'

let stage: Stage
let client: RegisteredClient
let olga: Visitor

beforeAll(async () => {
  stage = await openStage()
  client = await registerOAuthClient(stage.served)
  olga = await openSignedInVisitor(stage, stage.olga.userId)
})
beforeEach(async () => {
  await stage.world.clock.reset()
  await resetRateLimits(stage.world)
})
afterAll(() => stage.end())

const invalid = { status: 400, json: { error: 'invalid_grant' } }
const again = async (token: string): Promise<Tokens> => (await refresh(stage.served, client, token)).json as Tokens
const rows = async <R>(text: string, values: unknown[] = []) => (await stage.world.database.pool.query<R>(text, values)).rows
const listEmails = () =>
  rows<{ to_address: string; subject: string; text_body: string }>(`select * from messages where email_code = 'app-signed-out'`)

describe('OAuth refresh token', () => {
  it('replaces a refresh token at each use, and accepts the new one', async () => {
    const first = await connectOAuthApp(stage, olga, client)
    const second = await again(first.refresh_token)
    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect(await requestStatus(stage.served, second.access_token)).toBe(200)
    const third = await again(second.refresh_token)
    expect(await requestStatus(stage.served, third.access_token)).toBe(200)
    // The earlier access token stays valid for its hour.
    expect(await requestStatus(stage.served, first.access_token)).toBe(200)
  })

  it('returns the same new refresh token if a refresh is repeated within 60 seconds', async () => {
    const first = await connectOAuthApp(stage, olga, client)
    const answers = [await again(first.refresh_token)]
    await stage.world.clock.advance('58 seconds')
    answers.push(await again(first.refresh_token))
    expect(answers[1]!.refresh_token).toBe(answers[0]!.refresh_token)
    expect(answers[1]!.access_token).not.toBe(answers[0]!.access_token)
    for (const { access_token } of answers) expect(await requestStatus(stage.served, access_token)).toBe(200)
  })

  it('revokes the whole grant when a refresh token is reused after 61 seconds, emails the organizer, and writes an audit entry', async () => {
    const before = (await listEmails()).length
    const first = await connectOAuthApp(stage, olga, client)
    const second = await again(first.refresh_token)
    await stage.world.clock.advance('61 seconds')
    expect(await requestStatus(stage.served, second.access_token)).toBe(200)
    expect(await refresh(stage.served, client, first.refresh_token)).toMatchObject(invalid)
    for (const { access_token } of [first, second]) expect(await requestStatus(stage.served, access_token)).toBe(401)
    expect(await refresh(stage.served, client, second.refresh_token)).toMatchObject(invalid)
    const sent = await listEmails()
    expect(sent).toHaveLength(before + 1)
    expect(sent.at(-1)).toMatchObject({ to_address: stage.olga.email, subject: 'We signed Assistant out of your Lanyard account' })
    const [entry] = await rows<{ tool: string; targets: any; actor_id: string }>(
      `select tool, targets, actor_id from audit_entries where tool = 'oauth.end' order by id desc limit 1`,
    )
    expect(entry).toMatchObject({
      actor_id: stage.olga.userId,
      targets: [{ kind: 'grant', fields: { because: { after: 'refresh token used twice' } } }],
    })
    // Further attempts send no second email.
    expect(await refresh(stage.served, client, first.refresh_token)).toMatchObject(invalid)
    expect(await listEmails()).toHaveLength(before + 1)
  })

  it('revokes the grant when a refresh token is reused after the new token was used', async () => {
    const first = await connectOAuthApp(stage, olga, client)
    const second = await again(first.refresh_token)
    const third = await again(second.refresh_token)
    expect(await refresh(stage.served, client, first.refresh_token)).toMatchObject(invalid)
    expect(await requestStatus(stage.served, third.access_token)).toBe(401)
    expect(await refresh(stage.served, client, third.refresh_token)).toMatchObject(invalid)
  })

  it('control: accepts a stolen refresh token again if the error is thrown inside the transaction that revokes the grant', async () => {
    const { database } = stage.world
    const first = await connectOAuthApp(stage, olga, client)
    const second = await again(first.refresh_token)
    await stage.world.clock.advance('61 seconds')
    const given = { token: first.refresh_token, clientId: client.client_id, baseUrl: stage.served.baseUrl }
    const thrown = database.transact(async (db) => {
      throw new Error((await rotateRefreshToken(db, given)).kind)
    })
    await expect(thrown).rejects.toThrow('refused')
    expect(await requestStatus(stage.served, second.access_token)).toBe(200)
    expect((await database.transact((db) => rotateRefreshToken(db, given))).kind).toBe('refused')
    expect(await requestStatus(stage.served, second.access_token)).toBe(401)
  })

  it('rejects a refresh token from another app, without ending the grant', async () => {
    const other = await registerOAuthClient(stage.served)
    const first = await connectOAuthApp(stage, olga, client)
    expect(await refresh(stage.served, other, first.refresh_token)).toMatchObject(invalid)
    expect((await refresh(stage.served, client, first.refresh_token)).status).toBe(200)
  })

  it('accepts a refresh token for 30 days from its last use', async () => {
    let { refresh_token } = await connectOAuthApp(stage, olga, client)
    for (let i = 0; i < 3; i++) {
      await stage.world.clock.advance('29 days 23 hours')
      const next = await refresh(stage.served, client, refresh_token)
      expect(next.status).toBe(200)
      refresh_token = next.json.refresh_token
    }
    await stage.world.clock.advance('30 days 1 second')
    expect(await refresh(stage.served, client, refresh_token)).toMatchObject(invalid)
  })

  it('refreshes a token without scope and resource parameters, keeps the granted values, and refuses another resource', async () => {
    const first = await connectOAuthApp(stage, olga, client)
    const second = await refresh(stage.served, client, first.refresh_token, { scope: 'organizer admin' })
    expect(second.json.scope).toBe('organizer')
    const token = second.json.refresh_token as string
    expect(await refresh(stage.served, client, token, { resource: 'https://other.example' })).toMatchObject({
      json: { error: 'invalid_target' },
    })
    expect((await refresh(stage.served, client, token, { resource: `${stage.served.baseUrl}/api/mcp/organizer` })).status).toBe(200)
  })

  it('rejects a refresh token as an access token, and an access token as a refresh token', async () => {
    const { access_token, refresh_token } = await connectOAuthApp(stage, olga, client)
    expect(await requestStatus(stage.served, refresh_token)).toBe(401)
    expect(await refresh(stage.served, client, access_token)).toMatchObject(invalid)
  })
})

describe('concurrent refreshes of an OAuth token', () => {
  it('returns the same new refresh token to concurrent refreshes, and accepts all their access tokens', async () => {
    const { database } = stage.world
    const rounds = database.engine === 'postgres' ? chooseForSoak(soakRounds(200), 60) : 40
    let { refresh_token } = await connectOAuthApp(stage, olga, client)
    const given = () => ({ token: refresh_token, clientId: client.client_id, baseUrl: stage.served.baseUrl })
    let signedOut = 0
    for (let round = 0; round < rounds; round++) {
      const verdicts = await Promise.all(Array.from({ length: 8 }, () => database.transact((db) => rotateRefreshToken(db, given()))))
      const issued = verdicts.filter((verdict) => verdict.kind === 'issued')
      signedOut += verdicts.length - issued.length
      const successors = new Set(issued.map((verdict) => verdict.refresh.reveal()))
      expect(successors.size).toBe(1)
      expect(new Set(issued.map((verdict) => verdict.access.reveal())).size).toBe(8)
      refresh_token = [...successors][0]!
    }
    expect(signedOut).toBe(0)
    expect((await refresh(stage.served, client, refresh_token)).status).toBe(200)
  })

  it('does not revoke the grant after concurrent refreshes over HTTP', async () => {
    const first = await connectOAuthApp(stage, olga, client)
    const answers = await Promise.all(Array.from({ length: 8 }, () => again(first.refresh_token)))
    expect(new Set(answers.map((answer) => answer.refresh_token)).size).toBe(1)
    for (const { access_token } of answers) expect(await requestStatus(stage.served, access_token)).toBe(200)
  })
})

describe('revocation of OAuth tokens', () => {
  it('ends the grant when any of its tokens is revoked, including replaced ones', async () => {
    for (const choose of ['access', 'refresh', 'rotated'] as const) {
      const first = await connectOAuthApp(stage, olga, client)
      const second = await again(first.refresh_token)
      const token = { access: second.access_token, refresh: second.refresh_token, rotated: first.refresh_token }[choose]
      const answer = await postOAuthForm(stage.served, 'revoke', { token, client_id: client.client_id })
      expect([answer.status, answer.text]).toEqual([200, ''])
      expect(await requestStatus(stage.served, second.access_token)).toBe(401)
      expect(await refresh(stage.served, client, second.refresh_token)).toMatchObject(invalid)
    }
  })

  it("accepts the revocation of unknown tokens, and never ends another app's grant", async () => {
    expect((await postOAuthForm(stage.served, 'revoke', { token: 'lat_unknown', client_id: client.client_id })).status).toBe(200)
    const { access_token } = await connectOAuthApp(stage, olga, client)
    const other = await registerOAuthClient(stage.served)
    expect((await postOAuthForm(stage.served, 'revoke', { token: access_token, client_id: other.client_id })).json.error).toBe(
      'unauthorized_client',
    )
    expect((await postOAuthForm(stage.served, 'revoke', { token: access_token })).json.error).toBe('invalid_client')
    expect((await postOAuthForm(stage.served, 'revoke', { client_id: client.client_id })).json.error).toBe('invalid_request')
    expect(await requestStatus(stage.served, access_token)).toBe(200)
  })
})
