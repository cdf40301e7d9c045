import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { registrationAt } from '../../../../test/support/participants.ts'
import { type EventPlace, newWorld, type World } from '../../../../test/support/world.ts'
import { hashToken } from '../../../kernel/secrets.ts'
import { putCode } from '../one-code.ts'
import { chooseOfPersonSession, endPersonSession, openPersonSession, verifyPersonSession } from '../person-sessions.ts'
import { tidyCodes } from '../tidy.ts'

let world: World
let summit: EventPlace

beforeAll(async () => {
  world = await newWorld()
  summit = await world.event()
})
beforeEach(() => world.clock.reset())
afterAll(() => world.end())

let made = 0
const somebody = () => `Session-${++made}@example.org`
const open = async (email: string, participantId?: string) => {
  const { tenantId, eventId } = summit
  return (await openPersonSession(world.database.write, { tenantId, eventId, email, ...(participantId ? { participantId } : {}) })).reveal()
}
const verify = (token: string, at: EventPlace = summit) => verifyPersonSession(world.database.pool, at, token)
const query = (text: string, values: unknown[] = []) => world.database.pool.query<any>(text, values)

describe('a person’s session', () => {
  it('is good for what the mailbox has registered, and chooses where there is one', async () => {
    const email = somebody()
    expect(await verify(await open(email))).toMatchObject({ email, participantIds: [], participantId: null })
    const first = await registrationAt(world, summit, { email: email.toLowerCase() })
    expect(await verify(await open(email))).toMatchObject({ participantIds: [first], participantId: first })
    const second = await registrationAt(world, summit, { email, firstName: 'Paul', status: 'incomplete' })
    const token = await open(email)
    expect(await verify(token)).toMatchObject({ participantIds: [first, second], participantId: null })
    const session = { tenantId: summit.tenantId, tokenHash: hashToken(token) }
    const foreign = await registrationAt(world, summit, { email: somebody() })
    expect(await chooseOfPersonSession(world.database.write, session, foreign)).toBe(false)
    expect(await chooseOfPersonSession(world.database.write, session, second)).toBe(true)
    expect(await verify(token)).toMatchObject({ participantId: second })
  })

  it('leaves out what was cancelled, unless there is nothing else, and what is only a test', async () => {
    const email = somebody()
    await query(`update events set test_mode = false where id = $1`, [summit.eventId])
    await registrationAt(world, summit, { email, isTestData: true })
    const cancelled = await registrationAt(world, summit, { email, status: 'cancelled' })
    expect(await verify(await open(email))).toMatchObject({ participantIds: [cancelled] })
    const live = await registrationAt(world, summit, { email })
    expect(await verify(await open(email))).toMatchObject({ participantIds: [live] })
  })

  it('by a link is good for that registration alone', async () => {
    const email = somebody()
    const one = await registrationAt(world, summit, { email })
    await registrationAt(world, summit, { email, firstName: 'Paul' })
    expect(await verify(await open(email, one))).toMatchObject({ participantIds: [one], participantId: one })
  })

  it('loses a registration that is somebody else’s by now', async () => {
    const email = somebody()
    const id = await registrationAt(world, summit, { email })
    const token = await open(email)
    await query(`update participants set email = 'next@example.org' where id = $1`, [id])
    expect(await verify(token)).toMatchObject({ participantIds: [], participantId: null })
  })

  it('is none at another event or tenant, after twelve hours, or once it was ended', async () => {
    const token = await open(somebody())
    const [sibling, foreign] = [await world.event({ at: summit }), await world.event({ at: await world.client({ tenant: 'other' }) })]
    for (const at of [sibling, foreign, { ...summit, tenantId: foreign.tenantId }]) expect(await verify(token, at)).toBeNull()
    expect(await verify('lpb_made-up')).toBeNull()
    const ended = await open(somebody())
    await endPersonSession(world.database.write, { tenantId: summit.tenantId, tokenHash: hashToken(ended) })
    expect(await verify(ended)).toBeNull()
    await world.clock.advance('11 hours 59 minutes')
    expect(await verify(token)).not.toBeNull()
    await world.clock.advance('1 minute')
    expect(await verify(token)).toBeNull()
  })

  it('says when it was last seen', async () => {
    const token = await open(somebody())
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

it('tidying blanks what is too old to be guessed at, keeps rows two days, and ends sessions that are over', async () => {
  const given = { tenantId: summit.tenantId, purpose: 'web' as const, eventId: summit.eventId, email: somebody(), accountId: null }
  const { id } = await world.database.transact((db) => putCode({ db, keys: world.road.keys }, given))
  const token = await open(somebody())
  const tidy = () => world.database.transact(tidyCodes)
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
