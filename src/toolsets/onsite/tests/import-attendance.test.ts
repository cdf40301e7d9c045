import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DoorScanContext, readDoorRules } from '../../../domains/attendance/door-rules.ts'
import { importAttendanceJob } from '../../../domains/attendance/import-attendance.ts'
import { importScans } from '../../../domains/attendance/import-scans.ts'
import { checkIntegrity } from '../../../domains/orders/integrity/check.ts'
import type { Job } from '../../../kernel/jobs.ts'
import { createJobRunner } from '../../../surfaces/worker/run-jobs.ts'
import { runBackgroundJobStep } from '../../../surfaces/worker/step.ts'
import { createExhibitorFixtures } from '../../../../test/support/companies.ts'
import { DOOR_EVENT, type DoorFixtures, createDoorFixtures, doorTime } from '../../../../test/support/door.ts'
import { programSections } from '../../../../test/support/programs.ts'
import { createUploadFixtures } from '../../../../test/support/uploads.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
  await world.clock.stopAt(doorTime('20:00'))
})
afterAll(() => world.end())

interface Place {
  home: EventHandle
  olga: OrganizerHandle
  door: DoorFixtures
  load: (rows: object[], more?: object) => Promise<any>
  summary: () => Promise<any>
  violations: () => Promise<string[]>
}

async function open(onsite: object): Promise<Place> {
  const home = await world.event({ ...DOOR_EVENT, at: await world.client() })
  const olga = await world.organizer({ role: 'manager', at: home })
  const door = createDoorFixtures(world, home, olga)
  await door.rules(onsite)
  return {
    home,
    olga,
    door,
    load: (rows, more = {}) =>
      olga.call('import_attendance', {
        eventCode: home.eventCode,
        rows: rows.map((row) => ({ deviceName: 'Handheld', direction: 'in', ...row })),
        ...more,
      }),
    summary: () => olga.call('get_onsite_summary', { eventCode: home.eventCode }),
    violations: async () =>
      (await checkIntegrity(world.database.write, home.tenantId, home.eventId))
        .flatMap(({ samples }) => samples)
        .filter((sample) => !/^inventory (event|product|flow)/.test(sample)),
  }
}

