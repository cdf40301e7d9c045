import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { readPage } from '../../kernel/page.ts'
import { eventDb, joinRowsOfSameEvent } from '../../kernel/scoped-db.ts'
import { buildWordMatchCondition } from '../../kernel/search.ts'
import { formatInstant } from '../../kernel/time.ts'
import { countCappedTotal } from '../../kernel/totals.ts'
import { readDoorRules, requireValidScanPlaces, toScanPlace } from './door-rules.ts'
import { listPeopleByPresence } from './list-presence.ts'
import { findBadgeHolder, requireParticipantsOfEvent, toPersonName } from './people.ts'
import type { DoorScanResult, ScanScope } from './tables.ts'

interface AttendanceFilter {
  participantId?: string | undefined
  badgeId?: string | undefined
  scope?: ScanScope | undefined
  gateCode?: string | undefined
  sessionId?: string | undefined
  direction?: 'in' | 'out' | undefined
  result?: DoorScanResult | undefined
  reason?: string | undefined
  from?: string | undefined
  until?: string | undefined
  deviceName?: string | undefined
  presence?: 'inside' | 'left' | 'never' | undefined
  search?: string | undefined
  limit: number
  cursor?: string | undefined
}

/** Filters of the scan log that cannot be combined with `presence`, which lists people instead of scans. */
const SCAN_FILTERS = ['direction', 'result', 'reason', 'from', 'until', 'deviceName'] as const

/** Lists scans, the newest first; with `presence`, the people who are or were at a place. */
export async function listAttendance(ctx: EventContext, filter: AttendanceFilter) {
  const place = toScanPlace(filter)
  const named = filter.gateCode !== undefined || filter.sessionId !== undefined
  if (named || filter.presence) await requireValidScanPlaces(ctx, await readDoorRules(ctx), [named ? place : { scope: 'event' }])
  if (filter.participantId !== undefined) await requireParticipantsOfEvent(ctx, [filter.participantId])
  if (filter.presence === undefined) return listScans(ctx, filter)
  const misplaced = SCAN_FILTERS.filter((name) => filter[name] !== undefined)
  if (misplaced.length > 0)
    throw invalidArguments(misplaced.map((path) => ({ path, message: 'filters scans; leave it out together with presence' })))
  return listPeopleByPresence(ctx, { ...filter, presence: filter.presence }, place)
}

const selectScans = (ctx: EventContext) =>
  eventDb(ctx)
    .selectFrom('attendance_scans')
    .leftJoin('participants', (join) => joinRowsOfSameEvent(join, 'participants.id', 'attendance_scans.participant_id'))
    .where('attendance_scans.is_test_data', '=', false)
    .select([
      'attendance_scans.id',
      'attendance_scans.participant_id',
      'participants.first_name',
      'participants.last_name',
      'attendance_scans.scope',
      'attendance_scans.gate_code',
      'attendance_scans.session_id',
      'attendance_scans.at',
      'attendance_scans.direction',
      'attendance_scans.method',
      'attendance_scans.device_name',
      'attendance_scans.result',
      'attendance_scans.reason',
      'attendance_scans.flag',
      'attendance_scans.override',
      'attendance_scans.assumed',
    ])

type ScanRow = Awaited<ReturnType<ReturnType<typeof selectScans>['executeTakeFirstOrThrow']>>

const toScan = (row: ScanRow) => ({
  id: row.id,
  ...(row.participant_id === null ? {} : { participant: { id: row.participant_id, name: toPersonName(row) } }),
  scope: row.scope,
  ...(row.gate_code === null ? {} : { gateCode: row.gate_code }),
  ...(row.session_id === null ? {} : { sessionId: row.session_id }),
  at: formatInstant(row.at),
  direction: row.direction,
  method: row.method,
  ...(row.device_name === null ? {} : { deviceName: row.device_name }),
  result: row.result,
  ...(row.reason === null ? {} : { reason: row.reason }),
  ...(row.flag === null ? {} : { flag: row.flag }),
  ...(row.override === null ? {} : { override: row.override }),
  ...(row.assumed ? { assumed: true } : {}),
})

async function listScans(ctx: EventContext, filter: AttendanceFilter) {
  const { participantId, badgeId, scope, gateCode, sessionId, direction, result, reason, from, until, deviceName, search, limit, cursor } =
    filter
  let rows = selectScans(ctx)
  for (const id of [participantId, badgeId === undefined ? undefined : await findBadgeHolder(ctx, badgeId)])
    if (id !== undefined) rows = rows.where('attendance_scans.participant_id', '=', id)
  if (scope !== undefined) rows = rows.where('attendance_scans.scope', '=', scope)
  if (gateCode !== undefined) rows = rows.where('attendance_scans.gate_code', '=', gateCode)
  if (sessionId !== undefined) rows = rows.where('attendance_scans.session_id', '=', sessionId)
  if (direction !== undefined) rows = rows.where('attendance_scans.direction', '=', direction)
  if (result !== undefined) rows = rows.where('attendance_scans.result', '=', result)
  if (reason !== undefined) rows = rows.where('attendance_scans.reason', '=', reason)
  if (from !== undefined) rows = rows.where('attendance_scans.at', '>=', new Date(from))
  if (until !== undefined) rows = rows.where('attendance_scans.at', '<', new Date(until))
  if (deviceName !== undefined) rows = rows.where('attendance_scans.device_name', '=', deviceName)
  if (search !== undefined) rows = rows.where(buildWordMatchCondition(sql`participants.searched`, search))
  const { items, ...page } = await readPage(
    ctx,
    { limit, cursor },
    {
      rows,
      order: [
        { by: sql`attendance_scans.at`, type: 'timestamptz', descending: true, of: (row) => row.at.toISOString() },
        { by: sql`attendance_scans.id`, type: 'text', descending: true, of: (row) => row.id },
      ],
      shape: toScan,
    },
  )
  return { scans: items, ...(await countCappedTotal(ctx, rows)), ...page }
}
