import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DOOR_EVENT, createDoorFixtures } from '../../../../test/support/door.ts'
import { chooseForSoak, soakSeed } from '../../../../test/support/soak.ts'
import { type EventHandle, newWorld, type World } from '../../../../test/support/world.ts'
import { toDayInZone, endOfDay } from '../../../kernel/time.ts'
import {
  buildIgnoredScanCountsSql,
  buildMinutesPerPersonSql,
  buildOccupancySql,
  buildPresencePeriodsSql,
  buildStaysAndIgnoredScansSql,
} from '../presence.ts'

interface Scan {
  person: number
  direction: 'in' | 'out'
  minute: number
  assumed: boolean
}

const ZONE = 'Europe/Paris'
/** Midnight in Paris, two days before the clocks are set back. */
const START = Date.parse('2026-10-23T22:00:00Z')
const SESSION = { from: START + 10 * 3_600_000, until: START + 12 * 3_600_000 + 30_000 }
const PEOPLE = 3
const atMinute = (minute: number) => START + minute * 60_000 + (minute % 7) * 1000

let world: World
let home: EventHandle
let sessionId: string
let ids: string[]

beforeAll(async () => {
  world = await newWorld()
  home = await world.event({ ...DOOR_EVENT, timezone: ZONE, at: await world.client() })
  const organizer = await world.organizer({ role: 'manager', at: home })
  const door = createDoorFixtures(world, home, organizer)
  await door.rules({})
  sessionId = await door.session()
  await door.rows(
    `update sessions set starts_at = $1, ends_at = $2 where id = $3`,
    new Date(SESSION.from),
    new Date(SESSION.until),
    sessionId,
  )
  ids = []
  for (let n = 0; n < PEOPLE; n++) ids.push((await door.person()).id)
  ids.sort()
})
afterAll(() => world.end())

interface Stay {
  person: string
  from: number
  until: number
  assumed: boolean
}

/** A reference implementation of the presence rules in the specification, one person and place at a time. */
function replay(scans: readonly (Scan & { id: string })[], place: 'room' | 'site') {
  const stays: Stay[] = []
  let [orphans, repeats] = [0, 0]
  const dayOf = (at: number) => toDayInZone(ZONE, new Date(at))
  const groups = Map.groupBy(scans, (scan) => `${scan.person} ${place === 'room' ? '' : dayOf(atMinute(scan.minute))}`)
  for (const own of groups.values()) {
    let entered: number | null = null
    const person = ids[own[0]!.person]!
    const inOrder = own.toSorted(
      (a, b) =>
        atMinute(a.minute) - atMinute(b.minute) || (a.direction === b.direction ? (a.id < b.id ? -1 : 1) : a.direction === 'out' ? -1 : 1),
    )
    for (const { direction, minute, assumed } of inOrder) {
      if (direction === 'in' && entered === null) entered = atMinute(minute)
      else if (direction === 'in') repeats++
      else if (entered === null) orphans++
      else {
        stays.push({ person, from: entered, until: atMinute(minute), assumed })
        entered = null
      }
    }
    if (entered !== null)
      stays.push({
        person,
        from: entered,
        until: place === 'room' ? Math.max(entered, SESSION.until) : endOfDay(ZONE, dayOf(entered)).getTime(),
        assumed: true,
      })
  }
  return { stays, orphans, repeats }
}

function minutesOf(stays: readonly Stay[], place: 'room' | 'site') {
  const spent = ({ from, until }: Stay) =>
    place === 'room' ? Math.max(0, Math.min(until, SESSION.until) - Math.max(from, SESSION.from)) : until - from
  return ids.flatMap((person) => {
    const own = stays.filter((stay) => stay.person === person)
    const total = (assumed: boolean) =>
      Math.floor(own.filter((stay) => stay.assumed === assumed).reduce((sum, stay) => sum + spent(stay), 0) / 60_000)
    return own.length === 0 ? [] : [{ person, minutes: total(false), assumed: total(true) }]
  })
}

/** Returns the largest number of people inside at the start of any stay, and the earliest such time. */
function peakOf(stays: readonly Stay[]) {
  let peak = { inside: 0, at: 0 }
  for (const at of stays.map(({ from }) => from).toSorted((a, b) => a - b)) {
    const inside = stays.filter(({ from, until }) => from <= at && at < until).length
    if (inside > peak.inside) peak = { inside, at }
  }
  return peak.inside === 0 ? [] : [peak]
}

const PLACES = ['event', 'gate', 'room'] as const

