import { type RawBuilder, sql } from 'kysely'
import { type ScanPeriod, buildScanPeriodCondition } from './onsite-summary.ts'
import type { ScanScope } from './tables.ts'

/** The scans that an attendance summary counts. */
export interface AttendanceScanFilter {
  period: ScanPeriod
  scope?: ScanScope | undefined
  sessionIds?: readonly string[] | undefined
}

export const ALL_SCANS_FILTER: AttendanceScanFilter = { period: { from: null, until: null } }

/** SQL condition: the scan (alias `s`) belongs to the selection of scans that are counted. */
export function buildScanFilterCondition({ period, scope, sessionIds }: AttendanceScanFilter): RawBuilder<boolean> {
  const inScope = scope === undefined ? sql<boolean>`true` : sql<boolean>`s.scope = ${scope}`
  const inSessions = sessionIds === undefined ? sql<boolean>`true` : sql<boolean>`s.session_id = any(${sessionIds})`
  return sql<boolean>`${buildScanPeriodCondition(sql`s.at`, period)} and ${inScope} and ${inSessions}`
}

/**
 * Returns the kind of place whose occupancy is counted: session rooms if only scans at conference sessions are selected, otherwise the
 * event as a whole.
 */
export const chooseOccupancyPlaceKind = ({ scope, sessionIds }: AttendanceScanFilter): 'room' | 'site' =>
  scope === 'session' || sessionIds !== undefined ? 'room' : 'site'
