import { sql } from 'kysely'
import { type DoorRules, type DoorScanContext, toDoorRulesJson } from './door-rules.ts'
import type { ReplayedScan, ScanConflict } from './replay.ts'
import type { PersonScanReplay } from './store-replays.ts'

interface PersonInside {
  place: string
  capacity: number
  /** Null for a place where no person is inside. */
  person: string | null
  in_at: Date | null
}

/**
 * Flags imported entries at gates and rooms that were full at the time of the entry. Of people without rows in the import, only those who
 * are still inside count, because who else was inside at that time would have to be computed from all stored scans.
 */
export async function flagFullEntries(
  ctx: DoorScanContext,
  rules: DoorRules,
  replays: readonly PersonScanReplay[],
): Promise<ScanConflict[]> {
  const counted = replays.filter(({ isTest }) => !isTest)
  const moves = Map.groupBy(
    counted.flatMap(({ replay }) => replay.moves),
    ({ place }) => place,
  )
  const entered = [...moves].filter(([place, scans]) => place !== 'event' && scans.some(isImportedEntry)).map(([place]) => place)
  if (entered.length === 0) return []
  const imported = new Set(counted.map(({ person }) => person))
  const conflicts: ScanConflict[] = []
  for (const [place, people] of Map.groupBy(await readPeopleInside(ctx, rules, entered), (one) => one.place)) {
    const others = people.flatMap(({ person, in_at }) => (person === null || imported.has(person) ? [] : in_at!.getTime()))
    for (const scan of listEntriesBeyond(people[0]!.capacity, moves.get(place)!, others)) {
      scan.flag = 'full'
      conflicts.push({ row: scan.row!, reason: 'full', kept: 'imported' })
    }
  }
  return conflicts
}

const isImportedEntry = ({ row, direction }: ReplayedScan) => row !== null && direction === 'in'

/** Lists the imported entries, without another flag, of a place that already had `capacity` people. `others` are sorted times of entry. */
function listEntriesBeyond(capacity: number, moves: readonly ReplayedScan[], others: readonly number[]): ReplayedScan[] {
  const beyond: ReplayedScan[] = []
  let [inside, arrived] = [0, 0]
  for (const scan of moves.toSorted(
    (a, b) => a.at.getTime() - b.at.getTime() || (a.direction === b.direction ? 0 : a.direction === 'out' ? -1 : 1),
  )) {
    while (arrived < others.length && others[arrived]! <= scan.at.getTime()) arrived++
    if (isImportedEntry(scan) && scan.flag === null && inside + arrived >= capacity) beyond.push(scan)
    inside += scan.direction === 'in' ? 1 : -1
  }
  return beyond
}

/** Reads who is inside those of the places that have a capacity, in order of their entry. */
async function readPeopleInside(
  { db, tenantId, event }: DoorScanContext,
  rules: DoorRules,
  places: readonly string[],
): Promise<PersonInside[]> {
  const { rows } = await sql<PersonInside>`
    select k.place, k.capacity, r.participant_id as person, r.in_at
    from (select l.place, door_capacity(${tenantId}, ${event.id}, ${toDoorRulesJson(rules)}::jsonb, l.place) as capacity
      from unnest(${places}::text[]) as l (place)) k
    left join attendance_presence r on r.tenant_id = ${tenantId} and r.event_id = ${event.id} and r.place = k.place and r.inside
      and not r.is_test_data and r.in_at is not null
    where k.capacity is not null order by r.in_at`.execute(db)
  return rows
}
