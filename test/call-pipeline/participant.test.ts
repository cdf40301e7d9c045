import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApiAccountAt, personHandle, createPersonAt, type PersonHandle, createRegistrationAt } from '../support/participants.ts'
import { type EventHandle, newWorld, type World } from '../support/world.ts'

let world: World
let summit: EventHandle
let petra: PersonHandle

beforeAll(async () => {
  world = await newWorld()
  summit = await world.event({ at: await world.client({ code: 'acme' }), code: 'summit' })
  petra = await createPersonAt(world, summit, { email: 'Petra@example.org' })
})
afterAll(() => world.end())

const query = (text: string, values: unknown[]) => world.database.pool.query(text, values)
const INVALID = 'Invalid or expired participant session'
const GONE = 'This API account is no longer authorized for this event.'

describe('participant sign-in', () => {
  const codes = { tenantCode: 'demo', clientCode: 'acme', eventCode: 'summit', email: 'a@example.org' }
  const ask = (sent: object) => petra.with({ session: null }).refused('fixture_sign_in', { ...codes, ...sent })

  it('needs no participant session to sign in, and audits the sign-in under the API account', async () => {
    expect(await petra.with({ session: null }).call('fixture_sign_in', codes)).toEqual({ sent: true, account: 'Concierge' })
    const { rows } = await query(`select actor_kind, actor_name, event_id from audit_entries where tool = 'fixture_sign_in'`, [])
    expect(rows).toEqual([{ actor_kind: 'apiAccount', actor_name: 'Concierge', event_id: summit.eventId }])
  })

  it("decides from the event's codes alone whether the API account covers the event, before any database query", async () => {
    await world.event({ at: await world.client({ code: 'other' }), code: 'gala' })
    for (const [clientCode, eventCode] of [
      ['other', 'gala'],
      ['absent', 'nothing'],
    ]) {
      expect((await ask({ clientCode, eventCode })).message).toBe(`API account is not authorized for demo/${clientCode}/${eventCode}`)
    }
    expect((await ask({ tenantCode: 'elsewhere' })).message).toBe('API account is not authorized for elsewhere/acme/summit')
  })

  it('returns the same error for unknown events and events of other or inactive clients, and reports drafts as not open', async () => {
    expect((await ask({ eventCode: 'gala' })).message).toBe('Event gala does not belong to client acme')
    expect((await ask({ eventCode: 'never' })).message).toBe('Event never does not belong to client acme')
    await world.event({ at: summit, code: 'early', status: 'draft' })
    expect(await ask({ eventCode: 'early' })).toMatchObject({ code: 'precondition_failed', message: 'Event early is not open yet' })
  })

  it("validates the sign-in tool's arguments before anything else", async () => {
    expect((await ask({ email: 'absent', tenantCode: 'elsewhere' })).fields).toEqual([
      { path: 'email', message: '"absent": not an email address' },
    ])
  })
})

