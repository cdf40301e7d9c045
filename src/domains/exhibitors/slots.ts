import { wallTimeToInstant } from '../../kernel/time.ts'

export interface MeetingHours {
  /** Date of the meeting hours, in the event's time zone. */
  day: string
  from: string
  until: string
}

export interface TimeSlot {
  startsAt: Date
  endsAt: Date
}

const MINUTE_MS = 60_000

/**
 * Splits hours into slots of equal length with a break after each; a remainder is dropped. Hours are local time at the event, so a clock
 * change gives more or fewer slots.
 */
export function splitHoursIntoSlots({ day, from, until }: MeetingHours, zone: string, minutes: number, breakMinutes = 0): TimeSlot[] {
  const end = wallTimeToInstant(zone, `${day}T${until}`).getTime()
  const slots: TimeSlot[] = []
  let start = wallTimeToInstant(zone, `${day}T${from}`).getTime()
  while (start + minutes * MINUTE_MS <= end) {
    slots.push({ startsAt: new Date(start), endsAt: new Date(start + minutes * MINUTE_MS) })
    start += (minutes + breakMinutes) * MINUTE_MS
  }
  return slots
}
