import { type BriefAnswers, ROOM_OCCUPANCY_KINDS, type RoomsNeededOnNight, type RoomSetup } from './answers.ts'

/** Square metres per person, by seating layout. */
export const SQUARE_METRES_PER_PERSON: Record<RoomSetup, number> = {
  theater: 0.9,
  reception: 0.8,
  rounds: 1.3,
  classroom: 1.7,
  ushape: 2.3,
  boardroom: 2.3,
}
const AREA_PER_BOOTH = 18

/** Totals that are calculated from the answers of a brief. */
export interface BriefTotals {
  roomNights: number
  /** The largest number of rooms on any night. */
  peak: number
  /** The number of meals, counted per person. */
  covers: number
  /** The largest area in use at one time, in square metres. */
  area: number
}

export const countRoomsOfNight = (need: RoomsNeededOnNight): number =>
  ROOM_OCCUPANCY_KINDS.reduce((sum, occupancy) => sum + (need[occupancy] ?? 0), 0)

export function computeBriefTotals(answers: BriefAnswers): BriefTotals {
  const nights = answers.needRooms ? (answers.roomsByNight ?? []) : []
  const rooms = nights.map(countRoomsOfNight)
  return {
    roomNights: rooms.reduce((sum, each) => sum + each, 0),
    peak: Math.max(0, ...rooms),
    covers: (answers.meals ?? []).reduce((sum, { people }) => sum + people, 0),
    area: answers.needSpace ? measureArea(answers) : 0,
  }
}

/** Calculates the largest area in use at one time. Exhibition booths are in use the whole time; areas of simultaneous functions add up. */
function measureArea({ functions = [], exhibitBooths = 0 }: BriefAnswers): number {
  const areaAt = (day: string, time: string) =>
    functions
      .filter((one) => one.day === day && one.from <= time && time < one.until)
      .reduce((sum, { people, setup }) => sum + people * SQUARE_METRES_PER_PERSON[setup], 0)
  const largest = Math.max(0, ...functions.map(({ day, from }) => areaAt(day, from)))
  return Math.round((largest + exhibitBooths * AREA_PER_BOOTH) * 10) / 10
}
