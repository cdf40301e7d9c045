import { atWallTime } from '../../kernel/time.ts'

export interface Hours {
  /** In the event's zone. */
  day: string
  from: string
  until: string
}

export interface Slot {
  startsAt: Date
  endsAt: Date
}

const MINUTE = 60_000

/**
 * Hours cut into slots of equal length, with a break after each; what is left at the end is dropped. The hours are what clocks at the event
 * show, the slots are as long as they say: over a change of the clocks there are more or fewer of them.
 */
export function cutIntoSlots({ day, from, until }: Hours, zone: string, minutes: number, breakMinutes = 0): Slot[] {
  const end = atWallTime(zone, `${day}T${until}`).getTime()
  const slots: Slot[] = []
  let start = atWallTime(zone, `${day}T${from}`).getTime()
  while (start + minutes * MINUTE <= end) {
    slots.push({ startsAt: new Date(start), endsAt: new Date(start + minutes * MINUTE) })
    start += (minutes + breakMinutes) * MINUTE
  }
  return slots
}
