import { formatDay, formatDayAndMonth, formatTime } from '../../../kernel/language/format.ts'
import { addDays, toDayInZone } from '../../../kernel/time.ts'
import type { EventSite } from '../event/event-site.ts'

export const formatTimeInEventZone = ({ words, facts }: EventSite, at: Date): string => formatTime(words.locale, at, facts.timezone)

/** Formats a moment in everyday words: today or yesterday with the time, otherwise the day and the time. */
export function formatRelativeDayAndTime(site: EventSite, at: Date): string {
  const { words, facts } = site
  const [day, today] = [toDayInZone(facts.timezone, at), toDayInZone(facts.timezone, facts.now)]
  const time = formatTimeInEventZone(site, at)
  if (day === today) return words.say('portal.todayAt', { time })
  if (day === addDays(today, -1)) return words.say('portal.yesterdayAt', { time })
  return `${formatDayAndMonth(words.locale, day)}, ${time}`
}

/** Formats a moment with the full day and the time. */
export const formatDateAndTime = (site: EventSite, at: Date): string =>
  `${formatDay(site.words.locale, toDayInZone(site.facts.timezone, at))}, ${formatTimeInEventZone(site, at)}`
