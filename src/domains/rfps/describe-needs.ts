import { formatDateRange, formatDay, formatList, formatNumber } from '../../kernel/language/format.ts'
import type { Translator } from '../../kernel/language/translator.ts'
import { type DateOption, ROOM_OCCUPANCY_KINDS, type RoomOccupancyKind } from '../briefs/answers.ts'
import { computeBriefTotals } from '../briefs/needs.ts'
import type { RfpRow } from './tables.ts'

export interface LabelledNeed {
  label: string
  lines: string[]
}

export const formatDates = (locale: string, { arrival, departure }: DateOption) => formatDateRange(locale, arrival, departure)

/** Describes the needs of an RFP for suppliers, on their page and in the PDF. The budget and the maximum rate are not shown. */
export function describeNeeds({ requirements: needs, date_options }: RfpRow, { say, locale }: Translator): LabelledNeed[] {
  const [preferred, ...others] = date_options
  const spaces = needs.needSpace ? (needs.functions ?? []) : []
  const type = needs.eventType ?? ''
  const cities = formatList(locale, needs.cities ?? [])
  const facts: [label: string, lines: (string | false | undefined)[]][] = [
    [
      say('rfp.dates'),
      [
        `${formatDates(locale, preferred!)}${others.length > 0 ? ` ${say('rfp.preferred')}` : ''}`,
        ...others.map((option) => say('rfp.or', { dates: formatDates(locale, option) })),
      ],
    ],
    [say('rfp.event'), [needs.purpose, needs.attendees === undefined ? type : say('rfp.people', { type, count: needs.attendees })]],
    [say('rfp.place'), [needs.radiusKm === undefined ? cities : say('rfp.radius', { cities, km: needs.radiusKm })]],
    [
      say('rfp.space'),
      [
        ...spaces.map(({ name, day, from, until, people, setup }) =>
          say('rfp.function', { name, day: formatDay(locale, day), from, until, people, setup: say(`rfp.setup.${setup}`) }),
        ),
        needs.needSpace && needs.exhibitBooths ? say('rfp.booths', { count: needs.exhibitBooths }) : undefined,
      ],
    ],
    [say('rfp.meals'), (needs.meals ?? []).map(({ kind, people, day }) => say('rfp.meal', { kind, people, day: formatDay(locale, day) }))],
    [say('rfp.av'), [needs.avNeeds]],
    [say('rfp.mustHaves'), [formatList(locale, needs.mustHaves ?? [])]],
    [
      say('rfp.wanted'),
      [
        ...(needs.concessionsWanted ?? []),
        needs.attritionWanted !== undefined && say('rfp.attrition', { percent: formatNumber(locale, needs.attritionWanted) }),
        needs.cutoffDaysWanted !== undefined && say('rfp.cutoff', { count: needs.cutoffDaysWanted }),
      ],
    ],
  ]
  return facts.flatMap(([label, lines]) => {
    const shown = lines.filter((line): line is string => Boolean(line))
    return shown.length === 0 ? [] : [{ label, lines: shown }]
  })
}

/** Lists the occupancies of the rooms that an RFP requests; empty if it needs no rooms. */
export const listRequestedOccupancies = ({ requirements: { needRooms, roomsByNight = [] } }: RfpRow): RoomOccupancyKind[] =>
  needRooms ? ROOM_OCCUPANCY_KINDS.filter((one) => roomsByNight.some((need) => (need[one] ?? 0) > 0)) : []

/** Summarizes the needs of an RFP in a few words, such as "250 room nights and 2 meals". */
export function summarizeNeeds({ requirements }: RfpRow, { say, locale }: Translator): string {
  const { roomNights } = computeBriefTotals(requirements)
  const meals = requirements.meals?.length ?? 0
  const parts = [
    ...(roomNights > 0 ? [say('supplier.roomNights', { count: roomNights })] : []),
    ...(meals > 0 ? [say('supplier.mealCount', { count: meals })] : []),
  ]
  return parts.length === 0 ? say('supplier.anOffer') : formatList(locale, parts)
}
