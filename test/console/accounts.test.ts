import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApiAccount } from '../../src/domains/access/api-accounts.ts'
import { assignPassword } from '../support/browser.ts'
import { buildLegacyMessage, PARTICIPANT_PATH, postMessage as ask } from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type Visitor, visitor, signedInVisitor } from '../support/visitor.ts'
import { newWorld, type OrganizerHandle, type ClientHandle, type World } from '../support/world.ts'

const ACCOUNTS = '/console/clients/acme/accounts'

let world: World
let served: Served
let acme: ClientHandle
let olga: OrganizerHandle
let admin: Visitor

const rows = async (text: string, values: unknown[] = []) => (await world.database.pool.query<any>(text, values)).rows
const accountOf = async (id: string) => (await rows('select * from api_accounts where id = $1', [id]))[0]

const create = (fields: Record<string, string | readonly string[]> = {}) =>
  admin.post(
    ACCOUNTS,
    { name: 'Concierge', purpose: 'assistant', coverage: 'client', rateLimitPerMinute: '60', contactEmail: '', ...fields },
    { from: `${ACCOUNTS}/new` },
  )
const newAccount = async (fields: Record<string, string | readonly string[]> = {}) =>
  /accounts\/([0-9a-f]{24})/.exec((await create(fields)).location!)![1]!
const act = (id: string, what: string, fields: Record<string, string | readonly string[]> = {}) =>
  admin.post(`${ACCOUNTS}/${id}/${what}`, fields, { from: `${ACCOUNTS}/${id}` })

async function issue(id: string, lifetime = 'never'): Promise<string> {
  const answer = await act(id, 'tokens', { lifetime })
  return /lak_[\w-]{43}/.exec((await admin.get(answer.location!)).html)![0]
}
const statusWith = async (token: string) => (await ask(served, token, buildLegacyMessage('tools/list'), PARTICIPANT_PATH)).status

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  acme = await world.client({ code: 'acme', name: 'Acme Events' })
  for (const code of ['summit', 'roadshow', 'partner-day']) await world.event({ code, name: `The ${code}`, at: acme })
  olga = await world.organizer({ at: acme })
  served = await serve(world)
  admin = await signedInVisitor(world, served, olga)
})
afterAll(() => world.end())

