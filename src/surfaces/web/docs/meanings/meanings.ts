import { CLIENTS } from './clients.ts'
import { EVENTS } from './events.ts'
import { FEEDBACK } from './feedback.ts'
import { PARTICIPANTS } from './participants.ts'
import { REGISTRATION } from './registration.ts'
import { RESULTS } from './results.ts'
import { SHARED } from './shared.ts'

/** By the name of an argument; parts of one by its path, `billTo.city`. */
export type Meanings = Readonly<Record<string, string>>
export type ToolMeanings = Readonly<Record<string, Meanings>>

/**
 * What arguments mean, told here and not in the tools' schemas: every conversation pays for each byte of those, and an assistant reads
 * the tool's description and its refusals. A test holds this to the tools: none without a meaning, no meaning without its argument.
 */
export const OWN_MEANINGS: ToolMeanings = { ...EVENTS, ...REGISTRATION, ...CLIENTS, ...PARTICIPANTS, ...FEEDBACK }

export const meaningOf = (tool: string, path: string): string | null => ownAt(OWN_MEANINGS[tool], path) ?? ownAt(SHARED, path) ?? null

export const resultMeaningOf = (tool: string, field: string): string | null => ownAt(RESULTS, `${tool}.${field}`) ?? ownAt(RESULTS, field) ?? null

const ownAt = (meanings: Meanings | undefined, path: string): string | undefined =>
  meanings && Object.hasOwn(meanings, path) ? meanings[path] : undefined
