import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Db } from '../../src/kernel/columns.ts'
import { redeemAuthorizationCode } from '../../src/domains/oauth/codes.ts'
import { sendHttp, resetRateLimits } from '../support/rpc.ts'
import {
  APP_URI,
  postOAuthForm,
  obtainCode,
  LOOPBACK_URI,
  newPkce,
  openStage,
  refresh,
  type RegisteredClient,
  registerOAuthClient,
  openSignedInVisitor,
  type Stage,
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
beforeEach(() => resetRateLimits(stage.world))
afterAll(() => stage.end())

const invalid = { status: 400, json: { error: 'invalid_grant' } }

describe('authorization code', () => {
  it('exchanges an authorization code for tokens that the endpoint accepts', async () => {
    const answer = await (await obtainCode(stage, olga, client)).redeem()
    expect(answer.status).toBe(200)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect(answer.json).toEqual({
      access_token: expect.stringMatching(/^lat_[\w-]{43}$/),
      refresh_token: expect.stringMatching(/^lrt_[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'organizer',
    })
    expect(await requestStatus(stage.served, answer.json.access_token)).toBe(200)
  })

  it('accepts an authorization code once, and revokes the issued tokens at a second use', async () => {
    const { redeem } = await obtainCode(stage, olga, client)
    const { json } = await redeem()
    expect(await requestStatus(stage.served, json.access_token)).toBe(200)
    expect(await redeem()).toMatchObject(invalid)
    expect(await requestStatus(stage.served, json.access_token)).toBe(401)
    expect(await refresh(stage.served, client, json.refresh_token)).toMatchObject(invalid)
  })

  it('control: keeps the grant after a second use of a code if the error is thrown inside the transaction that revokes it', async () => {
    const { form, redeem } = await obtainCode(stage, olga, client)
    const { json } = await redeem()
    const given = { code: form.code, clientId: client.client_id, redirectUri: APP_URI, verifier: form.code_verifier }
    const thrown = stage.world.database.transact(async (db) => {
      const verdict = await redeemAuthorizationCode(db, given)
      throw new Error(verdict.kind)
    })
    await expect(thrown).rejects.toThrow('refused')
    expect(await requestStatus(stage.served, json.access_token)).toBe(200)
    expect((await stage.world.database.transact((db) => redeemAuthorizationCode(db, given))).kind).toBe('refused')
    expect(await requestStatus(stage.served, json.access_token)).toBe(401)
  })

  it('rejects an authorization code that another app redeems', async () => {
    const other = await registerOAuthClient(stage.served)
    const { redeem } = await obtainCode(stage, olga, client)
    expect(await redeem({ client_id: other.client_id })).toMatchObject(invalid)
    expect((await redeem()).status).toBe(200)
  })

  it.each([
    ['a wrong verifier', { code_verifier: newPkce().verifier }],
    ['the challenge as verifier', null],
    ['another address', { redirect_uri: LOOPBACK_URI }],
    ['the address with a slash', { redirect_uri: `${APP_URI}/` }],
  ])('invalidates an authorization code after an attempt with %s', async (_what, more) => {
    const { form, redeem } = await obtainCode(stage, olga, client)
    const challenge = createHash('sha256').update(form.code_verifier).digest('base64url')
    expect(await redeem(more ?? { code_verifier: challenge })).toMatchObject(invalid)
    expect(await redeem()).toMatchObject(invalid)
  })

  it('rejects an authorization code with another loopback port than in the authorize request', async () => {
    const { redeem } = await obtainCode(stage, olga, client, { redirect_uri: LOOPBACK_URI })
    expect(await redeem({ redirect_uri: 'http://localhost:53683/callback' })).toMatchObject(invalid)
    const { redeem: again } = await obtainCode(stage, olga, client, { redirect_uri: LOOPBACK_URI })
    expect((await again()).status).toBe(200)
  })

  it('rejects an authorization code after a minute', async () => {
    const late = await obtainCode(stage, olga, client)
    const soon = await obtainCode(stage, olga, client)
    await stage.world.clock.advance('58 seconds')
    expect((await soon.redeem()).status).toBe(200)
    await stage.world.clock.advance('3 seconds')
    expect(await late.redeem()).toMatchObject(invalid)
    await stage.world.clock.reset()
  })

  it('issues an authorization code only with a PKCE challenge, so that the verifier cannot be skipped', async () => {
    const { code, form } = await obtainCode(stage, olga, client)
    const { code_verifier: _left, ...bare } = form
    expect(await postOAuthForm(stage.served, 'token', bare)).toMatchObject({ status: 400, json: { error: 'invalid_request' } })
    const { rows } = await stage.world.database.pool.query<{ n: number }>(
      `select count(*)::int as n from oauth_codes where challenge !~ '^[\\w-]{43}$'`,
    )
    expect(rows[0]!.n).toBe(0)
    expect((await postOAuthForm(stage.served, 'token', { ...form, code })).status).toBe(200)
  })

  it('rejects an authorization code for another resource address, and accepts the code for its own address in every spelling', async () => {
    const { redeem } = await obtainCode(stage, olga, client)
    expect(await redeem({ resource: 'https://other.example/mcp' })).toMatchObject({ status: 400, json: { error: 'invalid_target' } })
    expect((await redeem({ resource: `${stage.served.baseUrl}/api/mcp/organizer?toolsets=events` })).status).toBe(200)
  })

  it("rejects an authorization code if the user's access changed after it was issued", async () => {
    const otto = await stage.world.organizer({ name: 'Otto' })
    const { redeem } = await obtainCode(stage, await openSignedInVisitor(stage, otto.userId), client)
    await stage.world.database.pool.query('delete from memberships where user_id = $1', [otto.userId])
    expect(await redeem()).toMatchObject(invalid)
  })
})

describe('token endpoint', () => {
  it.each([
    [{}, 'invalid_client', 401],
    [{ client_id: 'loc_unknown', grant_type: 'authorization_code' }, 'invalid_client', 401],
    [{ client_id: 'a\0' }, 'invalid_client', 401],
  ])('rejects the token request %j', async (form, error, status) => {
    const answer = await postOAuthForm(stage.served, 'token', form as Record<string, string>)
    expect([answer.status, answer.json.error]).toEqual([status, error])
    expect(answer.headers['www-authenticate']).toBe('Basic realm="Lanyard"')
  })

  it.each([
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
    [{ grant_type: 'toString' }, 'unsupported_grant_type'],
    [{ grant_type: 'authorization_code', code_verifier: 'x' }, 'invalid_request'],
    [{ grant_type: 'refresh_token' }, 'invalid_request'],
    [{}, 'invalid_request'],
    [{ client_secret: 'lcs_x', grant_type: 'refresh_token' }, 'invalid_client'],
  ])('rejects the token request %j of a known app', async (form, error) => {
    const answer = await postOAuthForm(stage.served, 'token', { client_id: client.client_id, ...(form as Record<string, string>) })
    expect(answer.json.error).toBe(error)
  })

  it('accepts only form-encoded token requests, with each parameter once', async () => {
    const { form } = await obtainCode(stage, olga, client)
    const json = await postOAuthForm(stage.served, 'token', form, { 'content-type': 'application/json' })
    expect(json).toMatchObject({ status: 400, json: { error: 'invalid_request' } })
    const twice = await sendHttp(stage.served.url('/api/oauth/token'), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `${new URLSearchParams(form).toString()}&code=${form.code}`,
    })
    expect(twice).toMatchObject({ status: 400, json: { error: 'invalid_request' } })
    expect((await postOAuthForm(stage.served, 'token', form)).status).toBe(200)
  })

  it('authenticates apps by a secret in the header or in the form, but not in both', async () => {
    const secretly = await registerOAuthClient(stage.served, { token_endpoint_auth_method: 'client_secret_basic' })
    const basic = (secret: string) => ({ authorization: `Basic ${Buffer.from(`${secretly.client_id}:${secret}`).toString('base64')}` })
    const right = secretly.client_secret!
    const tried = async (form: Record<string, string>, headers = {}) => {
      const { form: own } = await obtainCode(stage, olga, secretly)
      const { client_id: _, ...bare } = own
      return postOAuthForm(stage.served, 'token', { ...bare, ...form }, headers)
    }
    expect((await tried({}, basic(right))).status).toBe(200)
    expect((await tried({ client_id: secretly.client_id, client_secret: right })).status).toBe(200)
    for (const [form, headers, error] of [
      [{}, basic('lcs_wrong'), 'invalid_client'],
      [{}, basic(''), 'invalid_client'],
      [{ client_id: secretly.client_id }, {}, 'invalid_client'],
      [{ client_id: secretly.client_id, client_secret: 'lcs_wrong' }, {}, 'invalid_client'],
      [{ client_secret: right }, basic(right), 'invalid_request'],
      [{ client_id: client.client_id }, basic(right), 'invalid_request'],
      [{}, { authorization: 'Basic %%%' }, 'invalid_client'],
      [{}, { authorization: 'Bearer x' }, 'invalid_client'],
    ] as const)
      expect((await tried(form as Record<string, string>, headers)).json.error).toBe(error)
  })
})

describe('eight concurrent redemptions of one authorization code', () => {
  it('issues tokens exactly once for concurrent redemptions of one authorization code', async () => {
    // The embedded database has one connection and hardly any race conditions, so PostgreSQL gets more rounds.
    const rounds = stage.world.database.engine === 'postgres' ? chooseForSoak(soakRounds(500), 80) : 40
    const { pool, transact } = stage.world.database
    const { verifier, challenge } = newPkce()
    let successes = 0
    for (let round = 0; round < rounds; round++) {
      const code = `lac_round_${round}`
      await pool.query(
        `insert into oauth_codes (hash, user_id, access_version, client_id, redirect_uri, challenge, scope, resource, expires_at)
         select sha256($1::text::bytea), id, access_version, $2, $3, $4, 'organizer', $5, lanyard_now() + interval '1 minute' from users where id = $6`,
        [code, client.client_id, APP_URI, challenge, `${stage.served.baseUrl}/api/mcp/organizer`, stage.olga.userId],
      )
      const given = { code, clientId: client.client_id, redirectUri: APP_URI, verifier }
      const verdicts = await Promise.all(Array.from({ length: 8 }, () => transact((db) => redeemAuthorizationCode(db, given))))
      const issued = verdicts.filter((verdict) => verdict.kind === 'issued').length
      expect(issued).toBe(1)
      successes += issued
    }
    expect(successes).toBe(rounds)
    const { rows } = await pool.query<{ n: number }>(
      `select count(*)::int as n from oauth_grants where revoked_because = 'code used twice'`,
    )
    expect(rows[0]!.n).toBeGreaterThanOrEqual(rounds)
  })

  it('control: issues tokens several times for concurrent redemptions of one authorization code without the row lock', async () => {
    const { pool, transact, engine } = stage.world.database
    if (engine !== 'postgres') return
    await obtainCode(stage, olga, client)
    const { rows: made } = await pool.query<{ hash: Buffer }>(
      'select hash from oauth_codes where used_at is null order by expires_at desc limit 1',
    )
    const careless = (db: Db) =>
      sql<{ free: boolean }>`select used_at is null as free, pg_sleep(0.05) from oauth_codes where hash = ${made[0]!.hash}`
        .execute(db)
        .then(({ rows }) => rows[0]!.free)
    const free = await Promise.all(Array.from({ length: 8 }, () => transact(careless)))
    expect(free.filter(Boolean).length).toBeGreaterThan(1)
  })

  it('issues tokens exactly once for concurrent redemptions of one authorization code over HTTP', async () => {
    const { redeem } = await obtainCode(stage, olga, client)
    const answers = await Promise.all(Array.from({ length: 8 }, () => redeem()))
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
  })
})
