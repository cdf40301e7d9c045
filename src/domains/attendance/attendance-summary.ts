import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { AppError, invalidArguments, notFound } from '../../kernel/errors.ts'
import { endOfDay, formatInstant, startOfDay, toWallTimeInZone } from '../../kernel/time.ts'
import {
  type AttendanceGroupFigures,
  countAttendeesByGroup,
  countAttendanceByScanGroup,
  type IgnoredScanCounts,
  readStayAndOccupancyFigures,
  buildScanGroupingSql,
  toAttendancePercent,
  toAverageMinutesAndPeak,
} from './attendance-groups.ts'
import { type AttendanceScanFilter, buildScanFilterCondition } from './attendance-selection.ts'
import { countAttendanceBySession, countAttendanceByTrack } from './attendance-sessions.ts'
import { type DoorRules, listExistingSessionIds } from './door-rules.ts'
import { countExpectedAndEnteredPeople, buildScanPeriodCondition } from './onsite-summary.ts'
import { buildIgnoredScanCountsSql, isCountedScan } from './presence.ts'
import type { ScanScope } from './tables.ts'

export const ATTENDANCE_GROUPINGS = ['event', 'day', 'hour', 'gate', 'session', 'track', 'flow', 'tag', 'profile'] as const
type GroupKind = (typeof ATTENDANCE_GROUPINGS)[number]

export interface AttendanceSummaryRequest {
  by: GroupKind
  sessionIds?: readonly string[] | undefined
  from?: string | undefined
  until?: string | undefined
  scope?: ScanScope | undefined
  includeOccupancy: boolean
}

/** The door rules and the audience profiles that are needed to calculate an attendance summary. */
export interface AttendanceSummaryInputs {
  rules: Pick<DoorRules, 'config' | 'facts'>
  /** A function that counts attendance by audience profile. The caller passes it in, because profiles belong to another domain. */
  countProfiles: (selection: AttendanceScanFilter) => Promise<AttendanceGroupFigures[]>
}

const MAX_GROUPS = 400
const STEP_MINUTES = 5
const MAX_STEPS = 1000

/** Returns the attendance of the event by the same definitions as get_onsite_summary, with groups and the number of people over time. */
export async function getAttendanceSummary(ctx: EventContext, request: AttendanceSummaryRequest, sources: AttendanceSummaryInputs) {
  const { rules } = sources
  const selection = await readSelection(ctx, request)
  const {
    expected,
    checkedIn: attended,
    notComplete,
  } = await countExpectedAndEnteredPeople(ctx, selection.period, selection.scope, selection.sessionIds)
  const isOver = rules.facts.now >= endOfDay(rules.facts.timezone, rules.facts.endsOn)
  const site =
    request.by === 'event' || request.includeOccupancy
      ? await readStayAndOccupancyFigures(ctx, selection, { maxSteps: request.includeOccupancy ? MAX_STEPS + 1 : null })
      : null
  const groups: AttendanceGroupFigures[] =
    request.by === 'event'
      ? [
          {
            key: 'event',
            label: ctx.event.name,
            expected,
            attended,
            showRate: toAttendancePercent(attended, expected),
            firstArrivals: attended + notComplete,
            ...toAverageMinutesAndPeak(site!),
          },
        ]
      : await listGroups(ctx, sources, request.by, selection)
  return {
    expected,
    attended,
    enteredNotComplete: notComplete,
    ...(isOver ? { noShow: expected - attended } : { notYet: expected - attended }),
    showRate: toAttendancePercent(attended, expected),
    onSite: await countOnSite(ctx, rules),
    ...(await countScans(ctx, selection)),
    ...(site ? { orphans: site.orphans, repeats: site.repeats } : await countIgnored(ctx, selection)),
    groups: groups.slice(0, MAX_GROUPS),
    ...(request.by === 'tag' ? { overlapping: true as const } : {}),
    ...(site?.occupancy ? { occupancy: listOccupancy(site.occupancy) } : {}),
    asOf: formatInstant(rules.facts.now),
    ...(groups.length > MAX_GROUPS
      ? {
          truncated: true as const,
          note: `Only the first ${MAX_GROUPS} of ${groups.length} groups are listed. Pass from, until or sessionIds.`,
        }
      : {}),
  }
}