const scanned = fc.record({
  person: fc.nat({ max: PEOPLE - 1 }),
  place: fc.constantFrom(...PLACES),
  direction: fc.constantFrom('in' as const, 'out' as const),
  // Random scan times within two days around the change to winter time, mostly near the session.
  minute: fc.oneof(fc.integer({ min: 580, max: 740 }), fc.integer({ min: 0, max: 2900 })),
  assumed: fc.boolean(),
})

const scope = () => ({ tenantId: home.tenantId, event: { id: home.eventId, timezone: ZONE } })
const EVERYTHING = sql<boolean>`true`

/** SQL subquery that returns stays and ignored scans together. */
const staysAndIgnored = (places: 'site' | 'room', where = EVERYTHING) => sql`(${buildStaysAndIgnoredScansSql(scope(), { places, where })})`
const IGNORED = sql`count(*) filter (where f.ignored and f.direction = 'out')::int as orphans,
  count(*) filter (where f.ignored and f.direction = 'in')::int as repeats`

/** Stores random scans of several places, and reads rows of statements over them. */
const forRandomScans = (
  test: (scans: (Scan & { place: string; id: string })[], read: (query: unknown) => Promise<unknown[]>) => Promise<void>,
) =>
  fc.assert(
    fc.asyncProperty(fc.array(scanned, { maxLength: 14 }), async (given) => {
      await world.database.transact(async (db) => {
        const scans = given.map((scan, n) => ({
          ...scan,
          assumed: scan.direction === 'out' && scan.assumed,
          id: String(n).padStart(24, '0'),
        }))
        await sql`delete from attendance_scans s where s.tenant_id = ${home.tenantId} and s.event_id = ${home.eventId}`.execute(db)
        for (const { id, person, place, direction, minute, assumed } of scans)
          await sql`insert into attendance_scans (tenant_id, event_id, id, participant_id, scope, gate_code, session_id, direction, at, method, result, assumed)
            values (${home.tenantId}, ${home.eventId}, ${id}, ${ids[person]}, ${place === 'room' ? 'session' : place}, ${place === 'gate' ? 'main' : null},
              ${place === 'room' ? sessionId : null}, ${direction}, ${new Date(atMinute(minute))}, 'import', 'accepted', ${assumed})`.execute(
            db,
          )
        await test(scans, async (query) => (await (query as ReturnType<typeof sql>).execute(db)).rows as unknown[])
      })
    }),
    { numRuns: chooseForSoak(2000, 100), seed: soakSeed(27), endOnFailure: true },
  )

it.each(['room', 'site'] as const)('computes the same stays, minutes and peak of a %s in SQL as a replay of the scans', async (kind) => {
  await forRandomScans(async (all, read) => {
    const { stays: expected } = replay(
      all.filter(({ place }) => (place === 'room') === (kind === 'room')),
      kind,
    )
    const roomScans = kind === 'room' ? sql<boolean>`s.scope = 'session'` : EVERYTHING
    const statements = [
      sql`(${buildPresencePeriodsSql(scope(), { places: kind })})`,
      sql`(select * from ${staysAndIgnored(kind, roomScans)} f where f.is_stay)`,
    ]
    for (const stays of statements) {
      expect(
        await read(sql`select m.person, m.minutes, m.assumed from (${buildMinutesPerPersonSql(stays, sql`'all'`)}) m order by 1`),
      ).toEqual(minutesOf(expected, kind))
      const peaks = await read(
        sql`select o.inside, o.at from (${buildOccupancySql(stays, sql`'all'`)}) o where o.inside > 0 order by o.inside desc, o.at limit 1`,
      )
      expect(peaks).toEqual(peakOf(expected).map(({ inside, at }) => ({ inside, at: new Date(at) })))
    }
  })
})

it('counts exits without an entry and repeated entries, like a replay of all scans at each door and in each room', async () => {
  await forRandomScans(async (all, read) => {
    const places = PLACES.map((name) =>
      replay(
        all.filter(({ place }) => place === name),
        name === 'room' ? 'room' : 'site',
      ),
    )
    const sum = (of: (place: ReturnType<typeof replay>) => number) => places.reduce((total, place) => total + of(place), 0)
    const expected = [{ orphans: sum(({ orphans }) => orphans), repeats: sum(({ repeats }) => repeats) }]
    expect(await read(buildIgnoredScanCountsSql(scope(), EVERYTHING))).toEqual(expected)
    expect(await read(sql`select ${IGNORED} from ${staysAndIgnored('site')} f`)).toEqual(expected)
    const { orphans, repeats } = places[PLACES.indexOf('room')]!
    expect(await read(sql`select ${IGNORED} from ${staysAndIgnored('room', sql<boolean>`s.scope = 'session'`)} f`)).toEqual([
      { orphans, repeats },
    ])
  })
})
