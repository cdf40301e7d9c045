import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { recordStatements } from '../../bench/servers/statements.ts'
import { DOOR_EVENT, type DoorFixtures, createDoorFixtures, doorTime } from '../support/door.ts'
import { buildLegacyMessage, buildModernMessage, postMessage, resetRateLimits, type RpcMessage, toolCallParams } from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../support/world.ts'

let world: World
let served: Served
let home: EventHandle
let door: DoorFixtures
let statements: ReturnType<typeof vi.spyOn>

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  home = await world.event(DOOR_EVENT)
  await world.clock.stopAt(doorTime('10:00'))
  await world.renewTokens()
  served = await serve(world)
  door = createDoorFixtures(world, home, await world.organizer({ role: 'onsite', at: home }))
  await door.rules({ gates: [{ code: 'main', name: 'Main' }], duplicateSeconds: 0 })
  await door.scan({ badge: 'any' })
})
beforeEach(async () => {
  await resetRateLimits(world)
  statements = vi.spyOn(world.database, 'runStatement')
})
afterEach(() => statements.mockRestore())
afterAll(() => world.end())

const messageFor = (scans: readonly object[], more: object = {}): RpcMessage =>
  buildLegacyMessage('tools/call', { ...toolCallParams('record_attendance', { eventCode: home.eventCode, scans, ...more }) })
const scan = async ({ token }: Pick<OrganizerHandle, 'token'>, ...scans: object[]) =>
  (await postMessage(served, token, messageFor(scans))).json.result
/** How many calls ran in the statement that verifies their caller. */
const countVerified = () => statements.mock.calls.filter((call: unknown[]) => String(call[0]).includes('oauth_tokens')).length
const countScans = async () => (await door.rows<{ n: number }>('select count(*)::int as n from attendance_scans'))[0]!.n
const latestEntry = async () => (await door.rows<any>('select * from audit_entries order by id desc limit 1'))[0]

/** An organizer whose next scan runs in the statement that verifies them, because the server knows the event. */
async function seenOrganizer(...args: Parameters<World['organizer']>): Promise<OrganizerHandle> {
  const person = await world.organizer(...args)
  await scan(person, { badge: 'any' })
  return person
}

