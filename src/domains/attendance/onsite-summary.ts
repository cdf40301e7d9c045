import { type RawBuilder, sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { endOfDay, formatInstant, startOfDay } from '../../kernel/time.ts'
import { type DoorRules, readDoorRules } from './door-rules.ts'
import type { DoorScanResult, ScanScope } from './tables.ts'

interface SummaryRequest {
  day?: string | undefined
  scope?: ScanScope | undefined
  bucketMinutes: number
}

/** The number of scans of one gate, direction, result and reason in five minutes. */
interface Figure {
  from: Date
  scope: ScanScope
  gateCode: string
  direction: 'in' | 'out'
  result: DoorScanResult
  reason: string
  overridden: boolean
  scans: number
}

/** The first and last instant of the requested days; null if there is no bound. */
export interface ScanPeriod {
  from: Date | null
  until: Date | null
}

const MAX_BUCKETS = 100
const MAX_SESSIONS = 50
const MAX_DEVICES = 25

/**
 * Returns live figures of the doors. Scan counts come from stored five-minute figures, so that the query cost does not grow with the number
 * of scans.
 */
export async function getOnsiteSummary(ctx: EventContext, { day, scope, bucketMinutes }: SummaryRequest) {
  const rules = await readDoorRules(ctx)
  const { timezone, endsOn, now } = rules.facts
  const period: ScanPeriod =
    day === undefined ? { from: null, until: null } : { from: startOfDay(timezone, day), until: endOfDay(timezone, day) }
  const figures = await readFigures(ctx, period, scope)
  const count = (wanted: (one: Figure) => boolean) => figures.reduce((sum, one) => sum + (wanted(one) ? one.scans : 0), 0)
  const people = await countExpectedAndEnteredPeople(ctx, period, scope)
  const missing = people.expected - people.checkedIn
  const isOver = now >= endOfDay(timezone, endsOn)
  return {
    expected: people.expected,
    checkedIn: people.checkedIn,
    notYet: isOver ? 0 : missing,
    insideNow: people.inside,
    checkedOut: people.checkedIn - people.inside,
    noShow: isOver ? missing : 0,
    enteredNotComplete: people.notComplete,
    byGate: scope === 'session' ? [] : await countGates(ctx, rules, figures, scope),
    bySession: scope === undefined || scope === 'session' ? await countSessions(ctx, rules, period) : [],
    byTag: await countTags(ctx, rules, period, scope),
    // The lengths of the curve's time buckets are multiples of five minutes, because scan counts are stored for every five minutes.
    curve: toCurve(figures, Math.ceil(bucketMinutes / 5) * 5),
    refusals: countReasons(figures),
    duplicates: count(({ result }) => result === 'duplicate'),
    overrides: count(({ overridden }) => overridden),
    devices: await listDevices(ctx, period),
  }
}

export function buildScanPeriodCondition(column: RawBuilder<unknown>, { from, until }: ScanPeriod): RawBuilder<boolean> {
  const since = from === null ? sql<boolean>`true` : sql<boolean>`${column} >= ${from}`
  return until === null ? since : sql<boolean>`${since} and ${column} < ${until}`
}

async function readFigures({ db, tenantId, event }: EventContext, period: ScanPeriod, scope?: ScanScope): Promise<Figure[]> {
  const { rows } = await sql<Figure>`
    select f.from_at as from, f.scope, f.gate_code as "gateCode", f.direction, f.result, f.reason, f.overridden, sum(f.scans)::int as scans
    from attendance_figures f where f.tenant_id = ${tenantId} and f.event_id = ${event.id} and ${buildScanPeriodCondition(sql`f.from_at`, period)}
      and (${scope ?? null}::text is null or f.scope = ${scope ?? null})
    group by 1, 2, 3, 4, 5, 6, 7 having sum(f.scans) > 0 order by 1`.execute(db)
  return rows
}

/** SQL condition: the person (alias `p`) has entered the event. The period, scope and conference sessions limit which scans count. */
export function buildHasEnteredCondition(period: ScanPeriod, scope?: ScanScope, sessionIds?: readonly string[]): RawBuilder<boolean> {
  if (period.from === null && period.until === null && scope === undefined && sessionIds === undefined)
    return sql<boolean>`a.checked_in_at is not null`
  return sql<boolean>`a.checked_in_at is not null and exists (select from attendance_scans s where s.tenant_id = p.tenant_id and s.event_id = p.event_id
    and s.participant_id = p.id and s.result = 'accepted' and s.direction = 'in' and ${buildScanPeriodCondition(sql`s.at`, period)}
    and (${scope ?? null}::text is null or s.scope = ${scope ?? null})
    and (${sessionIds ?? null}::text[] is null or s.session_id = any(${sessionIds ?? null}::text[])))`
}

/** SQL: the participants of the event (alias `p`) with their check-in (alias `a`), without test data. */
export const buildPeopleWithCheckInSql = ({ tenantId, event }: EventContext) => sql`participants p
  left join attendance_people a on a.tenant_id = p.tenant_id and a.event_id = p.event_id and a.participant_id = p.id
  where p.tenant_id = ${tenantId} and p.event_id = ${event.id} and not p.is_test_data`

/** Counts the people who are expected and the people who entered. The period, scope and conference sessions limit which scans count. */
export async function countExpectedAndEnteredPeople(
  ctx: EventContext,
  period: ScanPeriod,
  scope?: ScanScope,
  sessionIds?: readonly string[],
) {
  const entered = buildHasEnteredCondition(period, scope, sessionIds)
  const { rows } = await sql<Record<'expected' | 'checkedIn' | 'inside' | 'notComplete', number>>`
    select count(*) filter (where p.status = 'complete')::int as expected,
      count(*) filter (where p.status = 'complete' and ${entered})::int as "checkedIn",
      count(*) filter (where p.status = 'complete' and a.on_site and ${entered})::int as inside,
      count(*) filter (where p.status <> 'complete' and ${entered})::int as "notComplete"
    from ${buildPeopleWithCheckInSql(ctx)} and (p.status = 'complete' or a.participant_id is not null)`.execute(ctx.db)
  return rows[0]!
}

/** Counts expected and checked-in people for each configured tag that at least one person has. */
async function countTags(ctx: EventContext, { config }: DoorRules, period: ScanPeriod, scope?: ScanScope) {
  if (config.tags.length === 0) return []
  const { rows } = await sql<{ tag: string; expected: number; checkedIn: number }>`
    select t.tag, count(*)::int as expected, count(*) filter (where t.entered)::int as "checkedIn"
    from (select unnest(p.tags) as tag, ${buildHasEnteredCondition(period, scope)} as entered from ${buildPeopleWithCheckInSql(ctx)} and p.status = 'complete' and p.tags <> '{}') t
    where t.tag = any(${config.tags.map(({ code }) => code)}) group by 1 order by 2 desc, 1 limit 50`.execute(ctx.db)
  return rows
}

/** Counts the scans of every configured gate, and of the event as a whole under the code `event` if it has scans. */
async function countGates(ctx: EventContext, { config }: DoorRules, figures: readonly Figure[], scope?: ScanScope) {
  const { rows } = await sql<{ key: string; inside: number }>`
    select i.key, i.sold as inside from inventory i
    where i.tenant_id = ${ctx.tenantId} and i.event_id = ${ctx.event.id} and i.key >= 'gate:' and i.key < 'gate;'
    union all
    select 'event', count(*)::int from attendance_presence r
    where r.tenant_id = ${ctx.tenantId} and r.event_id = ${ctx.event.id} and r.place = 'event' and r.inside and not r.is_test_data`.execute(
    ctx.db,
  )
  const inside = new Map(rows.map((row) => [row.key, row.inside]))
  const tally = (mine: readonly Figure[]) => {
    const sum = (wanted: (one: Figure) => boolean) => mine.reduce((total, one) => total + (wanted(one) ? one.scans : 0), 0)
    const accepted = (direction: 'in' | 'out') => sum((one) => one.result === 'accepted' && one.direction === direction)
    return { in: accepted('in'), out: accepted('out'), refused: sum(({ result }) => result === 'refused') }
  }
  const whole = figures.filter((one) => one.scope === 'event')
  const gates = config.onsite.gates.map(({ code, capacity }) => ({
    code,
    ...tally(figures.filter(({ scope: of, gateCode }) => of === 'gate' && gateCode === code)),
    inside: inside.get(`gate:${code}`) ?? 0,
    ...(capacity === null ? {} : { capacity }),
  }))
  return [
    ...(whole.length > 0 ? [{ code: 'event', ...tally(whole), inside: inside.get('event') ?? 0 }] : []),
    ...(scope === 'event' ? [] : gates),
  ]
}

/**
 * Counts people in sessions. If there are too many sessions, those with people inside are kept first, then those nearest in time; the
 * result is in program order.
 */
async function countSessions({ db, tenantId, event }: EventContext, { config }: DoorRules, period: ScanPeriod) {
  const { rows } = await sql<{
    id: string
    title: string
    capacity: number | null
    room: string | null
    enrolled: number
    attended: number
    inside: number
  }>`
    select s.id, s.title, s.capacity, s.room_code as room, coalesce(e.sold, 0) as enrolled, coalesce(i.sold, 0) as inside,
      (select count(*)::int from attendance_presence r where r.tenant_id = s.tenant_id and r.event_id = s.event_id and r.place = 'room:' || s.id
        and r.in_at is not null and not r.is_test_data) as attended
    from (select s.*, coalesce(i.sold, 0) as people from sessions s
      left join inventory i on i.tenant_id = s.tenant_id and i.event_id = s.event_id and i.key = 'room:' || s.id
      where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.status = 'scheduled' and ${buildScanPeriodCondition(sql`s.starts_at`, period)}
      order by coalesce(i.sold, 0) > 0 desc, abs(extract(epoch from s.starts_at - lanyard_now())), s.id limit ${MAX_SESSIONS}) s
    left join inventory e on e.tenant_id = s.tenant_id and e.event_id = s.event_id and e.key = 'session:' || s.id
    left join inventory i on i.tenant_id = s.tenant_id and i.event_id = s.event_id and i.key = 'room:' || s.id
    order by s.starts_at, s.id`.execute(db)
  return rows.map(({ room, capacity: seats, ...session }) => {
    const roomSize = config.sessions.rooms.find(({ code }) => code === room)?.capacity ?? null
    const sizes = [seats, roomSize].filter((size) => size !== null)
    const capacity = sizes.length > 0 ? Math.min(...sizes) : undefined
    const fill = capacity ? { fill: Math.round((session.inside * 1000) / capacity) / 10 } : {}
    return { ...session, ...(capacity === undefined ? {} : { capacity }), ...fill }
  })
}

/** Builds the curve of accepted scans over time. Neighbouring buckets are merged until the curve fits into the result. */
function toCurve(figures: readonly Figure[], bucketMinutes: number) {
  const accepted = figures.filter(({ result }) => result === 'accepted')
  for (let minutes = bucketMinutes; ; minutes *= 2) {
    const buckets = new Map<number, { in: number; out: number }>()
    for (const { from, direction, scans } of accepted) {
      const start = Math.floor(from.getTime() / (minutes * 60_000)) * minutes * 60_000
      const bucket = buckets.get(start) ?? { in: 0, out: 0 }
      bucket[direction] += scans
      buckets.set(start, bucket)
    }
    if (buckets.size <= MAX_BUCKETS)
      return [...buckets].toSorted(([a], [b]) => a - b).map(([start, counts]) => ({ from: formatInstant(new Date(start)), ...counts }))
  }
}

function countReasons(figures: readonly Figure[]): Record<string, number> {
  const reasons: Record<string, number> = {}
  for (const { result, reason, scans } of figures) if (result === 'refused') reasons[reason] = (reasons[reason] ?? 0) + scans
  return reasons
}

/** Lists the devices with the most recent scans. The query jumps from device to device in the index instead of reading every scan. */
async function listDevices({ db, tenantId, event }: EventContext, period: ScanPeriod) {
  const { rows } = await sql<{ name: string; at: Date }>`
    with recursive d as (
      (select s.device_name from attendance_scans s where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.device_name is not null
        and not s.is_test_data order by s.device_name limit 1)
      union all
      select n.device_name from d cross join lateral (select s.device_name from attendance_scans s where s.tenant_id = ${tenantId}
        and s.event_id = ${event.id} and s.device_name > d.device_name and not s.is_test_data order by s.device_name limit 1) n)
    select d.device_name as name, l.at from d cross join lateral (select s.at from attendance_scans s where s.tenant_id = ${tenantId}
      and s.event_id = ${event.id} and s.device_name = d.device_name and not s.is_test_data and ${buildScanPeriodCondition(sql`s.at`, period)}
      order by s.at desc limit 1) l
    order by l.at desc, d.device_name limit ${MAX_DEVICES}`.execute(db)
  return rows.map(({ name, at }) => ({ name, lastScanAt: formatInstant(at) }))
}
