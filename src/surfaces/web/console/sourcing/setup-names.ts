import { type RoomSetup, ROOM_SETUPS } from '../../../../domains/briefs/answers.ts'
import { translatorFor } from '../../../../kernel/language/translator.ts'

const { say } = translatorFor('en')

/** The names of room setups, as suppliers read them. */
export const SETUP_NAMES = Object.fromEntries(ROOM_SETUPS.map((setup) => [setup, say(`rfp.setup.${setup}`)])) as Record<RoomSetup, string>

/** Finds a setup by its name or code, in any case; null if the text names none. */
export function findSetup(text: string): RoomSetup | null {
  const typed = text.trim().toLowerCase()
  return ROOM_SETUPS.find((setup) => setup === typed || SETUP_NAMES[setup].toLowerCase() === typed) ?? null
}
