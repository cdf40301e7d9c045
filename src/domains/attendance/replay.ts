import { newId } from '../../kernel/ids.ts'

/** An accepted scan of one person, stored or new. */
export interface ReplayedScan {
  id: string
  /** The place of the scan: `event`, `gate:<code>` or `room:<sessionId>`. */
  place: string
  direction: 'in' | 'out'
  at: Date
  deviceName: string
  nonce: string
  flag: string | null
  duplicateOf: string | null
  /** The row number in the imported file; null for a stored scan. */
  row: number | null
  assumed?: boolean
}

export interface ScanConflict {
  row: number
  reason: string
  kept: 'imported' | 'stored'
}

/** The presence of a person at one place after all scans. */
export interface PresenceAtPlace {
  inside: boolean
  at: Date
  firstIn: Date | null
  in: ReplayedScan | null
  out: ReplayedScan | null
}

export interface ScanReplayResult {
  /** New scans to store, including exits that were inferred because no scanner saw them. */
  added: ReplayedScan[]
  /** Stored scans whose flag differs after the replay, such as a second entry whose missing exit is among the new scans. */
  flagged: ReplayedScan[]
  conflicts: ScanConflict[]
  places: Map<string, PresenceAtPlace>
  /** The entries and exits that changed whether the person was inside a place, in order of time. */
  moves: ReplayedScan[]
}

/** Flags that follow from the other scans of the person. The other flags are reasons why the door would have refused the scan. */
const REPLAY_FLAGS: ReadonlySet<string | null> = new Set(['second_entry', 'missed_out', 'not_in'])

export const compareScansByTime = (a: ReplayedScan, b: ReplayedScan): number =>
  a.at.getTime() - b.at.getTime() ||
  compare(a.deviceName, b.deviceName) ||
  compare(a.nonce, b.nonce) ||
  // At equal times people leave before they enter.
  compare(b.direction, a.direction)
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/**
 * Replays all accepted scans of one person in order of time. The first entry counts: a later entry without an exit in between is flagged,
 * and so is an exit without an entry. A session entry ends the presence at another session. Stored flags that the new scans explain are
 * removed.
 */
export function replayScans(scans: readonly ReplayedScan[], { reentry }: { reentry: boolean }): ScanReplayResult {
  const replay: ScanReplayResult = { added: [], flagged: [], conflicts: [], places: new Map(), moves: [] }
  // A new entry before several stored ones is one conflict.
  const replaced = new Set<number>()
  const stored = scans.flatMap((scan) => (scan.row === null ? [{ scan, flag: scan.flag, duplicateOf: scan.duplicateOf }] : []))
  for (const { scan } of stored) if (REPLAY_FLAGS.has(scan.flag)) Object.assign(scan, { flag: null, duplicateOf: null })
  const entries = new Map<string, ReplayedScan>()
  const flag = (scan: ReplayedScan, reason: string, first: ReplayedScan | null) => {
    if (scan.flag !== null) return
    scan.flag = reason
    if (reason === 'second_entry') scan.duplicateOf = first!.id
    if (reason === 'missed_out') return
    if (scan.row !== null) replay.conflicts.push({ row: scan.row, reason, kept: first?.row === null ? 'stored' : 'imported' })
    else if (first !== null && first.row !== null && !replaced.has(first.row)) {
      replaced.add(first.row)
      replay.conflicts.push({ row: first.row, reason, kept: 'imported' })
    }
  }
  const move = (scan: ReplayedScan, inside: boolean) => {
    const before = replay.places.get(scan.place)
    const firstIn = before?.firstIn ?? (scan.direction === 'in' ? scan.at : null)
    const state = { in: before?.in ?? null, out: before?.out ?? null, firstIn, inside, at: scan.at, [scan.direction]: scan }
    replay.places.set(scan.place, state)
  }
  for (const scan of scans.toSorted(compareScansByTime)) {
    if (scan.row !== null) {
      replay.added.push(scan)
      // The offline scanner admitted a person whom the door rules would have refused.
      if (scan.flag !== null) replay.conflicts.push({ row: scan.row, reason: scan.flag, kept: 'imported' })
    }
    const first = entries.get(scan.place) ?? null
    if (scan.direction === 'out') {
      if (first === null) flag(scan, 'not_in', null)
      else replay.moves.push(scan)
      entries.delete(scan.place)
      move(scan, false)
      continue
    }
    const isRoom = scan.place.startsWith('room:')
    if (first !== null) flag(scan, reentry && !isRoom ? 'missed_out' : 'second_entry', first)
    else {
      entries.set(scan.place, scan)
      replay.moves.push(scan)
    }
    if (isRoom)
      for (const other of [...entries.keys()].filter((place) => place.startsWith('room:') && place !== scan.place)) {
        const left = {
          ...scan,
          id: newId(),
          place: other,
          direction: 'out' as const,
          nonce: '',
          flag: null,
          duplicateOf: null,
          assumed: true,
        }
        replay.added.push(left)
        replay.moves.push(left)
        entries.delete(other)
        move(left, false)
      }
    move(scan, true)
  }
  replay.flagged = stored
    .filter(({ scan, ...before }) => scan.flag !== before.flag || scan.duplicateOf !== before.duplicateOf)
    .map(({ scan }) => scan)
  return replay
}

/** Finds the new scans that repeat another scan of the same place and direction within `seconds`. */
export function findRepeatedScans(stored: readonly ReplayedScan[], added: readonly ReplayedScan[], seconds: number): Set<ReplayedScan> {
  const repeats = new Set<ReplayedScan>()
  if (seconds === 0) return repeats
  const storedByDoor = Map.groupBy(stored.toSorted(compareScansByTime), toDoorKey)
  for (const [key, scans] of Map.groupBy(added.toSorted(compareScansByTime), toDoorKey)) {
    const earlier = storedByDoor.get(key) ?? []
    let [next, kept]: [number, ReplayedScan | undefined] = [0, undefined]
    for (const scan of scans) {
      while (next < earlier.length && earlier[next]!.at < scan.at) next++
      // Scans are sorted by time, so only these neighbours can be the nearest.
      const neighbours = [earlier[next - 1], earlier[next], kept]
      if (neighbours.some((other) => other && Math.abs(other.at.getTime() - scan.at.getTime()) < seconds * 1000)) repeats.add(scan)
      else kept = scan
    }
  }
  return repeats
}

const toDoorKey = ({ place, direction }: ReplayedScan) => `${direction} ${place}`
