import { type RoomSetup, ROOM_SETUPS } from '../../../../domains/briefs/answers.ts'
import { chooseTranslator } from '../../../../kernel/language/translator.ts'

const { say } = chooseTranslator('en')

/** The names of seating arrangements of meeting rooms (such as theatre), as suppliers read them. */
export const ROOM_SETUP_NAMES = Object.fromEntries(ROOM_SETUPS.map((setup) => [setup, say(`rfp.setup.${setup}`)])) as Record<
  RoomSetup,
  string
>

/** Finds a seating arrangement by its name or code, ignoring case; null for any other text. */
export function parseRoomSetup(text: string): RoomSetup | null {
  const typed = text.trim().toLowerCase()
  return ROOM_SETUPS.find((setup) => setup === typed || ROOM_SETUP_NAMES[setup].toLowerCase() === typed) ?? null
}
