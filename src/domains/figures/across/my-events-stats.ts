import { sql } from 'kysely'
import type { Db } from '../../../kernel/columns.ts'
import type { AccountContext } from '../../../kernel/context.ts'
import { invalidArguments } from '../../../kernel/errors.ts'
import { toMoney } from '../../../kernel/money.ts'
import { paginateSorted } from '../../../kernel/page.ts'
import { addDays, toDayInZone, daysBetween, endOfDay } from '../../../kernel/time.ts'
import type { EventFilter } from '../../tenancy/events.ts'
import { listPermittedEvents, type PermittedEvent } from '../../tenancy/my-events.ts'
import { readSnapshotTime } from '../query/snapshot.ts'
import { roundPercent } from '../query/values.ts'
import { runWithCrossEventQueryLimit, openQuerySnapshot } from '../query/limit-queries.ts'
import { convertTotals } from './convert-totals.ts'
import { MAX_QUERIED_EVENTS, refuseReportingCurrency } from './query-across-events.ts'

/** The maximum number of events among which previous editions are searched. */
const MAX_EDITIONS = 20_000

export const EVENT_STATS_SORT_KEYS = ['startsOn', 'complete', 'net', 'fill'] as const

export interface EventStatsRequest {
  clientCode?: string | undefined
  status: readonly PermittedEvent['status'][]
  from?: string | undefined
  until?: string | undefined
  search?: string | undefined
  sort: (typeof EVENT_STATS_SORT_KEYS)[number]
  currency: 'per' | 'convert'
  reportingCurrency?: string | undefined
  limit: number
  cursor?: string | undefined
}

/** The key figures of one event, such as the number of registrations, as summed by the database. */
interface Figures {
  eventId: string
  complete: number
  incomplete: number
  waitlisted: number
  cancelled: number
  capacity: number | null
  overage: number
  taken: number
  net: number
  total: number
  owed: number
  attended: number
  last7Days: number
  previous7Days: number
}

/** Lists the key figures of each event that the caller can read, calculated as in the summary of a single event. */
export async function getMyEventsStats(ctx: AccountContext, request: EventStatsRequest) {
  const { clientCode, status, from, until, search } = request
  if (request.currency === 'per') refuseReportingCurrency(request)
  const marked = { status, from, until, search } as EventFilter
  // Previous editions of events are searched among all events, because they are often archived or before the requested period.
  const editions = await listPermittedEvents(ctx, { clientCode }, MAX_EDITIONS, marked)
  const matching =
    editions.length > MAX_EDITIONS
      ? await listPermittedEvents(ctx, { clientCode, ...marked }, MAX_QUERIED_EVENTS)
      : editions.filter(({ isMatch }) => isMatch)
  if (matching.length > MAX_QUERIED_EVENTS)
    throw invalidArguments([{ path: 'from', message: `matches more than ${MAX_QUERIED_EVENTS} events: narrow it` }])
  const mayRead = ({ permissions }: PermittedEvent) => permissions.has('reports.read')
  const events = matching.filter(mayRead)
  return runWithCrossEventQueryLimit(ctx, () =>
    openQuerySnapshot(ctx, { tenantId: ctx.tenantId, eventId: null, timeoutMs: ctx.queryLimits.timeoutMs, within: ctx.db }, async (db) => {
      const now = await readSnapshotTime(db)
      const figures = await readFigures(db, ctx.tenantId, events)
      const todayIn = remember((timezone) => toDayInZone(timezone, now))
      const paces = await readPaces(db, ctx, { events, editions: editions.filter(mayRead), todayIn })
      const rows = events.map((event) => toRow(event, figures.get(event.id)!, paces.get(event.id), todayIn(event.timezone)))
      const { items, ...page } = paginateSorted(ctx, request, {
        rows,
        keyOf: (row) => [SORT_VALUES[request.sort](row), row.eventCode, row.clientCode],
        compare: (a, b) => compareAll(a, b),
        shape: ({ minor: _minor, hasEnded: _hasEnded, ...row }) => row,
      })
      return { events: items, totals: await sumUp(db, rows, request), asOf: now.toISOString(), ...page }
    }),
  )
}

type Row = ReturnType<typeof toRow>

/** Value by which an event is sorted: dates in ascending order, numbers and amounts in descending order. */
const SORT_VALUES: Record<EventStatsRequest['sort'], (row: Row) => string | number> = {
  startsOn: ({ startsOn }) => startsOn,
  complete: ({ complete }) => -(complete ?? -1),
  net: ({ minor }) => -(minor?.net ?? -1),
  fill: ({ fill }) => -(fill ?? -1),
}

function compareAll(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (const [i, value] of a.entries()) if (value !== b[i]) return value < b[i]! ? -1 : 1
  return 0
}

/**
 * Caches the results of a function by key. Thousands of events have few different time zones and days, and converting each of them would
 * dominate the time.
 */