describe('API accounts', () => {
  it.each([
    ['rest', true, false],
    ['assistant', false, true],
    ['both', true, true],
  ])('gives an API account created for %s the access flags of that purpose', async (purpose, rest, agent) => {
    const account = await accountOf(await newAccount({ purpose, rateLimitPerMinute: '120', contactEmail: 'ops@acme.example' }))
    expect(account).toMatchObject({
      rest_access: rest,
      can_act_as_participant_agent: agent,
      allowed_clients: [{ tenantCode: 'demo', clientCode: 'acme' }],
      allowed_events: [],
      rate_limit_per_minute: 120,
      contact_email: 'ops@acme.example',
    })
    const [audit] = await rows(`select * from audit_entries where tool = 'create_api_account' order by id desc limit 1`)
    expect(audit).toMatchObject({ app_name: 'console', actor_id: olga.userId, client_id: acme.clientId })
  })

  it('limits an API account to the events chosen in the form', async () => {
    const id = await newAccount({ coverage: 'events', events: ['summit', 'roadshow', 'elsewhere'] })
    const account = await accountOf(id)
    expect(account.allowed_clients).toEqual([])
    expect(account.allowed_events.map((e: { eventCode: string }) => e.eventCode)).toEqual(['roadshow', 'summit'])
  })

  it('rejects an invalid API account form with plain error messages and keeps all input', async () => {
    const answer = await create({
      name: '',
      purpose: '',
      rateLimitPerMinute: '0',
      contactEmail: 'absent',
      coverage: 'events',
      events: ['summit'],
    })
    expect(answer.status).toBe(400)
    for (const sentence of [
      'Name: must not be empty',
      'Contact email: not an email address',
      'Requests per minute: must be a whole number from 1',
      'Purpose:',
    ])
      expect(answer.text).toContain(sentence)
    expect(answer.html).toMatch(/name="events" type="checkbox" value="summit"[^>]* checked/)
    expect((await create({ coverage: 'events' })).text).toContain('Coverage: choose at least one event')
  })

  it('shows a new API token only once', async () => {
    const id = await newAccount({ name: 'Once' })
    const answer = await act(id, 'tokens', { lifetime: '30' })
    expect(answer.status).toBe(303)
    const first = await admin.get(answer.location!)
    const token = /lak_[\w-]{43}/.exec(first.html)![0]
    expect(first.text).toContain('not be able to see it again')
    for (const path of [answer.location!, `${ACCOUNTS}/${id}`, ACCOUNTS]) expect((await admin.get(path)).html).not.toContain(token)
    expect(answer.location + answer.html).not.toContain(token)
    expect([...admin.cookies.values()].join()).not.toContain(token)
    const log = served.logged.join('\n')
    expect(log).toContain('"route":"/console')
    expect(log).not.toContain(token)
    const kept = await rows(`select (select json_agg(t) from api_tokens t)::text || (select json_agg(a) from audit_entries a)::text as all`)
    expect(kept[0].all).not.toContain(token)
    expect(kept[0].all).toContain(`"hint":"${token.slice(-4)}"`)
    expect(await statusWith(token)).toBe(200)
    expect((await admin.get(`${ACCOUNTS}/${id}`)).text).toContain(`lak_…${token.slice(-4)} Active`)
  })

  it('does not show a new API token to another session that stole its cookie', async () => {
    const id = await newAccount({ name: 'Stolen' })
    await act(id, 'tokens', { lifetime: '30' })
    const thief = visitor(served)
    const other = await world.organizer({ at: acme })
    await assignPassword(world, other)
    await thief.signIn(other)
    thief.cookies.set('lanyard-once', admin.cookies.get('lanyard-once')!)
    expect((await thief.get(`${ACCOUNTS}/${id}`)).html).not.toMatch(/lak_[\w-]{43}/)
    expect((await admin.get(`${ACCOUNTS}/${id}`)).html).toMatch(/lak_[\w-]{43}/)
  })

  it('keeps the other tokens of an API account when one token is revoked, and expires tokens at their expiry time', async () => {
    const id = await newAccount({ name: 'Two' })
    const [one, two, short] = [await issue(id), await issue(id), await issue(id, '30')]
    const tokens = await rows(`select encode(hash, 'hex') as id, hint from api_tokens where account_id = $1`, [id])
    const hash = tokens.find((t) => t.hint === one.slice(-4)).id
    expect((await act(id, 'tokens/revoke', { token: hash, sure: 'yes' })).location).toContain('done=revoked')
    expect([await statusWith(one), await statusWith(two), await statusWith(short)]).toEqual([401, 200, 200])
    expect((await act(id, 'tokens/revoke', { token: hash, sure: 'yes' })).text).toContain('This token is already revoked')
    await world.clock.advance('31 days')
    expect([await statusWith(two), await statusWith(short)]).toEqual([200, 401])
    await world.clock.reset()
  })

  it('deactivates, activates and renames an API account, and changes its rate limit', async () => {
    const id = await newAccount({ name: 'Switch' })
    const token = await issue(id)
    expect((await act(id, 'active', { active: 'no', sure: 'yes' })).status).toBe(303)
    expect(await statusWith(token)).toBe(401)
    const refused = await act(id, 'tokens', { lifetime: '30' })
    expect([refused.status, refused.text.includes('Activate it before')]).toEqual([400, true])
    expect((await act(id, 'active', { active: 'yes' })).status).toBe(303)
    expect(await statusWith(token)).toBe(200)
    const page = `${ACCOUNTS}/${id}`
    expect((await admin.post(page, { name: 'Renamed', contactEmail: '', rateLimitPerMinute: '7' })).status).toBe(303)
    expect(await accountOf(id)).toMatchObject({ name: 'Renamed', rate_limit_per_minute: 7 })
    const wrong = await admin.post(page, { name: 'Typed', contactEmail: '', rateLimitPerMinute: '-1' })
    expect([wrong.status, wrong.html.includes('value="Typed"')]).toEqual([400, true])
  })

  it('sends sign-in codes again after the suspension of an API account is lifted', async () => {
    const id = await newAccount({ name: 'Loud' })
    await world.database.pool.query(
      `update api_accounts set otp_suspended_at = lanyard_now(), otp_suspended_reason = 'too many codes were never used' where id = $1`,
      [id],
    )
    expect((await admin.get(`${ACCOUNTS}/${id}`)).text).toContain('too many codes were never used')
    expect((await act(id, 'lift')).status).toBe(303)
    expect(await accountOf(id)).toMatchObject({ otp_suspended_at: null, otp_suspended_reason: null })
    const [audit] = await rows(`select * from audit_entries where tool = 'lift_otp_suspension'`)
    expect(audit.targets[0].fields).toEqual({
      otpSuspendedAt: { before: expect.any(String), after: null },
      otpSuspendedReason: { before: 'too many codes were never used', after: null },
    })
  })
})

describe('API account permissions', () => {
  it('lets an analyst view API accounts without changing them', async () => {
    const anna = await world.organizer({ at: acme, role: 'analyst' })
    await assignPassword(world, anna)
    const analyst = visitor(served)
    await analyst.signIn(anna)
    const id = await newAccount({ name: 'Seen' })
    expect((await analyst.get(ACCOUNTS)).text).toContain('Seen')
    expect((await analyst.get(`${ACCOUNTS}/${id}`)).text).not.toContain('Issue token')
    expect((await analyst.get(`${ACCOUNTS}/new`)).status).toBe(403)
    const refused = await analyst.post(`${ACCOUNTS}/${id}/tokens`, { lifetime: '30' }, { from: ACCOUNTS })
    expect([refused.status, refused.text.includes('clients.admin permission')]).toEqual([403, true])
  })

  it('hides API accounts of other clients, and shows an account of two clients to the administrators of both', async () => {
    const beta = await world.client({ code: 'beta' })
    const of = (clientCodes: string[]) =>
      createApiAccount(world.database.write, {
        tenantId: acme.tenantId,
        name: clientCodes.join(' and '),
        canActAsParticipantAgent: true,
        restAccess: false,
        allowedClients: clientCodes.map((clientCode) => ({ tenantCode: 'demo', clientCode })),
        allowedEvents: [],
      })
    const [theirs, shared] = [await of([beta.clientCode]), await of(['acme', 'beta'])]
    expect((await admin.get(`${ACCOUNTS}/${theirs}`)).status).toBe(404)
    expect((await admin.post(`${ACCOUNTS}/${theirs}/active`, { active: 'no', sure: 'yes' }, { from: ACCOUNTS })).status).toBe(404)
    const page = await admin.get(`${ACCOUNTS}/${shared}`)
    expect(page.text).toContain('This account also covers beta')
    const refused = await admin.post(`${ACCOUNTS}/${shared}/active`, { active: 'no', sure: 'yes' }, { from: ACCOUNTS })
    expect([refused.status, (await accountOf(shared)).active]).toEqual([403, true])
  })
})
