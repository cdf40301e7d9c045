import { sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import { MAX_RECORDS_PER_AUDIT_ENTRY, recordChange } from '../../kernel/audit.ts'
import type { ToolCallDatabaseFunction, SingleStatementChange } from '../../kernel/commit-change.ts'
import { newId } from '../../kernel/ids.ts'
import type { UnverifiedCallScope } from '../../kernel/tool.ts'
import { parseBadgeIds } from '../exhibitors/badge-payload.ts'
import {
  cacheDoorRules,
  type DoorRules,
  type DoorScanContext,
  findCachedDoorRules,
  findScanPlaceErrors,
  readDoorRules,
  requireValidScanPlaces,
  toScanPlace,
  toDoorRulesJson,
} from './door-rules.ts'
import { requireParticipantsOfEvent } from './people.ts'
import { describeScanResult } from './reasons.ts'
import type { ScanPlace, DoorScanResult, ScanScope, SCAN_METHODS } from './tables.ts'

export interface NewScan {
  badge?: string | undefined
  participantId?: string | undefined
  confirmationNumber?: string | undefined
  scope?: ScanScope | undefined
  gateCode?: string | undefined
  sessionId?: string | undefined
  direction: 'in' | 'out'
  /** The time of the scan; by default the current time. */
  at?: string | undefined
  method: (typeof SCAN_METHODS)[number]
  deviceName?: string | undefined
  nonce?: string | undefined
  override?: { reason: string } | undefined
}

interface DecisionRow {
  scan_id: string
  result: DoorScanResult
  reason: string | null
  duplicate: boolean
  is_test: boolean
  shown: { id: string; name: string; company: string | null; tags: string[] } | null
  warnings: string[]
  inside: number
  capacity: number | null
}

/**
 * Decides and stores scans together with their audit entry, in one SQL statement. Returns null and stores nothing if one statement is not
 * enough: the door rules are not cached in this process, a webhook listens to scans, or the call is invalid.
 */
export async function recordScansInOneStatement(
  ctx: DoorScanContext,
  { scans }: { scans: readonly NewScan[] },
  statement: SingleStatementChange,
) {
  if (statement.rows) return toAnswer(statement.rows as readonly DecisionRow[])
  const values = prepareScans({ eventId: ctx.event.id, baseUrl: ctx.baseUrl, by: ctx.actor.name }, scans)
  if (!values) return null
  const rows = await statement.query<DecisionRow>(DOOR_CALL, [ctx.tenantId, ctx.event.id, ...values, JSON.stringify(statement.entry)])
  return rows.length === 0 ? null : toAnswer(rows)
}

const DOOR_CALL = 'select * from door_call($1, $2, $3, $4::jsonb, $5::jsonb, $6::jsonb)'

/**
 * Prepares the SQL function call that decides scans, for a caller who is not verified yet. Returns null for an override, because an
 * override stores the name of the caller.
 */
export function prepareScanDecisionSqlCall(
  place: UnverifiedCallScope,
  { scans }: { scans: readonly NewScan[] },
): ToolCallDatabaseFunction | null {
  const values = scans.some(({ override }) => override) ? null : prepareScans({ ...place, by: '' }, scans)
  if (!values) return null
  const [version, rules, sent] = values
  return {
    name: 'door_call',
    values: [
      { type: 'text', value: version },
      { type: 'jsonb', value: rules },
      { type: 'jsonb', value: sent },
    ],
  }
}

/**
 * Returns version, rules and scans in the format of the SQL function `door_call`; null if the rules are not cached in this process or a
 * scan location is invalid.
 */
function prepareScans(
  at: UnverifiedCallScope & { by: string },
  scans: readonly NewScan[],
): [version: string, rules: string, scans: string] | null {
  const rules = findCachedDoorRules(at.eventId)
  const placed = scans.map((scan) => toScanPlace(scan))
  if (!rules || scans.length > MAX_RECORDS_PER_AUDIT_ENTRY || placed.some((place) => findScanPlaceErrors(rules, place).length > 0))
    return null
  return [rules.version, rules.sqlRules, JSON.stringify(placed.map((scan) => toSentScan(at, rules, scan)))]
}

/** Decides in one SQL statement which scans are accepted, and stores each scan with its result. */
export async function recordScans(ctx: DoorScanContext, { scans }: { scans: readonly NewScan[] }) {
  const rules = await readDoorRules(ctx)
  const placed = scans.map((scan) => toScanPlace(scan))
  await requireValidScanPlaces(ctx, rules, placed, 'scans')
  await requireParticipantsOfEvent(
    ctx,
    scans.flatMap(({ participantId }) => participantId ?? []),
  )
  const sent = placed.map((scan) => toSentScan({ baseUrl: ctx.baseUrl, by: ctx.actor.name }, rules, scan))
  const sqlRules = toDoorRulesJson(rules)
  const { rows } = await sql<DecisionRow>`
    select * from door_scans(${ctx.tenantId}, ${ctx.event.id}, ${sqlRules}::jsonb, ${JSON.stringify(sent)}::jsonb)`.execute(ctx.db)
  cacheDoorRules(ctx.event.id, rules, sqlRules)
  for (const [index, row] of rows.entries()) if (!row.duplicate) reportScan(ctx, placed[index]!, row)
  return toAnswer(rows)
}

/** Converts a scan to the JSON that the database functions for door scans read. */
const toSentScan = (
  { by, baseUrl }: { by: string; baseUrl: string },
  { formats }: Pick<DoorRules, 'formats'>,
  { badge, confirmationNumber, override, ...scan }: NewScan & ScanPlace,
) => ({
  ...scan,
  id: newId(),
  confirmationNumber: confirmationNumber?.toUpperCase(),
  names: badge === undefined ? [] : parseBadgeIds(badge, formats, baseUrl),
  override: override && { by, reason: override.reason },
})

const toAnswer = (rows: readonly DecisionRow[]) => ({
  results: rows.map(toScanResult),
  accepted: countResults(rows, 'accepted'),
  refused: countResults(rows, 'refused'),
  duplicates: rows.filter(({ result, duplicate }) => duplicate || result === 'duplicate').length,
})

const countResults = (rows: readonly DecisionRow[], wanted: DoorScanResult) =>
  rows.filter(({ result, duplicate }) => !duplicate && result === wanted).length

/** Announces a scan to webhooks and records it in the audit log. */
function reportScan(ctx: DoorScanContext, scan: NewScan & ScanPlace, { scan_id, result, reason, is_test, shown }: DecisionRow): void {
  const { scope, gateCode, sessionId, direction } = scan
  announceToWebhooks(ctx, { kind: 'attendance.recorded', entity: 'attendance', id: scan_id, isTestData: is_test })
  recordChange(ctx, {
    kind: 'attendance',
    id: scan_id,
    after: { participantId: shown?.id ?? null, scope, gateCode, sessionId, direction, result, reason },
  })
}

function toScanResult({ scan_id, result, reason, duplicate, shown, warnings, inside, capacity }: DecisionRow) {
  return {
    result,
    ...(reason === null ? {} : { reason }),
    message: describeScanResult({ result, reason, warnings }),
    scanId: scan_id,
    ...(duplicate ? { duplicate } : {}),
    ...(shown === null ? {} : { participant: { ...shown, company: shown.company ?? undefined } }),
    warnings,
    inside,
    ...(capacity === null ? {} : { capacity }),
  }
}
