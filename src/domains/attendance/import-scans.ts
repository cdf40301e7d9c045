import { sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { newId } from '../../kernel/ids.ts'
import { parseInstant, wallTimeToInstant } from '../../kernel/time.ts'
import { parseBadgeIds } from '../exhibitors/badge-payload.ts'
import {
  type DoorRules,
  type DoorScanContext,
  findScanPlaceErrors,
  getFirstSetupDay,
  listExistingSessionIds,
  toScanPlace,
  toDoorRulesJson,
} from './door-rules.ts'
import { flagFullEntries } from './flag-full-entries.ts'
import type { OfflineScanRow } from './import-rows.ts'
import { type ScanConflict, findRepeatedScans, type ReplayedScan, replayScans } from './replay.ts'
import { toScanPlaceKey, type ScanPlace } from './tables.ts'
import { type PersonScanReplay, storeScanReplays } from './store-replays.ts'

export interface ImportCounts {
  rows: number
  imported: number
  duplicates: number
  unmatched: { row: number; value: string }[]
  invalid: { row: number; message: string }[]
  conflicts: ScanConflict[]
}

export const createImportCounts = (): ImportCounts => ({ rows: 0, imported: 0, duplicates: 0, unmatched: [], invalid: [], conflicts: [] })

/** A row of an attendance import file after its values were validated. */
interface ReadRow extends ScanPlace {
  row: number
  key: string
  names: { id: string; anyCase: boolean }[]
  email: string | undefined
  confirmationNumber: string | undefined
  direction: 'in' | 'out'
  happened: Date
  deviceName: string
  nonce: string | undefined
  isRefused: boolean
}

interface Resolved {
  row: number
  person: string
  is_test: boolean
  /** The reason why the door would have refused the person; null if it would have accepted them. */
  reason: string | null
}

/** A stored scan that has the same device and nonce, or the same person, place, time and device, as a row of the import. */
interface KnownScan {
  id: string
  flag: string | null
  duplicateOf: string | null
  import_id: string | null
}

interface StoredScan extends ReplayedScan, KnownScan {
  person: string
  result: string
}

export interface ImportOptions {
  timezone: string
  /**
   * Identifies the import. If its background job is retried, scans that an earlier attempt has stored are counted as imported, not as
   * duplicates.
   */
  importId: string
}

/** Imports rows of offline scanners in one transaction, with a fixed number of statements. */
export async function importScans(
  ctx: DoorScanContext,
  rules: DoorRules,
  rows: readonly OfflineScanRow[],
  options: ImportOptions,
): Promise<ImportCounts> {
  const counts = { ...createImportCounts(), rows: rows.length }
  const limits = { sessions: await listExistingSessionIds(ctx, rows), earliest: getFirstSetupDay(rules) }
  const read = rows.flatMap((row) => {
    const one = readRow(ctx, rules, limits, row, options)
    if ('message' in one) counts.invalid.push({ row: row.row, message: one.message })
    return 'message' in one ? [] : [one]
  })
  const people = await resolvePeople(ctx, rules, read)
  for (const { row, key } of read) if (!people.has(row)) counts.unmatched.push({ row, value: key })
  const matched = read.filter(({ row }) => people.has(row))
  await lockPeople(ctx, matched, people)
  const [stored, known] = [await readStored(ctx, [...people.values()]), await readKnownNonces(ctx, matched)]
  const replays: PersonScanReplay[] = []
  for (const [person, mine] of Map.groupBy(matched, ({ row }) => people.get(row)!.person))
    replays.push(replayPerson(rules, options, counts, { person, rows: mine, people, stored: stored.get(person) ?? [], known }))
  counts.conflicts.push(...(await flagFullEntries(ctx, rules, replays)))
  await storeScanReplays(ctx, rules, replays, options.importId)
  for (const { replay, isTest } of replays)
    for (const { id } of replay.added)
      announceToWebhooks(ctx, { kind: 'attendance.recorded', entity: 'attendance', id, isTestData: isTest })
  return counts
}

/** Validates the values of one row of an attendance import file. */
function readRow(
  { baseUrl }: DoorScanContext,
  rules: DoorRules,
  { sessions, earliest }: { sessions: ReadonlySet<string>; earliest: Date },
  row: OfflineScanRow,
  { timezone }: ImportOptions,
): ReadRow | { message: string } {
  const place = toScanPlace(row)
  const [error] = findScanPlaceErrors(rules, place)
  if (error) return { message: `${error.path}: ${error.message}` }
  if (row.sessionId !== undefined && !sessions.has(row.sessionId)) return { message: `sessionId: no session ${row.sessionId}` }
  const key = row.badge ?? row.email ?? row.confirmationNumber
  if (!key) return { message: 'badge: give a badge, an email or a confirmation number' }
  if (row.direction !== 'in' && row.direction !== 'out') return { message: 'direction: must be in or out' }
  if (row.deviceName === '') return { message: 'deviceName: is required' }
  if (row.decidedOffline !== undefined && row.decidedOffline !== 'accepted' && row.decidedOffline !== 'refused')
    return { message: 'decidedOffline: must be accepted or refused' }
  const happened = readTime(row.at, timezone)
  if (happened === null) return { message: 'at: must be a time such as 2027-03-01T09:05:00Z' }
  if (happened > new Date(rules.facts.now.getTime() + 5 * 60_000)) return { message: 'at: is in the future' }
  if (happened < earliest) return { message: 'at: is before the first setup day of the event' }
  return {
    row: row.row,
    key,
    scope: place.scope,
    gateCode: place.gateCode,
    sessionId: place.sessionId,
    names: row.badge === undefined ? [] : parseBadgeIds(row.badge, rules.formats, baseUrl),
    email: row.badge === undefined && row.email !== undefined ? foldEmailCase(row.email) : undefined,
    confirmationNumber: row.badge === undefined && row.email === undefined ? row.confirmationNumber!.toUpperCase() : undefined,
    direction: row.direction,
    happened,
    deviceName: row.deviceName,
    nonce: row.nonce,
    isRefused: row.decidedOffline === 'refused',
  }
}

/** Parses a time with a zone, or a local time in the time zone of the import. */
function readTime(text: string, timezone: string): Date | null {
  const instant = parseInstant(text)
  if (instant) return instant
  try {
    return wallTimeToInstant(timezone, text.trim().replace(' ', 'T'))
  } catch {
    return null
  }
}

/**
 * Finds, for each row of an import, the person and the decision that the door would have made. A former badge id still identifies its
 * person. An email address identifies the one active participant who has it, otherwise the one cancelled participant.
 */
async function resolvePeople(ctx: DoorScanContext, rules: DoorRules, rows: readonly ReadRow[]): Promise<Map<number, Resolved>> {
  // People are found once for each distinct badge, email address or confirmation number.
  const named = new Map<string, { n: number }>()
  const sent = rows.map(({ row, names, email, confirmationNumber, scope, gateCode, sessionId, direction, happened }) => {
    const key = JSON.stringify([names, email, confirmationNumber])
    const who = named.get(key) ?? { n: named.size, names, email, confirmationNumber }
    named.set(key, who)
    return { row, who: who.n, direction, at: happened.toISOString(), scan: { scope, gateCode, sessionId } }
  })
  const { rows: found } = await sql<Resolved>`
    with who as materialized (
      select s.n, coalesce(b.person, e.person, c.person, h.person) as person, h.person is not null as former
      from jsonb_to_recordset(${JSON.stringify([...named.values()])}::jsonb) as s (n integer, names jsonb, email text, "confirmationNumber" text)
      left join lateral (select (f).person, (f).problem from (select door_person(${ctx.tenantId}, ${ctx.event.id}, jsonb_build_object('names', s.names)) as f
        where jsonb_array_length(s.names) > 0) x) b on true
      left join lateral (select case when l.live = 1 then l.person when l.live = 0 and l.cancelled = 1 then l.former end as person from (
        select min(p.id) filter (where p.status <> 'cancelled') as person, count(*) filter (where p.status <> 'cancelled') as live,
          min(p.id) filter (where p.status = 'cancelled') as former, count(*) filter (where p.status = 'cancelled') as cancelled
        from participants p where p.tenant_id = ${ctx.tenantId} and p.event_id = ${ctx.event.id} and p.email_norm = s.email
          and not p.is_test_data) l) e on s.email is not null
      left join lateral (select p.id as person from participants p where p.tenant_id = ${ctx.tenantId} and p.event_id = ${ctx.event.id}
        and p.confirmation_number = s."confirmationNumber") c on s."confirmationNumber" is not null
      left join lateral (select coalesce(min(h.participant_id) filter (where h.badge_id = n.id),
          case when count(distinct h.participant_id) = 1 then min(h.participant_id) end) as person
        from jsonb_to_recordset(s.names) as n (id text, "anyCase" boolean) join badge_id_history h
        on h.tenant_id = ${ctx.tenantId} and h.event_id = ${ctx.event.id}
          and (h.badge_id = n.id or (n."anyCase" and lower(h.badge_id) = lower(n.id collate "C")))) h on b.problem = 'revoked')
    select w.row, p.id as person, p.is_test_data as is_test,
      case when who.former then 'revoked' when w.direction = 'in' then
        (select r.reason from door_refusal(${ctx.tenantId}, ${ctx.event.id}, ${toDoorRulesJson(rules)}::jsonb, w.scan, p, w.at) r)
        when p.is_test_data then 'test_data' end as reason
    from jsonb_to_recordset(${JSON.stringify(sent)}::jsonb) as w (row integer, who integer, direction text, at timestamptz, scan jsonb)
    join who on who.n = w.who
    join participants p on p.tenant_id = ${ctx.tenantId} and p.event_id = ${ctx.event.id} and p.id = who.person`.execute(ctx.db)
  return new Map(found.map((one) => [one.row, one]))
}

/** Locks the participants and the attendance counters that the import changes, in the same order as door scans do, to prevent deadlocks. */
async function lockPeople(
  { db, tenantId, event }: DoorScanContext,
  rows: readonly ReadRow[],
  people: ReadonlyMap<number, Resolved>,
): Promise<void> {
  if (rows.length === 0) return
  const places = JSON.stringify(rows.map(({ scope, gateCode, sessionId }) => ({ scope, gateCode, sessionId })))
  const ids = [...new Set([...people.values()].map(({ person }) => person))].toSorted()
  await sql`select door_lock(${tenantId}, ${event.id}, ${places}::jsonb, ${ids}::text[])`.execute(db)
}

/** Reads all stored scans of these people, by person. */
async function readStored({ db, tenantId, event }: DoorScanContext, people: readonly Resolved[]): Promise<Map<string, StoredScan[]>> {
  const ids = [...new Set(people.map(({ person }) => person))]
  const { rows } = await sql<StoredScan>`
    select s.id, s.participant_id as person, case s.scope when 'event' then 'event' when 'gate' then 'gate:' || s.gate_code else 'room:' || s.session_id end as place,
      s.direction, s.at, coalesce(s.device_name, '') as "deviceName", coalesce(s.nonce, '') as nonce, s.flag, s.duplicate_of as "duplicateOf",
      s.result, s.assumed, s.import_id, null as row
    from attendance_scans s where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.participant_id = any(${ids})`.execute(db)
  return Map.groupBy(rows, ({ person }) => person)
}

const nonceKey = (deviceName: string, nonce: string) => JSON.stringify([deviceName, nonce])

/** Reads the stored scans that have the same device and nonce as a row of the import. */
async function readKnownNonces({ db, tenantId, event }: DoorScanContext, rows: readonly ReadRow[]): Promise<Map<string, KnownScan | null>> {
  const sent = rows.flatMap(({ deviceName, nonce }) => (nonce === undefined ? [] : [{ deviceName, nonce }]))
  if (sent.length === 0) return new Map()
  const { rows: known } = await sql<KnownScan & { device_name: string; nonce: string }>`
    select s.device_name, s.nonce, s.id, s.flag, s.duplicate_of as "duplicateOf", s.import_id from unnest(${sent.map(({ deviceName }) => deviceName)}::text[], ${sent.map(({ nonce }) => nonce)}::text[]) as n (device, nonce)
    join attendance_scans s on s.tenant_id = ${tenantId} and s.event_id = ${event.id} and coalesce(s.device_name, '') = n.device and s.nonce = n.nonce`.execute(
    db,
  )
  return new Map(known.map((one) => [nonceKey(one.device_name, one.nonce), one]))
}

interface PersonRows {
  person: string
  rows: readonly ReadRow[]
  people: ReadonlyMap<number, Resolved>
  stored: readonly StoredScan[]
  /** The stored scans by device and nonce; null for a scan of an earlier row of the import. */
  known: Map<string, KnownScan | null>
}

/**
 * Skips import rows that are already stored, replays the other rows together with the stored scans of the person, and counts the rows by
 * outcome.
 */
function replayPerson(
  { config: { onsite } }: DoorRules,
  { importId }: ImportOptions,
  counts: ImportCounts,
  { person, rows, people, stored, known }: PersonRows,
): PersonScanReplay {
  const fresh: ReplayedScan[] = []
  const refused: (ReplayedScan & { reason: string })[] = []
  const identity = (scan: Pick<ReplayedScan, 'place' | 'direction' | 'at' | 'deviceName'>) =>
    JSON.stringify([scan.place, scan.direction, scan.at.getTime(), scan.deviceName])
  const seen = new Map<string, KnownScan | null>(stored.map((scan) => [identity(scan), scan]))
  const older = indexOlderScans(stored, importId)
  for (const row of rows) {
    const { reason } = people.get(row.row)!
    const scan = toScan(row, reason)
    const [scans, key] = row.nonce === undefined ? [seen, identity(scan)] : [known, nonceKey(row.deviceName, row.nonce)]
    const same = scans.get(key)
    scans.set(key, null)
    if (same?.import_id === importId) {
      counts.imported++
      counts.conflicts.push(...listStoredConflicts(row.row, same, older))
      continue
    }
    if (same !== undefined) {
      counts.duplicates++
      continue
    }
    if (row.isRefused) refused.push({ ...scan, reason: reason ?? 'refused_offline', flag: null })
    else fresh.push(scan)
  }
  const accepted = stored.filter(({ result }) => result === 'accepted')
  const repeats = findRepeatedScans(accepted, fresh, onsite.duplicateSeconds)
  counts.duplicates += repeats.size
  counts.imported += fresh.length - repeats.size + refused.length
  const replay = replayScans([...accepted.map((one) => ({ ...one })), ...fresh.filter((scan) => !repeats.has(scan))], onsite)
  counts.conflicts.push(...replay.conflicts)
  return { person, isTest: people.get(rows[0]!.row)!.is_test, replay, refused }
}

/** Returns the ids of the stored scans that are not from this import, and of the scans that those repeat. */
function indexOlderScans(stored: readonly StoredScan[], importId: string) {
  const older = stored.filter((scan) => scan.import_id !== importId)
  return {
    ids: new Set(older.map(({ id }) => id)),
    repeated: new Set(older.filter(({ flag }) => flag === 'second_entry').map(({ duplicateOf }) => duplicateOf)),
  }
}

/** Lists the conflicts of a row that an earlier attempt of the import has stored. */
function listStoredConflicts(row: number, { id, flag, duplicateOf }: KnownScan, older: ReturnType<typeof indexOlderScans>): ScanConflict[] {
  if (flag !== null && flag !== 'missed_out')
    return [{ row, reason: flag, kept: duplicateOf !== null && older.ids.has(duplicateOf) ? 'stored' : 'imported' }]
  return older.repeated.has(id) ? [{ row, reason: 'second_entry', kept: 'imported' }] : []
}

const toScan = (row: ReadRow, reason: string | null): ReplayedScan => ({
  id: newId(),
  place: toScanPlaceKey(row),
  direction: row.direction,
  at: row.happened,
  deviceName: row.deviceName,
  nonce: row.nonce ?? '',
  flag: reason,
  duplicateOf: null,
  row: row.row,
})