describe('scan that runs in the same SQL statement as the verification of its caller', () => {
  it('returns the same result and audit row for a scan whether its caller is verified in the same SQL statement or before', async () => {
    const olga = await world.organizer({ role: 'onsite', at: home })
    const people = [await door.person({ company: 'Borealis' }), await door.person({ company: 'Borealis' })]
    const seen: { answer: any; entry: any }[] = []
    for (const { id, badge } of people) {
      const scans = [{ badge, gateCode: 'main' }, { participantId: id, direction: 'out', gateCode: 'main' }, { badge: 'none' }]
      const answer = (await scan(olga, ...scans)).structuredContent
      const { id: _id, at: _at, ...entry } = await latestEntry()
      const ids = [id, ...answer.results.map(({ scanId }: { scanId: string }) => scanId)]
      for (const { participant } of answer.results) if (participant) participant.name = 'the same'
      const text = JSON.stringify({ answer, entry }).replaceAll(/[0-9a-f]{24}/g, (found) =>
        ids.includes(found) ? `id ${ids.indexOf(found)}` : found,
      )
      seen.push(JSON.parse(text))
    }
    expect(countVerified()).toBe(1)
    expect(seen[1]).toEqual(seen[0])
    expect(seen[1]).toMatchObject({ answer: { accepted: 2, refused: 1 }, entry: { actor_id: olga.userId, tool: 'record_attendance' } })
  })

  it.each([
    [
      'a role that may not scan',
      async ({ userId }: OrganizerHandle) => door.rows(`update memberships set role = 'analyst' where user_id = $1`, userId),
    ],
    ['a membership that ended', async ({ userId }: OrganizerHandle) => door.rows('delete from memberships where user_id = $1', userId)],
    ['a user who is locked out', async ({ userId }: OrganizerHandle) => door.rows('update users set active = false where id = $1', userId)],
    [
      'a revoked grant',
      async ({ userId }: OrganizerHandle) => door.rows('update oauth_grants set revoked_at = lanyard_now() where user_id = $1', userId),
    ],
    ['a spent limit of requests', async () => door.rows('update rate_windows set count = 120')],
  ])('refuses an attendance scan and stores nothing for %s', async (_, change) => {
    const olga = await seenOrganizer({ role: 'onsite', at: home })
    await change(olga)
    const { badge } = await door.person()
    const before = await countScans()
    const { status, json } = await postMessage(served, olga.token, messageFor([{ badge }]))
    expect(status !== 200 || json.error !== undefined || json.result.isError).toBe(true)
    expect([await countScans(), countVerified()]).toEqual([before, 1])
  })

  it.each([
    [
      'assistants are turned off',
      'update clients set ai_assistants_allowed = false where id = $1',
      'update clients set ai_assistants_allowed = true where id = $1',
    ],
    ['the client is inactive', 'update clients set active = false where id = $1', 'update clients set active = true where id = $1'],
  ])('refuses an attendance scan and stores nothing while %s', async (_, change, back) => {
    const olga = await seenOrganizer({ role: 'onsite', at: home })
    const { badge } = await door.person()
    const before = await countScans()
    await door.rows(change, home.clientId)
    const { isError } = await scan(olga, { badge })
    await door.rows(back, home.clientId)
    expect([isError, await countScans(), countVerified()]).toEqual([true, before, 1])
    expect((await scan(olga, { badge })).structuredContent.accepted).toBe(1)
  })

  it('accepts attendance scans of staff at their event only, and asks for the client if the event code is ambiguous', async () => {
    const sam = await seenOrganizer({ staffOf: home, staffRole: 'onsite' })
    const { badge } = await door.person()
    expect((await scan(sam, { badge })).structuredContent.accepted).toBe(1)
    expect(countVerified()).toBe(1)
    const analyst = await seenOrganizer({ staffOf: home, staffRole: 'analyst' })
    expect((await scan(analyst, { badge, direction: 'out' }))._meta['lanyard/error'].code).toBe('forbidden')
    const other = await world.client()
    const olga = await seenOrganizer({ role: 'onsite', at: [home, other] })
    const twin = await world.event({ ...DOOR_EVENT, code: home.eventCode, at: other })
    const before = await countScans()
    expect((await scan(olga, { badge, direction: 'out' }))._meta['lanyard/error'].code).toBe('ambiguous')
    expect(await countScans()).toBe(before)
    await door.rows('update events set code = id where id = $1', twin.eventId)
    expect((await scan(olga, { badge, direction: 'out' })).structuredContent.accepted).toBe(1)
  })

  it('stores an attendance scan once, whichever way the message is sent, and nothing for an invalid scan', async () => {
    const olga = await seenOrganizer({ role: 'onsite', at: home })
    const params = (badge: string) => toolCallParams('record_attendance', { eventCode: home.eventCode, scans: [{ badge }] })
    const messages = [
      (badge: string) => buildModernMessage('tools/call', params(badge)),
      (badge: string) => buildLegacyMessage('tools/call', { ...params(badge), _meta: { progressToken: 1 } }),
      (badge: string) => messageFor([{ badge }], { clientCode: home.clientCode }),
      (badge: string) => messageFor([{ badge, override: { reason: 'Known' } }]),
    ]
    for (const build of messages) {
      const { badge, id } = await door.person()
      await postMessage(served, olga.token, build(badge))
      expect(await door.rows('select result from attendance_scans where participant_id = $1', id)).toEqual([{ result: 'accepted' }])
    }
    const before = await countScans()
    const { badge } = await door.person()
    for (const wrong of [{ direction: 'up' }, { gateCode: 'mian' }, { sessionId: 'a'.repeat(24) }])
      expect((await scan(olga, { badge, ...wrong })).isError).toBe(true)
    const unknownVersion = messageFor([{ badge }])
    await postMessage(served, olga.token, { ...unknownVersion, body: { ...(unknownVersion.body as object), jsonrpc: '1.0' } })
    expect(await countScans()).toBe(before)
  })

  it('records a scan separately if the database refuses the combined statement, but not after a lost connection', async () => {
    const olga = await seenOrganizer({ role: 'onsite', at: home })
    const { badge } = await door.person()
    statements.mockRejectedValueOnce(Object.assign(new Error('deadlock detected'), { severity: 'ERROR', code: '40P01' }))
    expect((await scan(olga, { badge })).structuredContent.accepted).toBe(1)
    const before = await countScans()
    for (const lost of [{ code: 'EPIPE' }, { severity: 'FATAL', code: '57P01' }]) {
      statements.mockRejectedValueOnce(Object.assign(new Error('the connection is lost'), lost))
      expect((await postMessage(served, olga.token, messageFor([{ badge, direction: 'out' }]))).status).toBeGreaterThanOrEqual(500)
    }
    expect(await countScans()).toBe(before)
  })
})

// The embedded database has one session and no round trips to count.
describe.skipIf(process.env['TEST_DATABASE_URL'] === undefined)('authenticated read on PostgreSQL', () => {
  it('answers a read with two round trips to the database: one verifies the caller, one runs the statement of the tool', async () => {
    const olga = await world.organizer({ at: home })
    const { note } = await olga.call('fixture_add_note', { eventCode: home.eventCode, text: 'Order chairs' })
    const read = () =>
      postMessage(
        served,
        olga.token,
        buildLegacyMessage('tools/call', toolCallParams('fixture_get_note', { eventCode: home.eventCode, noteId: note.id })),
      )
    for (let i = 0; i < 2; i++) await read()
    const recorder = recordStatements(pg.Client)
    recorder.record()
    const { json } = await read()
    const { statements, roundTrips } = recorder.recorded()
    expect(json.result.structuredContent.note.text).toBe('Order chairs')
    expect(roundTrips).toBe(2)
    expect(statements).toHaveLength(2)
    expect(statements[0]!.text).toContain('oauth_tokens')
  })
})