function remember<T>(compute: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>()
  return (key) => {
    const found = known.get(key) ?? compute(key)
    known.set(key, found)
    return found
  }
}

/** Reads the key figures of all events in one statement, from the same stored sums as the summary of a single event. */
async function readFigures(db: Db, tenantId: number, events: readonly PermittedEvent[]): Promise<Map<string, Figures>> {
  /*
   * Most subqueries join the event ids as a table, because planning a list of thousands of ids takes longer than reading the sums. The
   * subquery over all participants uses the list, because PostgreSQL does not run a join with that table in parallel.
   */
  const ids = events.map(({ id }) => id)
  const { rows } = await sql<Figures>`
    with mine as materialized (select m.id from unnest(${ids}::text[]) m(id))
    select e.id as "eventId", coalesce(p.complete, 0)::int as complete, coalesce(p.incomplete, 0)::int as incomplete,
      coalesce(p.waitlisted, 0)::int as waitlisted, coalesce(p.cancelled, 0)::int as cancelled, i.capacity, coalesce(i.overage, 0) as overage,
      coalesce(i.held + i.sold, 0) as taken, coalesce(m.net, 0)::bigint as net, coalesce(m.total, 0)::bigint as total,
      coalesce(m.owed, 0)::bigint as owed, coalesce(a.attended, 0)::int as attended, coalesce(w.last, 0)::int as "last7Days",
      coalesce(w.previous, 0)::int as "previous7Days"
    from events e
    join mine on mine.id = e.id
    left join (select f.event_id, sum(f.people) filter (where f.status = 'complete') as complete,
        sum(f.people) filter (where f.status = 'incomplete') as incomplete, sum(f.people) filter (where f.status = 'waitlisted') as waitlisted,
        sum(f.people) filter (where f.status = 'cancelled') as cancelled
      from people_figures f join mine on mine.id = f.event_id where f.tenant_id = ${tenantId} and not f.is_test_data group by 1) p on p.event_id = e.id
    left join (select f.event_id, sum(f.net) filter (where f.origin = 'line') as net, sum(f.total) filter (where f.origin = 'line') as total,
        sum(f.total) filter (where f.origin = 'entry' and not f.unapplied) as owed
      from money_figures f join mine on mine.id = f.event_id where f.tenant_id = ${tenantId} and not f.is_test_data group by 1) m on m.event_id = e.id
    left join (select r.event_id, count(*) as attended from attendance_people r
      join participants q on q.tenant_id = r.tenant_id and q.event_id = r.event_id and q.id = r.participant_id
      where r.tenant_id = ${tenantId} and r.event_id = any(${ids}::text[]) and r.checked_in_at is not null and q.status = 'complete'
        and not q.is_test_data group by 1) a on a.event_id = e.id
    left join (select q.event_id, count(*) filter (where q.completed_at > lanyard_now() - interval '7 days') as last,
        count(*) filter (where q.completed_at <= lanyard_now() - interval '7 days') as previous
      from participants q join mine on mine.id = q.event_id where q.tenant_id = ${tenantId} and q.completed_at > lanyard_now() - interval '14 days'
        and not q.is_test_data and q.status in ('complete', 'cancelled') group by 1) w on w.event_id = e.id
    left join inventory i on i.tenant_id = e.tenant_id and i.event_id = e.id and i.key = 'event'
    where e.tenant_id = ${tenantId}`.execute(db)
  return new Map(rows.map((row) => [row.eventId, row]))
}

interface Pace {
  eventCode: string
  other: number
  otherFinal: number
}

/** Returns an event code without its digits: summit-2026 and summit-2027 are editions of one event. */
const stemOf = (code: string) => code.replaceAll(/\d+/g, '')

/** Finds the last event that starts before a day, in a list that is sorted by start. */
function findLastBefore(events: readonly PermittedEvent[], day: string): PermittedEvent | undefined {
  let [first, end] = [0, events.length]
  while (first < end) {
    const middle = (first + end) >> 1
    if (events[middle]!.startsOn < day) first = middle + 1
    else end = middle
  }
  return events[first - 1]
}

