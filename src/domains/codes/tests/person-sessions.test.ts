import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createRegistrationAt } from '../../../../test/support/participants.ts'
import { type EventHandle, newWorld, type World } from '../../../../test/support/world.ts'
import { hashToken } from '../../../kernel/secrets.ts'
import { issueOneTimeCode } from '../one-time-code.ts'
import { setSessionRegistration, endPersonSession, createPersonSession, verifyPersonSession } from '../person-sessions.ts'
import { cleanUpCodes } from '../cleanup.ts'

let world: World
let summit: EventHandle

beforeAll(async () => {
  world = await newWorld()
  summit = await world.event()
})
beforeEach(() => world.clock.reset())
afterAll(() => world.end())

let made = 0
const newEmail = () => `Session-${++made}@example.org`
const open = async (email: string, participantId?: string) => {
  const { tenantId, eventId } = summit
  return (
    await createPersonSession(world.database.write, { tenantId, eventId, email, ...(participantId ? { participantId } : {}) })
  ).reveal()
}
const verify = (token: string, at: EventHandle = summit) => verifyPersonSession(world.database.pool, at, token)
const query = (text: string, values: unknown[] = []) => world.database.pool.query<any>(text, values)

describe('browser sessions of participants', () => {
  it('gives a browser session access to the registrations of the verified mailbox, and selects the only one', async () => {
    const email = newEmail()
    expect(await verify(await open(email))).toMatchObject({ email, participantIds: [], participantId: null })
    const first = await createRegistrationAt(world, summit, { email: email.toLowerCase() })
    expect(await verify(await open(email))).toMatchObject({ participantIds: [first], participantId: first })
    const second = await createRegistrationAt(world, summit, { email, firstName: 'Paul', status: 'incomplete' })
    const token = await open(email)
    expect(await verify(token)).toMatchObject({ participantIds: [first, second], participantId: null })
    const session = { tenantId: summit.tenantId, tokenHash: hashToken(token) }
    const foreign = await createRegistrationAt(world, summit, { email: newEmail() })
    expect(await setSessionRegistration(world.database.write, session, foreign)).toBe(false)
    expect(await setSessionRegistration(world.database.write, session, second)).toBe(true)
    expect(await verify(token)).toMatchObject({ participantId: second })
  })

  it('excludes test data from a browser session, and cancelled registrations unless there are no others', async () => {
    const email = newEmail()
    await query(`update events set test_mode = false where id = $1`, [summit.eventId])
    await createRegistrationAt(world, summit, { email, isTestData: true })
    const cancelled = await createRegistrationAt(world, summit, { email, status: 'cancelled' })
    expect(await verify(await open(email))).toMatchObject({ participantIds: [cancelled] })
    const live = await createRegistrationAt(world, summit, { email })
    expect(await verify(await open(email))).toMatchObject({ participantIds: [live] })
  })

  it('limits a browser session that was opened by a link to the linked registration', async () => {
    const email = newEmail()
    const one = await createRegistrationAt(world, summit, { email })
    await createRegistrationAt(world, summit, { email, firstName: 'Paul' })
    expect(await verify(await open(email, one))).toMatchObject({ participantIds: [one], participantId: one })
  })

  it('removes a registration from the browser session when its email address changes', async () => {
    const email = newEmail()
    const id = await createRegistrationAt(world, summit, { email })
    const token = await open(email)
    await query(`update participants set email = 'next@example.org' where id = $1`, [id])
    expect(await verify(token)).toMatchObject({ participantIds: [], participantId: null })
  })

  it('rejects a browser session at other events and tenants, after twelve hours, and after sign-out', async () => {
    const token = await open(newEmail())
    const [sibling, foreign] = [await world.event({ at: summit }), await world.event({ at: await world.client({ tenant: 'other' }) })]
    for (const at of [sibling, foreign, { ...summit, tenantId: foreign.tenantId }]) expect(await verify(token, at)).toBeNull()
    expect(await verify('lpb_made-up')).toBeNull()
    const ended = await open(newEmail())
    await endPersonSession(world.database.write, { tenantId: summit.tenantId, tokenHash: hashToken(ended) })
    expect(await verify(ended)).toBeNull()
    await world.clock.advance('11 hours 59 minutes')
    expect(await verify(token)).not.toBeNull()
    await world.clock.advance('1 minute')
    expect(await verify(token)).toBeNull()
  })

  it('records when a browser session was last used', async () => {
    const token = await open(newEmail())
    const seen = async () =>
      (await query(`select last_seen_at from person_sessions where hash = $1`, [hashToken(token)])).rows[0].last_seen_at
    const before = await seen()
    await verify(token)
    expect(await seen()).toEqual(before)
    await world.clock.advance('2 minutes')
    await verify(token)
    expect((await seen()).getTime()).toBeGreaterThan(before.getTime() + 110_000)
  })
})

it('erases expired sign-in codes, deletes their rows after two days, and deletes ended browser sessions', async () => {
  const given = { tenantId: summit.tenantId, purpose: 'web' as const, eventId: summit.eventId, email: newEmail(), accountId: null }
  const { id } = await world.database.transact((db) => issueOneTimeCode({ db, keys: world.services.keys }, given))
  const token = await open(newEmail())
  const tidy = () => world.database.transact(cleanUpCodes)
  const kept = async () =>
    (await query(`select code_hash is null and link_hash is null as blank from one_time_codes where id = $1`, [id])).rows
  await world.clock.advance('14 minutes')
  await tidy()
  expect(await kept()).toEqual([{ blank: false }])
  await world.clock.advance('1 minute')
  await tidy()
  expect(await kept()).toEqual([{ blank: true }])
  expect(await verify(token)).not.toBeNull()
  await world.clock.advance('47 hours')
  await tidy()
  expect(await kept()).toHaveLength(1)
  expect((await query(`select from person_sessions where hash = $1`, [hashToken(token)])).rows).toEqual([])
  await world.clock.advance('46 minutes')
  await tidy()
  expect(await kept()).toEqual([])
})