async function readSelection(
  ctx: EventContext,
  { from, until, scope, sessionIds }: AttendanceSummaryRequest,
): Promise<AttendanceScanFilter> {
  if (from && until && from > until) throw invalidArguments([{ path: 'from', message: `${from} is after until ${until}` }])
  const ids = sessionIds && [...new Set(sessionIds)]
  const known =
    ids &&
    (await listExistingSessionIds(
      ctx,
      ids.map((sessionId) => ({ sessionId })),
    ))
  const unknown = ids?.find((id) => !known?.has(id))
  if (unknown !== undefined) throw notFound(`No session ${unknown} at this event. Use get_onsite_summary to list sessions`)
  const zone = ctx.event.timezone
  return {
    period: { from: from === undefined ? null : startOfDay(zone, from), until: until === undefined ? null : endOfDay(zone, until) },
    scope,
    sessionIds: ids,
  }
}

/** Counts people who completed their registration on or after the first day of the event. */
async function countOnSite({ db, tenantId, event }: EventContext, { facts }: Pick<DoorRules, 'facts'>): Promise<number> {
  const { rows } = await sql<{ people: number }>`
    select count(*)::int as people from participants p where p.tenant_id = ${tenantId} and p.event_id = ${event.id} and not p.is_test_data
      and p.status = 'complete' and p.completed_at >= ${startOfDay(facts.timezone, facts.startsOn)}`.execute(db)
  return rows[0]!.people
}

type ScanCounts = Record<'scans' | 'refused' | 'duplicates', number>

/** Counts scans by result, and reads the times of the first and the last arrival. */
async function countScans(ctx: EventContext, selection: AttendanceScanFilter) {
  const { firstArrival, lastArrival } = await readArrivals(ctx, selection)
  return {
    ...(await countResults(ctx, selection)),
    firstArrival: firstArrival && formatInstant(firstArrival),
    lastArrival: lastArrival && formatInstant(lastArrival),
  }
}

/**
 * Counts scans by result. The counts come from the stored five-minute figures of get_onsite_summary, except for single sessions, whose
 * scans are counted.
 */
async function countResults(ctx: EventContext, selection: AttendanceScanFilter): Promise<ScanCounts> {
  const { period, scope, sessionIds } = selection
  const source =
    sessionIds === undefined
      ? sql`select f.result, f.scans from attendance_figures f where f.tenant_id = ${ctx.tenantId} and f.event_id = ${ctx.event.id}
          and ${buildScanPeriodCondition(sql`f.from_at`, period)} and (${scope ?? null}::text is null or f.scope = ${scope ?? null})`
      : sql`select s.result, 1 as scans from attendance_scans s where s.tenant_id = ${ctx.tenantId} and s.event_id = ${ctx.event.id}
          and not s.is_test_data and ${buildScanFilterCondition(selection)}`
  const count = (result: string) => sql`coalesce(sum(r.scans) filter (where r.result = ${result}), 0)::int`
  const { rows } = await sql<ScanCounts>`
    select ${count('accepted')} as scans, ${count('refused')} as refused, ${count('duplicate')} as duplicates from (${source}) r`.execute(
    ctx.db,
  )
  return rows[0]!
}

