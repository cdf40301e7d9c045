import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { DOOR_EVENT, type DoorFixtures, createDoorFixtures, doorTime } from '../../../../test/support/door.ts'
import { createWebhookSubscription } from '../../../../test/support/webhooks.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'

let world: World
let home: EventHandle
let olga: OrganizerHandle
let door: DoorFixtures
let transactions: ReturnType<typeof vi.spyOn>

const GATES = [
  { code: 'main', name: 'Main' },
  { code: 'vip', name: 'VIP', visibleForTags: { type: 'any', required: ['vip'] } },
]

beforeAll(async () => {
  world = await newWorld()
  home = await world.event(DOOR_EVENT)
  await world.clock.stopAt(doorTime('10:00'))
  await world.renewTokens()
  olga = await world.organizer({ role: 'onsite', at: home })
  door = createDoorFixtures(world, home, olga)
  await door.rules({ gates: GATES, duplicateSeconds: 0 })
  await door.scan({ badge: 'any' })
})
beforeEach(() => {
  transactions = vi.spyOn(world.database, 'transact')
})
afterEach(() => {
  transactions.mockRestore()
})
afterAll(() => world.end())

const countTransactions = async (run: () => Promise<unknown>): Promise<number> => {
  const before = transactions.mock.calls.length
  await run()
  return transactions.mock.calls.length - before
}

/** Returns the result and the audit row of one call without their ids. */
async function describeCall(...scans: object[]) {
  const answer = await door.scan(...scans)
  const [entry] = await door.rows<{ targets: { id: string }[] }>('select * from audit_entries order by id desc limit 1')
  const ids = new Map(answer.results.map(({ scanId }: { scanId: string }, n: number) => [scanId, `scan ${n}`]))
  const named = JSON.stringify({ answer, entry: { ...entry, id: null, at: null } }).replaceAll(/[0-9a-f]{24}/g, (id) =>
    String(ids.get(id) ?? id),
  )
  return JSON.parse(named) as { answer: any; entry: any }
}

describe('scan recorded with one SQL statement', () => {
  it('returns the same result and writes the same audit row for a scan with one SQL statement as with a transaction', async () => {
    const session = await door.session({ from: '2027-03-02T10:00' })
    const { id, badge } = await door.person({ company: 'Borealis' })
    const scans = [
      { badge, deviceName: 'A' },
      { badge: 'unknown', gateCode: 'main' },
      { participantId: id, gateCode: 'vip', override: { reason: 'Known to the team' } },
      { badge, gateCode: 'vip' },
      { badge, sessionId: session },
      { badge, sessionId: session, direction: 'out' },
      { badge, direction: 'out' },
      { badge, gateCode: 'vip', direction: 'out' },
    ]
    const calls: Awaited<ReturnType<typeof describeCall>>[] = []
    const call = async () => calls.push(await describeCall(...scans))
    expect(await countTransactions(call)).toBe(0)
    const unable = vi.spyOn(world.database, 'runStatement').mockResolvedValue([])
    expect(await countTransactions(call)).toBe(1)
    unable.mockRestore()
    expect(calls[0]).toEqual(calls[1])
    expect(calls[0]!.entry.targets).toHaveLength(scans.length)
    expect(calls[0]!.answer).toMatchObject({ accepted: 6, refused: 2 })
  })

  it('writes no audit row for scans that are already recorded', async () => {
    const { badge } = await door.person()
    const scan = { badge, deviceName: 'B', nonce: 'once' }
    await door.scan(scan)
    const count = () => door.rows('select count(*)::int as n from audit_entries')
    const before = await count()
    expect(await countTransactions(() => door.scan(scan))).toBe(0)
    expect(await count()).toEqual(before)
  })

  it('applies gate rules that were just published to a scan that runs as one SQL statement', async () => {
    const { badge } = await door.person()
    expect(await door.decide({ badge, gateCode: 'main' })).toBe('accepted')
    expect(await door.decide({ badge, gateCode: 'main' })).toBe('accepted')
    await door.rules({ gates: GATES, duplicateSeconds: 0, reentry: false })
    expect(await countTransactions(async () => expect(await door.decide({ badge, gateCode: 'main' })).toBe('refused already_in'))).toBe(1)
    expect(await countTransactions(async () => expect(await door.decide({ badge, gateCode: 'main' })).toBe('refused already_in'))).toBe(0)
    await door.rules({ gates: GATES.slice(1), duplicateSeconds: 0 })
    const { message } = await olga.refused('record_attendance', { eventCode: home.eventCode, scans: [{ badge, gateCode: 'main' }] })
    expect(message).toContain('vip')
    await door.rules({ gates: GATES, duplicateSeconds: 0 })
    expect(await door.decide({ badge, gateCode: 'main', direction: 'out' })).toBe('accepted')
  })

  it('applies changed event dates to a scan that runs as one SQL statement', async () => {
    const { badge } = await door.person()
    const early = { badge, at: '2027-02-20T00:00:00.000Z' }
    expect(await door.decide(early)).toBe('accepted')
    await door.rows(`update events set starts_on = '2027-03-07', ends_on = '2027-03-09' where id = $1`, home.eventId)
    expect(await door.decide({ ...early, direction: 'out' })).toBe('refused invalid_time')
    await door.rows(`update events set starts_on = '2027-03-02', ends_on = '2027-03-04' where id = $1`, home.eventId)
    expect(await door.decide({ ...early, direction: 'out' })).toBe('accepted')
  })

  it.each([
    ['an unknown gate', { gateCode: 'mian' }, 'main'],
    ['an unknown session', { sessionId: 'a'.repeat(24) }, 'No session'],
    ['an unknown participant', { badge: undefined, participantId: 'a'.repeat(24) }, 'No participant'],
  ])('refuses all scans of a call if one of the scans names %s', async (_, wrong, text) => {
    const { badge } = await door.person()
    const scans = [{ badge }, { badge, ...wrong }]
    const count = () =>
      door.rows('select (select count(*) from attendance_scans) as scans, (select count(*) from audit_entries) as entries')
    const before = await count()
    expect((await olga.refused('record_attendance', { eventCode: home.eventCode, scans })).message).toContain(text)
    expect(await count()).toEqual(before)
  })

  it('records a scan with a transaction only if a webhook is subscribed to scans', async () => {
    const { badge } = await door.person()
    await createWebhookSubscription(world, home, { url: 'https://example.org/orders', kinds: ['order.created'] })
    expect(await countTransactions(() => door.scan({ badge }))).toBe(0)
    await createWebhookSubscription(world, home, { url: 'https://example.org/scans', kinds: ['attendance.recorded'] })
    let scanId: string | undefined
    expect(await countTransactions(async () => (scanId = (await door.scan({ badge, direction: 'out' })).results[0].scanId))).toBe(1)
    const messages = await door.rows<{ body: string }>('select body from webhook_messages')
    expect(messages.map(({ body }) => JSON.parse(body).data.id)).toEqual([scanId])
  })
})
