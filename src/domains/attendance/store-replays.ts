import { sql } from 'kysely'
import { type DoorRules, type DoorScanContext, toDoorRulesJson } from './door-rules.ts'
import type { ScanReplayResult, ReplayedScan } from './replay.ts'

export interface PersonScanReplay {
  person: string
  isTest: boolean
  replay: ScanReplayResult
  /** Scans that the scanner refused while it was offline. */
  refused: readonly (ReplayedScan & { reason: string })[]
}

/** Stores the scans, conflict flags and presence of all people whose scans were replayed, with one statement for each table. */
export async function storeScanReplays(
  ctx: DoorScanContext,
  rules: DoorRules,
  replays: readonly PersonScanReplay[],
  importId: string,
): Promise<void> {
  await insertScans(ctx, replays, importId)
  await flagStored(ctx, replays)
  await movePeople(ctx, rules, replays)
}

async function insertScans(
  { db, tenantId, event }: DoorScanContext,
  replays: readonly PersonScanReplay[],
  importId: string,
): Promise<void> {
  const scans = replays.flatMap(({ person, isTest, replay, refused }) =>
    [
      ...replay.added.map((scan) => ({ ...scan, result: 'accepted', reason: null })),
      ...refused.map((scan) => ({ ...scan, result: 'refused' })),
    ].map(({ id, place, direction, at, deviceName, nonce, flag, duplicateOf, assumed = false, result, reason }) => ({
      id,
      person,
      test: isTest,
      place,
      direction,
      at: at.toISOString(),
      device: deviceName,
      nonce: nonce === '' ? null : nonce,
      result,
      reason,
      flag,
      duplicate: duplicateOf,
      assumed,
    })),
  )
  if (scans.length === 0) return
  await sql`
    insert into attendance_scans (tenant_id, event_id, id, participant_id, is_test_data, scope, gate_code, session_id, direction, at, method,
      device_name, nonce, result, reason, flag, duplicate_of, assumed, import_id)
    select ${tenantId}, ${event.id}, s.id, s.person, s.test, case when s.place = 'event' then 'event' when s.place like 'gate:%' then 'gate' else 'session' end,
      case when s.place like 'gate:%' then substr(s.place, 6) end, case when s.place like 'room:%' then substr(s.place, 6) end, s.direction, s.at, 'import',
      nullif(s.device, ''), s.nonce, s.result, s.reason, s.flag, s.duplicate, s.assumed, ${importId}
    from jsonb_to_recordset(${JSON.stringify(scans)}::jsonb) as s (id text, person text, test boolean, place text, direction text, at timestamptz,
      device text, nonce text, result text, reason text, flag text, duplicate text, assumed boolean)`.execute(db)
}

async function flagStored({ db, tenantId, event }: DoorScanContext, replays: readonly PersonScanReplay[]): Promise<void> {
  const flagged = replays.flatMap(({ replay }) => replay.flagged.map(({ id, flag, duplicateOf }) => ({ id, flag, duplicate: duplicateOf })))
  if (flagged.length === 0) return
  await sql`
    update attendance_scans s set flag = f.flag, duplicate_of = f.duplicate
    from jsonb_to_recordset(${JSON.stringify(flagged)}::jsonb) as f (id text, flag text, duplicate text)
    where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.id = f.id`.execute(db)
}

/** Stores for each person which gates and rooms they are inside, and updates the number of people inside each gate and room. */
async function movePeople({ db, tenantId, event }: DoorScanContext, rules: DoorRules, replays: readonly PersonScanReplay[]): Promise<void> {
  const states = replays.flatMap(({ person, isTest, replay: { added, places } }) =>
    added.length === 0
      ? []
      : [...places].map(([place, { inside, at, in: entry, out }]) => ({
          person,
          test: isTest,
          place,
          inside,
          at: at.toISOString(),
          in_at: entry?.at.toISOString() ?? null,
          in_scan: entry?.id ?? null,
          out_at: out?.at.toISOString() ?? null,
          out_scan: out?.id ?? null,
        })),
  )
  if (states.length === 0) return
  const sent = JSON.stringify(states)
  await sql`select door_replace(${tenantId}, ${event.id}, ${toDoorRulesJson(rules)}::jsonb, ${sent}::jsonb)`.execute(db)
  const people = replays.flatMap(({ person, isTest, replay }) => (replay.added.length === 0 ? [] : [toSiteState(person, isTest, replay)]))
  await sql`
    insert into attendance_people as a (tenant_id, event_id, participant_id, is_test_data, checked_in_at, on_site, site_at)
    select ${tenantId}, ${event.id}, p.person, p.test, p.checked_in_at, p.on_site, p.site_at
    from jsonb_to_recordset(${JSON.stringify(people)}::jsonb) as p (person text, test boolean, checked_in_at timestamptz, on_site boolean, site_at timestamptz)
    on conflict (tenant_id, event_id, participant_id) do update set checked_in_at = least(a.checked_in_at, excluded.checked_in_at),
      on_site = case when excluded.site_at is null then a.on_site else excluded.on_site end, site_at = coalesce(excluded.site_at, a.site_at)`.execute(
    db,
  )
}

/** Returns the check-in of a person, and whether their latest scan at the event or a gate means that they are on site. */
function toSiteState(person: string, isTest: boolean, { places }: ScanReplayResult) {
  const states = [...places]
  const doors = states.filter(([place]) => !place.startsWith('room:')).map(([, state]) => state)
  const latest = doors.toSorted((a, b) => b.at.getTime() - a.at.getTime())[0]
  const entered = states.flatMap(([, { firstIn }]) => (firstIn ? [firstIn.getTime()] : []))
  return {
    person,
    test: isTest,
    checked_in_at: entered.length > 0 ? new Date(Math.min(...entered)).toISOString() : null,
    on_site: latest ? latest.inside : entered.length > 0,
    site_at: latest?.at.toISOString() ?? null,
  }
}
