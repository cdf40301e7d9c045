import { CLIENT_TOOL_ARGUMENTS } from './clients.ts'
import { EVENT_TOOL_ARGUMENTS } from './events.ts'
import { FEEDBACK_TOOL_ARGUMENTS } from './feedback.ts'
import { PARTICIPANT_TOOL_ARGUMENTS } from './participants.ts'
import { REGISTRATION_TOOL_ARGUMENTS } from './registration.ts'
import { RESULT_MEANINGS } from './results.ts'
import { SHARED_ARGUMENTS } from './shared.ts'

/** By argument name; nested fields by path, such as `billTo.city`. */
export type Meanings = Readonly<Record<string, string>>
export type ToolMeanings = Readonly<Record<string, Meanings>>

/**
 * The meanings of arguments for the documentation. They are not in the tools' schemas, because assistants load those in every
 * conversation and descriptions and errors are enough for them. A test verifies that each argument has a meaning and each meaning an
 * argument.
 */
export const ARGUMENT_MEANINGS: ToolMeanings = { ...EVENT_TOOL_ARGUMENTS, ...REGISTRATION_TOOL_ARGUMENTS, ...CLIENT_TOOL_ARGUMENTS, ...PARTICIPANT_TOOL_ARGUMENTS, ...FEEDBACK_TOOL_ARGUMENTS }

export const findArgumentMeaning = (tool: string, path: string): string | null => findOwn(ARGUMENT_MEANINGS[tool], path) ?? findOwn(SHARED_ARGUMENTS, path) ?? null

export const findResultMeaning = (tool: string, field: string): string | null => findOwn(RESULT_MEANINGS, `${tool}.${field}`) ?? findOwn(RESULT_MEANINGS, field) ?? null

const findOwn = (meanings: Meanings | undefined, path: string): string | undefined =>
  meanings && Object.hasOwn(meanings, path) ? meanings[path] : undefined