describe('participant session', () => {
  it('requires a participant session for every tool except sign-in', async () => {
    const refused = await petra.with({ session: null }).refused('fixture_whoami')
    expect(refused.message).toBe('Missing X-Participant-Session header — call agent_verify_otp first')
  })

  it('identifies the participant of a tool call by the session', async () => {
    expect(await petra.call('fixture_whoami')).toEqual({ email: 'Petra@example.org', registrations: 1, event: 'summit' })
  })

  it('accepts a participant session for an hour, and only through the API account that issued it', async () => {
    const other = await createApiAccountAt(world, summit, 'Other')
    expect((await petra.with({ token: other.token }).refused('fixture_whoami')).message).toBe(INVALID)
    expect((await petra.with({ session: 'lps_made-up' }).refused('fixture_whoami')).message).toBe(INVALID)
    const short = await createPersonAt(world, summit)
    await world.clock.advance('59 minutes')
    await short.call('fixture_whoami')
    await world.clock.advance('1 minute')
    expect((await short.refused('fixture_whoami')).message).toBe(INVALID)
    await world.clock.reset()
  })

  it('ends a participant session when the registration gets another email address', async () => {
    const moved = await createPersonAt(world, summit)
    await query(`update participants set email = upper(email) where id = $1`, [moved.participantIds[0]])
    await moved.call('fixture_whoami')
    await query(`update participants set email = 'new@example.org' where id = $1`, [moved.participantIds[0]])
    expect((await moved.refused('fixture_whoami')).message).toBe(INVALID)
  })

  it.each([
    ['allowed_clients', `'[]'`, `'[{"tenantCode":"demo","clientCode":"acme"}]'`],
    ['allowed_tenants', `'{other}'`, `'{}'`],
  ])('ends a participant session permanently when the API account loses the event (%s)', async (column, without, withIt) => {
    const person = await createPersonAt(world, summit)
    await query(`update api_accounts set ${column} = ${without} where id = $1`, [person.accountId])
    expect((await person.refused('fixture_whoami')).message).toBe(GONE)
    await query(`update api_accounts set ${column} = ${withIt} where id = $1`, [person.accountId])
    expect((await person.refused('fixture_whoami')).message).toBe(INVALID)
  })

  it('ends a participant session permanently when the API account loses participant access, even if access is restored later', async () => {
    const person = await createPersonAt(world, summit)
    await query(`update api_accounts set can_act_as_participant_agent = false where id = $1`, [person.accountId])
    await query(`update api_accounts set can_act_as_participant_agent = true where id = $1`, [person.accountId])
    expect((await person.refused('fixture_whoami')).message).toBe(INVALID)
    const kept = await createPersonAt(world, summit)
    await query(
      `update api_accounts set name = 'Renamed', allowed_events = '[{"tenantCode":"demo","clientCode":"acme","eventCode":"summit"}]' where id = $1`,
      [kept.accountId],
    )
    await kept.call('fixture_whoami')
  })
})

describe('registration of a participant session', () => {
  const AGAIN = 'Fix: call agent_request_otp and agent_verify_otp again and use the new session.'

  it('accepts in a tool call only registrations that existed when the participant session was issued', async () => {
    const early = await createPersonAt(world, summit, { registrations: 0 })
    await createRegistrationAt(world, summit, { email: early.email })
    const refused = await early.refused('fixture_list_wishes', { zzqx: 1 })
    expect(refused.text).toBe(`No verified participant identity for this run.\n${AGAIN}`)
    expect((await early.refused('fixture_get_wish')).text).toBe(`No participant identity available\n${AGAIN}`)
  })

  it('identifies no participant by a cancelled registration, or by a test registration while the event is live', async () => {
    const email = 'gone@example.org'
    await query(`update events set test_mode = false where id = $1`, [summit.eventId])
    await createRegistrationAt(world, summit, { email, status: 'cancelled' })
    await createRegistrationAt(world, summit, { email, isTestData: true })
    const gone = await createPersonAt(world, summit, { email, registrations: 0 })
    expect(await gone.call('fixture_whoami')).toMatchObject({ registrations: 0 })
    await query(`update events set test_mode = true where id = $1`, [summit.eventId])
    const tester = await createPersonAt(world, summit, { email, registrations: 0 })
    expect(await tester.call('fixture_whoami')).toMatchObject({ registrations: 1 })
  })

  it('requires the registration to be named if the email address has several, and refuses a registration of another participant', async () => {
    const two = await createPersonAt(world, summit, { registrations: 2 })
    const [first, second] = two.participantIds
    expect(await two.refused('fixture_list_wishes')).toMatchObject({
      code: 'ambiguous',
      candidates: [
        { participantId: first, name: 'Petra 1 Participant' },
        { participantId: second, name: 'Petra 2 Participant' },
      ],
    })
    const { wish } = await two.call('fixture_add_wish', { participantId: second, text: 'A quiet room' })
    expect((await two.call('fixture_list_wishes', { participantId: first })).wishes).toEqual([])
    expect((await two.call('fixture_list_wishes', { participantId: second })).wishes).toEqual([wish])
    const foreign = await two.refused('fixture_list_wishes', { participantId: petra.participantIds[0]! })
    expect(foreign).toMatchObject({ code: 'not_found', message: `No registration ${petra.participantIds[0]} of this person` })
  })

  it("refuses access to another participant's registration through the id of one of its records", async () => {
    const other = await createPersonAt(world, summit)
    const { wish } = await other.call('fixture_add_wish', { text: 'Mine' })
    expect((await petra.refused('fixture_get_wish', { wishId: wish.id })).code).toBe('not_found')
  })
})