async function readArrivals(
  ctx: EventContext,
  selection: AttendanceScanFilter,
): Promise<Record<'firstArrival' | 'lastArrival', Date | null>> {
  const { period, scope, sessionIds } = selection
  const isWhole = period.from === null && period.until === null && scope === undefined && sessionIds === undefined
  const arrivals = isWhole
    ? sql`select a.checked_in_at as at from attendance_people a where a.tenant_id = ${ctx.tenantId} and a.event_id = ${ctx.event.id} and not a.is_test_data`
    : sql`select min(s.at) as at from attendance_scans s where ${isCountedScan(ctx)} and s.direction = 'in' and ${buildScanFilterCondition(selection)} group by s.participant_id`
  const { rows } = await sql<Record<'firstArrival' | 'lastArrival', Date | null>>`
    select min(f.at) as "firstArrival", max(f.at) as "lastArrival" from (${arrivals}) f`.execute(ctx.db)
  return rows[0]!
}

async function countIgnored(ctx: EventContext, selection: AttendanceScanFilter): Promise<IgnoredScanCounts> {
  const { rows } = await sql<IgnoredScanCounts>`${buildIgnoredScanCountsSql(ctx, buildScanFilterCondition(selection))}`.execute(ctx.db)
  return rows[0]!
}

async function listGroups(
  ctx: EventContext,
  { rules: { config }, countProfiles }: AttendanceSummaryInputs,
  by: Exclude<GroupKind, 'event'>,
  selection: AttendanceScanFilter,
): Promise<AttendanceGroupFigures[]> {
  if (by === 'session') return countAttendanceBySession(ctx, selection)
  if (by === 'track') return nameGroups(await countAttendanceByTrack(ctx, selection), config.sessions.tracks)
  if (by === 'profile') return countProfiles(selection)
  if (by === 'flow' || by === 'tag') {
    const rows = await countAttendeesByGroup(
      ctx,
      selection,
      by === 'flow' ? sql`p.flow_slug` : sql`unnest(case when p.tags = '{}' then array[null::text] else p.tags end)`,
    )
    const names = by === 'flow' ? config.flows.map(({ slug, name }) => ({ code: slug, name })) : config.tags
    return nameGroups(
      rows.map((row) => ({ ...row, label: row.key ?? 'None', showRate: toAttendancePercent(row.attended, row.expected) })),
      names,
    )
  }
  const groups = (await countAttendanceByScanGroup(ctx, buildScanGroupingSql(ctx, by, selection), selection)).map((row) => ({
    key: row.key,
    label: row.key,
    attended: row.attended,
    firstArrivals: row.firstArrivals,
    scans: row.scans,
    ...toAverageMinutesAndPeak(row),
  }))
  if (by === 'hour')
    return groups.map((group) => {
      const hour = toLocalHour(ctx.event.timezone, new Date(group.key))
      return { ...group, key: hour, label: hour }
    })
  const doors = [{ code: 'event', name: ctx.event.name }, ...config.onsite.gates, { code: 'sessions', name: 'Sessions' }]
  return by === 'gate' ? nameGroups(groups, doors) : groups
}

/** Replaces the codes in group labels with their configured names. */
const nameGroups = <T extends { key: string | null; label: string }>(
  groups: readonly T[],
  names: readonly { code: string; name: string }[],
): T[] => groups.map((group) => ({ ...group, label: names.find(({ code }) => code === group.key)?.name ?? group.label }))

/** Formats an hour in the event's time zone, such as 2026-10-01T14:00+02:00. */
function toLocalHour(zone: string, at: Date): string {
  const wall = toWallTimeInZone(zone, at)
  const minutes = Math.round((Date.parse(`${wall}Z`) - at.getTime()) / 60_000)
  const part = (number: number) => String(Math.floor(number)).padStart(2, '0')
  return `${wall.slice(0, 16)}${minutes < 0 ? '-' : '+'}${part(Math.abs(minutes) / 60)}:${part(Math.abs(minutes) % 60)}`
}

function listOccupancy(steps: readonly { at: Date; count: number }[]): { at: string; count: number }[] {
  if (steps.length > MAX_STEPS)
    throw new AppError('limit_exceeded', `Occupancy has more than ${MAX_STEPS} steps of ${STEP_MINUTES} minutes. Pass from and until.`)
  return steps.map(({ at, count }) => ({ at: formatInstant(at), count }))
}
