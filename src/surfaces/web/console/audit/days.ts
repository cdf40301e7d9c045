import { addDays, dayIn } from '../../../../kernel/time.ts'

export interface AuditDay<Entry> {
  day: string
  /** "Today" or "Yesterday"; null for earlier days. */
  near: string | null
  /** The date in words, such as "Tuesday 14 September 2027". */
  date: string
  entries: Entry[]
}

const date = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** Groups consecutive entries by day in the time zone. */
export function groupByDay<Entry extends { at: Date }>(
  entries: readonly Entry[],
  { zone, now }: { zone: string; now: Date },
): AuditDay<Entry>[] {
  const today = dayIn(zone, now)
  const near = new Map([
    [today, 'Today'],
    [addDays(today, -1), 'Yesterday'],
  ])
  const days: AuditDay<Entry>[] = []
  for (const entry of entries) {
    const day = dayIn(zone, entry.at)
    const last = days.at(-1)
    if (last?.day === day) last.entries.push(entry)
    else days.push({ day, near: near.get(day) ?? null, date: date.format(new Date(day)).replace(',', ''), entries: [entry] })
  }
  return days
}

/** "09:05" */
export const timeOfDay = (zone: string, at: Date): string =>
  new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: zone }).format(at)
