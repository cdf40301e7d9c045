import { Cron } from 'croner'

/**
 * When recurring work falls due: every so many seconds, counted from 1970, or at the times of a five-field cron expression in a time zone.
 * At a clock change Croner follows Vixie cron: a fixed time of day is due once, and at the end of the gap if the clocks skip it.
 */
export type Schedule = { everySeconds: number } | { cron: string; zone?: string }

/** The most recent time at which the schedule was due, at or before the given instant. */
export function findLastDueTime(schedule: Schedule, at: Date): Date {
  if ('everySeconds' in schedule) return floorTo(schedule.everySeconds, at)
  // The library Croner searches strictly before the given time, to the second.
  return foundIn(schedule, parseCron(schedule).previousRuns(1, new Date(floorTo(1, at).getTime() + 1000))[0])
}

/** The next time at which the schedule is due, after the given instant. */
export function findNextDueTime(schedule: Schedule, at: Date): Date {
  if ('everySeconds' in schedule) return new Date(floorTo(schedule.everySeconds, at).getTime() + schedule.everySeconds * 1000)
  return foundIn(schedule, parseCron(schedule).nextRun(at))
}

const floorTo = (seconds: number, at: Date) => new Date(Math.floor(at.getTime() / (seconds * 1000)) * seconds * 1000)

const parsed = new Map<string, Cron>()

function parseCron({ cron: expression, zone = 'UTC' }: { cron: string; zone?: string }): Cron {
  const key = `${expression} ${zone}`
  const known = parsed.get(key)
  if (known) return known
  try {
    // With sloppyRanges, `5/15` means every 15 minutes from minute 5 on, as in other cron implementations.
    const cron = new Cron(expression, { mode: '5-part', sloppyRanges: true, timezone: zone, paused: true })
    parsed.set(key, cron)
    return cron
  } catch (error) {
    throw new Error(`${JSON.stringify(expression)} is not a cron expression`, { cause: error })
  }
}

function foundIn({ cron }: { cron: string }, slot: Date | null | undefined): Date {
  if (!slot) throw new Error(`${cron} names no day that exists`)
  return slot
}
