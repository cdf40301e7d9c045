import { addDays, toDayInZone } from '../../../../kernel/time.ts'

export interface AuditDay<Entry> {
  day: string
  /** "Today" or "Yesterday"; null for earlier days. */
  near: string | null
  /** The date in words, such as "Tuesday 14 September 2027". */
  date: string
  entries: Entry[]
}

const date = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** Groups consecutive audit entries by their day in the time zone. */
export function groupEntriesByDay<Entry extends { at: Date }>(
  entries: readonly Entry[],
  { zone, now }: { zone: string; now: Date },
): AuditDay<Entry>[] {
  const today = toDayInZone(zone, now)
  const near = new Map([
    [today, 'Today'],
    [addDays(today, -1), 'Yesterday'],
  ])
  const days: AuditDay<Entry>[] = []
  for (const entry of entries) {
    const day = toDayInZone(zone, entry.at)
    const last = days.at(-1)
    if (last?.day === day) last.entries.push(entry)
    else days.push({ day, near: near.get(day) ?? null, date: date.format(new Date(day)).replace(',', ''), entries: [entry] })
  }
  return days
}

/** Formats the time of day: "09:05". */
export const formatTimeOfDay = (zone: string, at: Date): string =>
  new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: zone }).format(at)

/** A row of the audit log: one audit entry, or all entries of one visitor of the event's pages on one day. */
export type AuditRow<Entry> = { entry: Entry } | { visitor: Entry; entries: Entry[] }

interface VisitorEntry {
  actor: { kind: string; id: string; app: string }
  targets: readonly { kind: string; id: string }[]
}

/**
 * Identifies the visitor of an entry that was made on the event's pages; null for all other entries. Visitors who have not signed in share
 * one actor, so they are identified by their registration.
 */
function visitorOf({ actor, targets }: VisitorEntry): string | null {
  if (actor.kind !== 'participant' || actor.app !== 'web') return null
  const registration = targets.find(({ kind }) => kind === 'participant')?.id
  return actor.id === 'visitor' ? (registration ?? null) : actor.id
}

/**
 * Combines all changes of a visitor (a registrant on the event's pages) into one row, at the position of the newest change. A visitor
 * with a single change gets an ordinary row.
 */
export function groupChangesByVisitor<Entry extends VisitorEntry>(entries: readonly Entry[]): AuditRow<Entry>[] {
  const steps = Map.groupBy(entries, (entry) => visitorOf(entry) ?? '')
  steps.delete('')
  return entries.flatMap((entry): AuditRow<Entry>[] => {
    const own = steps.get(visitorOf(entry) ?? '')
    if (!own || own.length === 1) return [{ entry }]
    return own[0] === entry ? [{ visitor: entry, entries: own }] : []
  })
}