describe('tool call of a participant that changes data', () => {
  it('audits a change made through the API account as a change by the participant', async () => {
    const { wish } = await petra.call('fixture_add_wish', { text: 'By the window' })
    const { rows } = await query(
      `select actor_kind, actor_name, app_name, client_id, event_id from audit_entries where targets @> $1::jsonb`,
      [JSON.stringify([{ id: wish.id }])],
    )
    expect(rows).toEqual([
      {
        actor_kind: 'participant',
        actor_name: 'Petra@example.org',
        app_name: 'Concierge',
        client_id: summit.clientId,
        event_id: summit.eventId,
      },
    ])
  })

  it("makes a participant's change once per idempotency key, independently at each event", async () => {
    const first = await petra.call('fixture_add_wish', { text: 'Once', idempotencyKey: 'k' })
    expect(await petra.call('fixture_add_wish', { text: 'Once', idempotencyKey: 'k' })).toEqual(first)
    const gala = await world.event({ at: summit, code: 'gala-acme' })
    const there = await createPersonAt(world, gala, { email: petra.email, account: petra })
    const second = await there.call('fixture_add_wish', { text: 'Once', idempotencyKey: 'k' })
    expect(second.wish.id).not.toBe(first.wish.id)
  })

  it('runs a destructive participant change without a confirm token; its dry run writes nothing and returns no token', async () => {
    const person = await createPersonAt(world, summit)
    for (let i = 0; i < 25; i++) await person.call('fixture_add_wish', { text: `Wish ${i}` })
    expect(await person.call('fixture_drop_wishes', { dryRun: true })).toMatchObject({
      dropped: 25,
      dryRun: true,
      effects: { deletes: 25 },
    })
    expect(await person.call('fixture_drop_wishes', { dryRun: true })).not.toHaveProperty('confirmToken')
    expect(await person.call('fixture_drop_wishes')).toEqual({ dropped: 25 })
    expect(await person.call('fixture_drop_wishes')).toEqual({ dropped: 0 })
  })

  it('refuses participant changes after the event has ended, and still allows reading', async () => {
    const past = await world.event({ at: summit, code: 'past', status: 'archived' })
    const person = await createPersonAt(world, past)
    expect(await person.refused('fixture_add_wish', { text: 'Late' })).toMatchObject({
      code: 'precondition_failed',
      message: 'This event has ended',
    })
    expect((await person.call('fixture_list_wishes')).wishes).toEqual([])
  })
})

describe('tool that fetches external data', () => {
  it('fetches external data before a tool runs, with the data of the participant', async () => {
    expect(await petra.call('fixture_fetch')).toEqual({ asked: 'Petra@example.org object' })
  })
})

describe('page cursor of a participant', () => {
  it('rejects the page cursor of another participant', async () => {
    const [a, b] = [await createPersonAt(world, summit), await createPersonAt(world, summit)]
    for (const person of [a, b]) for (let i = 0; i < 3; i++) await person.call('fixture_add_wish', { text: `Wish ${i}` })
    const { nextCursor } = await a.call('fixture_list_wishes', { limit: 2 })
    expect((await a.call('fixture_list_wishes', { limit: 2, cursor: nextCursor })).wishes).toHaveLength(1)
    expect((await b.refused('fixture_list_wishes', { limit: 2, cursor: nextCursor })).fields).toMatchObject([{ path: 'cursor' }])
  })
})

describe('participant session and events of another tenant', () => {
  it('refuses sessions and events of another tenant', async () => {
    const abroad = await world.event({ at: await world.client({ tenant: 'abroad', code: 'acme' }), code: 'summit' })
    const stranger = await createPersonAt(world, abroad, { email: petra.email })
    expect((await personHandle(world, { ...petra, session: stranger.session }).refused('fixture_whoami')).message).toBe(INVALID)
    expect((await personHandle(world, { ...stranger, session: petra.session }).refused('fixture_whoami')).message).toBe(INVALID)
  })
})
