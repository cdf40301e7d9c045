import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { assignPassword, TEST_USER_PASSWORD } from '../support/browser.ts'
import {
  APP_URI,
  postOAuthForm,
  authorizePath,
  readConsentForm,
  newPkce,
  openStage,
  refresh,
  registerOAuthClient,
  type Stage,
  requestStatus,
  Visitor,
} from './flow.ts'

let stage: Stage
beforeAll(async () => void (stage = await openStage()))
afterAll(() => stage.world.end())

/** Every row of every table, as text. */
async function dump(): Promise<string> {
  const { pool } = stage.world.database
  const { rows } = await pool.query<{ name: string }>(
    `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  )
  const texts = await Promise.all(
    rows.map(async ({ name }) => (await pool.query<{ row: string }>(`select t::text as row from ${name} t`)).rows),
  )
  return texts
    .flat()
    .map(({ row }) => row)
    .join('\n')
}

/** Searches the text for each secret, as plain text and as PostgreSQL prints bytes. */
const found = (text: string, secrets: Record<string, string>) =>
  Object.entries(secrets)
    .filter(([, secret]) => text.includes(secret) || text.includes(Buffer.from(secret).toString('hex')))
    .map(([name]) => name)

describe('stored secrets after sign-in, refresh, token theft and sign-out', () => {
  it('writes secrets to no log line and no table after sign-in, refresh, token theft and sign-out', async () => {
    const { served } = stage
    await assignPassword(stage.world, stage.olga)
    const visitor = new Visitor(served)
    const { verifier, challenge } = newPkce()
    const client = await registerOAuthClient(served, { token_endpoint_auth_method: 'client_secret_post' })
    const signInPage = await visitor.follow(await visitor.go(authorizePath(client.client_id, challenge)))
    const next = /name="next" value="([^"]+)"/.exec(signInPage.text)![1]!
    const signedIn = await visitor.go('/console/sign-in', {
      ...readConsentForm(signInPage.text),
      next,
      email: stage.olga.email,
      password: TEST_USER_PASSWORD,
    })
    const session = /lanyard-organizer=([^;]+)/.exec(signedIn.headers['set-cookie']!.join(';'))![1]!
    const form = readConsentForm((await visitor.follow(signedIn)).text)
    const consent = await visitor.go('/api/oauth/consent', { ...form, decision: 'authorize' })
    const code = new URL(consent.headers.location!).searchParams.get('code')!
    const own = { client_id: client.client_id, client_secret: client.client_secret! }
    const exchangeForm = { grant_type: 'authorization_code', code, redirect_uri: APP_URI, code_verifier: verifier, ...own }
    const first = (await postOAuthForm(served, 'token', exchangeForm)).json
    const second = (await refresh(served, client, first.refresh_token, own)).json
    const third = (await refresh(served, client, second.refresh_token, own)).json
    expect(await requestStatus(served, third.access_token)).toBe(200)
    await refresh(served, client, first.refresh_token, own)
    expect(await requestStatus(served, third.access_token)).toBe(401)
    await postOAuthForm(served, 'revoke', { token: third.access_token, ...own })
    await postOAuthForm(served, 'token', exchangeForm)
    await served.stop()

    const secrets = {
      password: TEST_USER_PASSWORD,
      session,
      csrf: form['_csrf']!,
      request: form['request']!,
      code,
      verifier,
      secret: client.client_secret!,
      access: first.access_token,
      access2: second.access_token,
      access3: third.access_token,
      refresh: first.refresh_token,
      refresh2: second.refresh_token,
      refresh3: third.refresh_token,
    }
    expect(Object.values(secrets).every((secret) => secret.length > 20)).toBe(true)
    expect(served.logged.length).toBeGreaterThan(10)
    expect(found(served.logged.join('\n'), secrets)).toEqual([])
    const tables = await dump()
    expect(tables).toContain(client.client_id)
    expect(found(tables, secrets)).toEqual([])

    // The scan must find a planted secret, as text and as bytes.
    await stage.world.database.pool.query('update oauth_clients set secret_hash = $1, name = $2', [Buffer.from(code), third.access_token])
    expect(found(await dump(), secrets)).toEqual(['code', 'access3'])
    await stage.world.database.pool.query(`update oauth_clients set secret_hash = null, name = 'clean'`)
  })
})