/** Reads how many registrations the previous edition of each event had completed at the same number of days before its start. */
async function readPaces(
  db: Db,
  { tenantId }: AccountContext,
  {
    events,
    editions,
    todayIn,
  }: { events: readonly PermittedEvent[]; editions: readonly PermittedEvent[]; todayIn: (timezone: string) => string },
): Promise<Map<string, Pace>> {
  const ends = remember((timezone) => remember((day) => endOfDay(timezone, day)))
  const editionsOf = ({ clientId, code }: PermittedEvent) => `${clientId} ${stemOf(code)}`
  const byName = Map.groupBy(editions, editionsOf)
  const pairs = events.flatMap((event) => {
    const previous = findLastBefore(byName.get(editionsOf(event)) ?? [], event.startsOn)
    if (!previous || !event.permissions.has('registration.read') || !previous.permissions.has('registration.read')) return []
    const daysBefore = daysBetween(todayIn(event.timezone), event.startsOn)
    return [{ event, previous, until: ends(previous.timezone)(addDays(previous.startsOn, -daysBefore)) }]
  })
  if (pairs.length === 0) return new Map()
  const { rows } = await sql<{ id: string; code: string; other: number; final: number }>`
    select w.id, w.code, (select count(*) from participants p where p.tenant_id = ${tenantId} and p.event_id = w.previous and not p.is_test_data
        and p.completed_at < w.until and p.status in ('complete', 'cancelled') and (p.status = 'complete' or p.cancelled_at >= w.until))::int as other,
      (select coalesce(sum(f.people), 0) from people_figures f where f.tenant_id = ${tenantId} and f.event_id = w.previous and not f.is_test_data
        and f.status = 'complete')::int as final
    from unnest(${pairs.map(({ event }) => event.id)}::text[], ${pairs.map(({ previous }) => previous.code)}::text[],
      ${pairs.map(({ previous }) => previous.id)}::text[], ${pairs.map(({ until }) => until.toISOString())}::timestamptz[]) as w(id, code, previous, until)`.execute(
    db,
  )
  return new Map(rows.map(({ id, code, other, final }) => [id, { eventCode: code, other, otherFinal: final }]))
}

function toRow(event: PermittedEvent, figures: Figures, pace: Pace | undefined, today: string) {
  const { permissions, currency } = event
  const people = permissions.has('registration.read')
  const doors = permissions.has('onsite.read')
  const places = figures.capacity === null ? null : figures.capacity + figures.overage
  const money = (minor: number) => (people ? toMoney(minor, currency) : null)
  const { complete, incomplete, waitlisted, cancelled, attended } = figures
  const withheld = [...(people ? [] : ['registration']), ...(doors ? [] : ['onsite'])]
  return {
    eventCode: event.code,
    clientCode: event.clientCode,
    name: event.name,
    startsOn: event.startsOn,
    daysToStart: daysBetween(today, event.startsOn),
    status: event.status,
    currency,
    complete: people ? complete : null,
    incomplete: people ? incomplete : null,
    waitlisted: people ? waitlisted : null,
    cancelled: people ? cancelled : null,
    capacity: people ? figures.capacity : null,
    fill: people && places ? roundPercent((100 * figures.taken) / places) : null,
    net: money(figures.net),
    total: money(figures.total),
    owed: money(figures.owed),
    attended: doors ? attended : null,
    showRate: doors && complete > 0 ? roundPercent((100 * attended) / complete) : null,
    last7Days: people ? figures.last7Days : null,
    previous7Days: people ? figures.previous7Days : null,
    ...(people && pace ? { pace } : {}),
    ...(withheld.length > 0 ? { withheld } : {}),
    /** The amounts of the event in minor units, for the totals over all events. They are removed from the result. */
    minor: people ? { net: figures.net, total: figures.total, owed: figures.owed } : null,
    hasEnded: today > event.endsOn,
  }
}

/** Sums the key figures of all matching events, also of those on other pages. */
async function sumUp(db: Db, rows: readonly Row[], request: EventStatsRequest) {
  const sum = (of: (row: Row) => number | null) => rows.reduce((total, row) => total + (of(row) ?? 0), 0)
  const ended = rows.filter(({ hasEnded, attended, complete }) => hasEnded && attended !== null && complete !== null)
  const expected = ended.reduce((total, { complete }) => total + complete!, 0)
  const byCurrency = Map.groupBy(
    rows.filter(({ minor }) => minor !== null),
    ({ currency }) => currency,
  )
  const amounts = [...byCurrency]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, own]) => {
      const add = (key: 'net' | 'total' | 'owed') => own.reduce((total, { minor }) => total + minor![key], 0)
      return { currency, net: add('net'), total: add('total'), owed: add('owed') }
    })
  const shown = request.currency === 'convert' ? await convertTotals(db, amounts, request.reportingCurrency) : amounts
  return {
    events: rows.length,
    complete: sum(({ complete }) => complete),
    incomplete: sum(({ incomplete }) => incomplete),
    waitlisted: sum(({ waitlisted }) => waitlisted),
    cancelled: sum(({ cancelled }) => cancelled),
    attended: sum(({ attended }) => attended),
    showRate: expected === 0 ? null : roundPercent((100 * ended.reduce((total, { attended }) => total + attended!, 0)) / expected),
    last7Days: sum(({ last7Days }) => last7Days),
    previous7Days: sum(({ previous7Days }) => previous7Days),
    money: shown.map(({ currency, net, total, owed }) => ({
      currency,
      net: toMoney(net, currency),
      total: toMoney(total, currency),
      owed: toMoney(owed, currency),
    })),
  }
}