describe('import_attendance', () => {
  it('keeps the earliest entry of a person, imports people who entered offline, and imports no repeated row', async () => {
    const { olga, home, door, load, summary, violations } = await open({ reentry: false })
    const [p, q] = [await door.person(), await door.person({ status: 'cancelled' })]
    await door.scan({ badge: p.badge, at: doorTime('09:10') })
    const file = [
      { badge: p.badge, at: doorTime('09:05:00'), nonce: 'a' },
      { badge: p.badge, at: doorTime('09:05:10'), nonce: 'b' },
      { badge: q.badge, at: doorTime('09:20'), decidedOffline: 'accepted' },
      { badge: 'unknown-z', at: doorTime('09:21') },
    ]
    const dry = await load(file, { dryRun: true })
    expect(dry).toMatchObject({ dryRun: true, imported: 2 })
    expect(await load(file)).toMatchObject({
      rows: 4,
      imported: 2,
      duplicates: 1,
      unmatched: [{ row: 4, value: 'unknown-z' }],
      invalid: [],
      conflicts: [
        { row: 1, reason: 'second_entry', kept: 'imported' },
        { row: 3, reason: 'cancelled', kept: 'imported' },
      ],
    })
    const inside = async () => {
      const { people } = await olga.call('list_attendance', { eventCode: home.eventCode, presence: 'inside' })
      return people.map(({ participant, firstIn, minutes }: any) => [participant.id, firstIn, minutes])
    }
    const before = await inside()
    expect(new Map(before.map(([id, firstIn]: any) => [id, firstIn]))).toEqual(
      new Map([
        [p.id, doorTime('09:05')],
        [q.id, doorTime('09:20')],
      ]),
    )
    expect(await summary()).toMatchObject({ checkedIn: 1, enteredNotComplete: 1, byGate: [{ code: 'event', inside: 2 }] })
    const stored = await door.rows(
      'select flag, duplicate_of is not null as repeats from attendance_scans where participant_id = $1 order by at',
      p.id,
    )
    expect(stored).toEqual([
      { flag: null, repeats: false },
      { flag: 'second_entry', repeats: true },
    ])
    expect(await load(file)).toMatchObject({ imported: 0, duplicates: 3, conflicts: [], unmatchedCount: 1 })
    expect(await inside()).toEqual(before)
    expect(await violations()).toEqual([])
  })

  it('replays imported rows of all gates together with the stored scans, regardless of the order in which they arrive', async () => {
    const { door, load, violations } = await open({ gates: [{ code: 'main', name: 'Main', capacity: 1 }] })
    const [first, second] = [
      await door.session({ from: '2027-03-02T09:00', until: '2027-03-02T11:00' }),
      await door.session({ from: '2027-03-02T10:00', until: '2027-03-02T12:00' }),
    ]
    const [ada, bob] = [await door.person({ email: 'ada@example.org' }), await door.person({ confirmation_number: 'BOB42' })]
    await door.scan({ badge: ada.badge, gateCode: 'main', at: doorTime('08:00') })
    const answer = await load([
      { email: 'ADA@example.org', gateCode: 'main', at: doorTime('09:00'), direction: 'out' },
      { email: 'ada@example.org', gateCode: 'main', at: '2027-03-02 08:30' },
      { confirmationNumber: 'bob42', gateCode: 'main', at: doorTime('08:40') },
      { badge: bob.badge, gateCode: 'main', at: doorTime('08:50'), direction: 'out' },
      { badge: bob.badge, gateCode: 'main', at: doorTime('08:55'), direction: 'out' },
      { badge: bob.badge, sessionId: second, at: doorTime('10:10') },
      { badge: bob.badge, sessionId: first, at: doorTime('09:10') },
      { badge: ada.badge, gateCode: 'main', at: doorTime('09:30'), decidedOffline: 'refused' },
      { badge: ada.badge, gateCode: 'mian', at: doorTime('09:30') },
      { badge: ada.badge, at: 'yesterday' },
      { badge: ada.badge, at: doorTime('20:05:01') },
      { badge: ada.badge, at: '2027-02-15T23:59:59Z' },
    ])
    expect(answer).toMatchObject({
      rows: 12,
      imported: 8,
      duplicates: 0,
      invalidCount: 4,
      conflicts: [
        { row: 3, reason: 'full', kept: 'imported' },
        { row: 5, reason: 'not_in', kept: 'imported' },
      ],
    })
    expect(answer.invalid.map(({ row }: { row: number }) => row)).toEqual([9, 10, 11, 12])
    expect(
      await door.rows(
        `select at, direction, flag, assumed, result from attendance_scans where participant_id = $1 and gate_code = 'main' order by at`,
        ada.id,
      ),
    ).toMatchObject([
      { direction: 'in', flag: null },
      { direction: 'in', flag: 'missed_out' },
      { direction: 'out', flag: null },
      { direction: 'in', result: 'refused' },
    ])
    expect(await door.rows(`select direction, assumed from attendance_scans where session_id = $1 order by at`, first)).toEqual([
      { direction: 'in', assumed: false },
      { direction: 'out', assumed: true },
    ])
    expect(
      await door.rows<{ key: string; sold: number }>(`select key, sold from inventory where key = any($1) order by key`, [
        'gate:main',
        `room:${first}`,
        `room:${second}`,
      ]),
    ).toEqual(
      [
        { key: 'gate:main', sold: 0 },
        { key: `room:${first}`, sold: 0 },
        { key: `room:${second}`, sold: 1 },
      ].toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    )
    expect(await violations()).toEqual([])
  })

  it('ends an imported entry at a conference session with an entry at another one that was scanned online', async () => {
    const { home, olga, door, load, violations } = await open({})
    const [first, second] = [
      await door.session({ from: '2027-03-02T09:00', until: '2027-03-02T11:00' }),
      await door.session({ from: '2027-03-02T10:00', until: '2027-03-02T12:00' }),
    ]
    const [online, offline] = [await door.person(), await door.person()]
    await door.scan({ badge: online.badge, sessionId: second, at: doorTime('10:10'), deviceName: 'Room 2', nonce: 'n1' })
    const file = [
      { badge: online.badge, sessionId: first, at: doorTime('09:10') },
      { badge: offline.badge, sessionId: first, at: doorTime('09:10') },
      { badge: offline.badge, sessionId: second, at: doorTime('10:10') },
    ]
    expect(await load(file)).toMatchObject({ imported: 3, conflicts: [] })
    const read = async () => {
      const { people } = await olga.call('list_attendance', { eventCode: home.eventCode, sessionId: first, presence: 'left' })
      const { bySession } = await olga.call('get_onsite_summary', { eventCode: home.eventCode })
      const find = ({ id }: { id: string }) => people.find((one: any) => one.participant.id === id)
      return [
        ...[online, offline].map((person) => [find(person).minutes, find(person).assumedMinutes]),
        bySession.map((one: any) => one.inside),
      ]
    }
    expect(await read()).toEqual([
      [0, 60],
      [0, 60],
      [0, 2],
    ])
    expect(await load(file)).toMatchObject({ imported: 0, duplicates: 3, conflicts: [] })
    await load([{ badge: online.badge, at: doorTime('08:50') }])
    expect(await read()).toEqual([
      [0, 60],
      [0, 60],
      [0, 2],
    ])
    expect(
      await door.rows(
        'select direction, flag, assumed from attendance_scans where session_id = $1 and participant_id = $2 order by at',
        first,
        online.id,
      ),
    ).toEqual([
      { direction: 'in', flag: null, assumed: false },
      { direction: 'out', flag: null, assumed: true },
    ])
    expect(await violations()).toEqual([])
  })

  it('imports an entry with a former external badge id in another case as the revoked badge that the door finds', async () => {
    const { home, olga, door, load } = await open({})
    const badge = { provider: 'external', delimiter: ';', segmentIndex: 0 }
    await createExhibitorFixtures(world, home).publish({ ...programSections(), badge, onsite: {} } as never)
    const { id } = await door.person({ badge_id: 'B-1009' })
    await olga.call('rotate_badge_id', { eventCode: home.eventCode, participantIds: [id], reason: 'lost', newBadgeIds: { [id]: 'B-2000' } })
    expect(await door.decide({ badge: 'b-1009', at: doorTime('09:00') })).toBe('refused revoked')
    const file = [
      { badge: 'b-1009', at: doorTime('10:00') },
      { badge: 'b-2000', at: doorTime('11:00') },
      { badge: 'b-1010', at: doorTime('10:00') },
    ]
    expect(await load(file)).toMatchObject({
      imported: 2,
      unmatched: [{ row: 3, value: 'b-1010' }],
      conflicts: [{ row: 1, reason: 'revoked', kept: 'imported' }],
    })
    expect(await door.rows('select participant_id from attendance_scans where flag = $1', 'revoked')).toEqual([{ participant_id: id }])
  })

  it('reports the same conflicts if a step of the job runs again', async () => {
    const { home, door } = await open({ reentry: false, gates: [{ code: 'main', name: 'Main', capacity: 1 }] })
    const [p, q, r] = [await door.person(), await door.person({ status: 'cancelled' }), await door.person()]
    await door.scan({ badge: p.badge, at: doorTime('09:10') }, { badge: p.badge, gateCode: 'main', at: doorTime('09:10') })
    const lines = [
      { badge: p.badge, at: doorTime('09:05'), nonce: 'a' },
      { badge: q.badge, at: doorTime('09:20') },
      { badge: p.badge, at: doorTime('09:30') },
      { badge: r.badge, gateCode: 'main', at: doorTime('09:40') },
      { badge: r.badge, gateCode: 'main', at: doorTime('09:50') },
      { badge: r.badge, gateCode: 'main', at: doorTime('09:50') },
    ]
    const rows = lines.map((line, n) => ({ direction: 'in', deviceName: 'Handheld', ...line, row: n + 1 }))
    const job = {
      name: 'import-attendance',
      tenantId: home.tenantId,
      clientId: home.clientId,
      eventId: home.eventId,
      startedBy: { id: 'a'.repeat(24), name: 'Olga' },
    }
    const run = async (importId: string) => {
      const counts = await runBackgroundJobStep(world.services, job as never, async (ctx) =>
        importScans(ctx as DoorScanContext, await readDoorRules(ctx as DoorScanContext), rows, { timezone: 'UTC', importId }),
      )
      return { ...counts, conflicts: counts.conflicts.toSorted((a, b) => a.row - b.row) }
    }
    const first = await run('job')
    expect(first).toMatchObject({
      imported: 5,
      duplicates: 1,
      conflicts: [
        { row: 1, reason: 'second_entry', kept: 'imported' },
        { row: 2, reason: 'cancelled', kept: 'imported' },
        { row: 3, reason: 'second_entry', kept: 'imported' },
        { row: 4, reason: 'full', kept: 'imported' },
        { row: 5, reason: 'second_entry', kept: 'imported' },
      ],
    })
    expect(await run('job')).toEqual(first)
    expect(await run('other')).toMatchObject({ imported: 0, duplicates: 6, conflicts: [] })
  })

  it('flags an imported entry at a gate or room that was full at the time of the entry', async () => {
    const { door, load, violations } = await open({ gates: [{ code: 'main', name: 'Main', capacity: 1 }] })
    const sessionId = await door.session({ from: '2027-03-02T09:00', until: '2027-03-02T11:00', capacity: 2 })
    const [ada, bob, eva, kim] = [await door.person(), await door.person(), await door.person(), await door.person()]
    await door.scan({ badge: ada.badge, gateCode: 'main', at: doorTime('09:00') })
    const main = (badge: string, time: string, direction = 'in') => ({ badge, gateCode: 'main', at: doorTime(time), direction })
    expect((await load([main(bob.badge, '08:30'), main(bob.badge, '08:50', 'out'), main(bob.badge, '09:10')])).conflicts).toEqual([
      { row: 3, reason: 'full', kept: 'imported' },
    ])
    expect(
      (await load([main(ada.badge, '09:20', 'out'), main(bob.badge, '09:20', 'out'), main(eva.badge, '09:20'), main(kim.badge, '09:21')]))
        .conflicts,
    ).toEqual([{ row: 4, reason: 'full', kept: 'imported' }])
    const room = (badge: string, time: string) => ({ badge, sessionId, at: doorTime(time) })
    expect((await load([room(ada.badge, '09:32'), room(bob.badge, '09:30'), room(kim.badge, '09:31')])).conflicts).toEqual([
      { row: 1, reason: 'full', kept: 'imported' },
    ])
    expect(await violations()).toEqual([])
  })

  it('removes the flag of a stored scan that a later file explains, and names the scan that it now repeats', async () => {
    const { door, load, violations } = await open({ reentry: false, gates: [{ code: 'main', name: 'Main' }] })
    const person = await door.person()
    const scan = (time: string, direction = 'in') => ({ badge: person.badge, gateCode: 'main', at: doorTime(time), direction })
    const read = async () => {
      const rows = await door.rows<{ id: string; flag: string | null; duplicate_of: string | null }>(
        'select id, flag, duplicate_of from attendance_scans where participant_id = $1 order by at',
        person.id,
      )
      return rows.map(({ flag, duplicate_of }) => [flag, rows.findIndex(({ id }) => id === duplicate_of)])
    }
    await load([scan('09:00'), scan('11:00')])
    expect(await read()).toEqual([
      [null, -1],
      ['second_entry', 0],
    ])
    expect(await load([scan('10:00', 'out')])).toMatchObject({ imported: 1, conflicts: [] })
    expect(await read()).toEqual([
      [null, -1],
      [null, -1],
      [null, -1],
    ])
    expect((await load([scan('10:30')])).conflicts).toEqual([{ row: 1, reason: 'second_entry', kept: 'imported' }])
    expect((await load([scan('10:15')])).conflicts).toEqual([{ row: 1, reason: 'second_entry', kept: 'imported' }])
    expect(await read()).toEqual([
      [null, -1],
      [null, -1],
      [null, -1],
      ['second_entry', 2],
      ['second_entry', 2],
    ])
    expect(await violations()).toEqual([])
  })

  it('counts attendance correctly if online and offline scans contain the same people', async () => {
    const { door, load, summary, violations } = await open({ reentry: false })
    const made = async (count: number, columns = {}) => {
      const people: { badge: string }[] = []
      for (let n = 0; n < count; n++) people.push(await door.person(columns))
      return people
    }
    const [complete, cancelled] = [await made(100), await made(2, { status: 'cancelled' })]
    await door.scan(...complete.slice(0, 90).map(({ badge }) => ({ badge, at: doorTime('09:30') })))
    const file = [...complete.slice(0, 15), ...complete.slice(90, 98), ...cancelled].map(({ badge }, n) => ({
      badge,
      at: doorTime('09:20'),
      nonce: `s${n}`,
    }))
    const answer = await load(file)
    expect(answer).toMatchObject({ imported: 25, duplicates: 0, conflictCount: 17 })
    expect(Map.groupBy(answer.conflicts, ({ reason }: { reason: string }) => reason).get('second_entry')).toHaveLength(15)
    expect(await summary()).toMatchObject({ expected: 100, checkedIn: 98, notYet: 2, enteredNotComplete: 2, insideNow: 98 })
    expect(await load(file)).toMatchObject({ imported: 0, duplicates: 25 })
    expect(await violations()).toEqual([])
  })

  it('imports more than 5,000 scans in a job with progress, and counts the same rows once if the job runs again', async () => {
    const { home, olga, door, violations } = await open({ gates: [{ code: 'main', name: 'Main' }], duplicateSeconds: 0 })
    const { badge } = await door.person()
    const lines = Array.from({ length: 5100 }, (_, n) => {
      const at = new Date(Date.parse(doorTime('06:00')) + n * 5000).toISOString()
      return [badge, at, n % 2 === 0 ? 'IN' : 'OUT', 'main', 'Handheld', `n${n}`].join(',')
    })
    const csv = ['badge,time,direction,gate,device,nonce', ...lines].join('\n')
    const { id: fileId } = await createUploadFixtures(world, home).file(
      Buffer.from(csv),
      { name: 'scans.csv' },
      { clientId: home.clientId },
    )
    const { jobId, status } = await olga.call('import_attendance', { eventCode: home.eventCode, fileId })
    expect(status).toBe('queued')
    const read = () => olga.call('import_attendance', { eventCode: home.eventCode, jobId })
    expect(await read()).toMatchObject({ jobId, status: 'queued' })
    const run = () => createJobRunner(world.services)(importAttendanceJob as Job, { tenantId: home.tenantId, jobId })
    await run()
    expect(await read()).toMatchObject({ status: 'done', progress: { done: 5100, total: 5100 }, rows: 5100, imported: 5100, conflicts: [] })
    await world.database.pool.query(`update jobs set status = 'queued', lease_until = null where id = $1`, [jobId])
    await run()
    expect(await read()).toMatchObject({ status: 'done', imported: 5100, duplicates: 0 })
    expect(await door.rows('select 1 from attendance_scans where gate_code = $1 and import_id = $2', 'main', jobId)).toHaveLength(5100)
    expect(await violations()).toEqual([])
  })
})
