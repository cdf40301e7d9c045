/** An accepted scan of one person at one place. */
export interface AcceptedScan {
  direction: 'in' | 'out'
  at: Date
  /** The person was not seen leaving: they were seen at another place. */
  assumed: boolean
}

export interface TimeSpent {
  firstIn: Date | null
  lastOut: Date | null
  minutes: number
  /** Minutes that end with an exit that was not scanned. */
  assumedMinutes: number
}

/**
 * Adds up the time between entries and exits, clipped to the times of a session. An entry without an exit ends with the session and
 * counts as assumed. Without a session, such an entry adds nothing, because its end is unknown.
 */
export function countMinutes(scans: readonly AcceptedScan[], session?: { startsAt: Date; endsAt: Date }): TimeSpent {
  const clip = (at: Date) =>
    session ? Math.min(Math.max(at.getTime(), session.startsAt.getTime()), session.endsAt.getTime()) : at.getTime()
  let [seen, assumed] = [0, 0]
  let entered: Date | null = null
  for (const { direction, at, assumed: guessed } of scans.toSorted((a, b) => a.at.getTime() - b.at.getTime())) {
    if (direction === 'in') {
      entered ??= at
      continue
    }
    if (entered === null) continue
    const spent = clip(at) - clip(entered)
    if (guessed) assumed += spent
    else seen += spent
    entered = null
  }
  if (entered !== null && session) assumed += session.endsAt.getTime() - clip(entered)
  const times = (wanted: 'in' | 'out') => scans.filter(({ direction }) => direction === wanted).map(({ at }) => at.getTime())
  const [ins, outs] = [times('in'), times('out')]
  return {
    firstIn: ins.length > 0 ? new Date(Math.min(...ins)) : null,
    lastOut: outs.length > 0 ? new Date(Math.max(...outs)) : null,
    minutes: Math.round(seen / 60_000),
    assumedMinutes: Math.round(assumed / 60_000),
  }
}
