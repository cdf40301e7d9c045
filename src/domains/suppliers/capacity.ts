import type { Setup } from '../briefs/answers.ts'
import { AREA_PER_PERSON } from '../briefs/needs.ts'
import type { MeetingRoom } from './tables.ts'

/** Guards the division against binary fractions: 510 m² are 300 seats in classroom. */
const TOLERANCE = 1e-9

/** The people that a room takes: as stated for the setup, otherwise by its area; null if both are unknown. */
export function capacityOf({ capacity, areaSqm }: MeetingRoom, setup: Setup): number | null {
  return capacity[setup] ?? (areaSqm === undefined ? null : Math.floor(areaSqm / AREA_PER_PERSON[setup] + TOLERANCE))
}
