import { isDeepStrictEqual } from 'node:util'
import { type FieldError, invalidArguments } from '../../kernel/errors.ts'
import { rewordValidationMessage, removeMisleadingLimitIssues } from '../../kernel/limit-messages.ts'
import { createUnknownNameFieldError } from '../../kernel/nearest.ts'
import { findUnstorableText } from '../../kernel/storable-text.ts'
import type { BriefAnswers } from './answers.ts'
import { findContradictions } from './checks.ts'
import { isQuestionApplicable, findQuestion, QUESTION_CODES, type BriefQuestion, type QuestionCode } from './questions.ts'

export interface AnswerError {
  code: QuestionCode
  message: string
}

export type SubmittedAnswers = Readonly<Record<string, unknown>>

/** Rejects unknown question codes, each with the closest known code. */
export function refuseUnknownQuestionCodes(argument: 'answers' | 'skip', codes: readonly string[]): void {
  const unknown = codes.filter((code) => findQuestion(code) === null)
  if (unknown.length > 0)
    throw invalidArguments(
      unknown.map((code) =>
        createUnknownNameFieldError(argument === 'answers' ? `answers.${code}` : 'skip', code, QUESTION_CODES, 'question'),
      ),
    )
}

export interface ParsedAnswers {
  answers: BriefAnswers
  /** The codes of questions whose sent answer differs from the stored one. */
  changed: QuestionCode[]
  errors: AnswerError[]
}

/**
 * Merges the sent answers into the stored ones; null removes an answer. Invalid answers, and sent answers that contradict others, are left
 * out and reported.
 */
export function validateBriefAnswers(stored: BriefAnswers, sent: SubmittedAnswers): ParsedAnswers {
  const codes = Object.keys(sent) as QuestionCode[]
  refuseUnknownQuestionCodes('answers', codes)
  const read = new Map<QuestionCode, unknown>()
  const errors: AnswerError[] = []
  for (const code of codes) {
    const parsed = readAnswer(findQuestion(code)!, sent[code])
    if (parsed.errors.length === 0) read.set(code, parsed.value)
    else errors.push(...parsed.errors)
  }
  errors.push(...dropContradictions(stored, read))
  const answers = merge(stored, read)
  const changed = QUESTION_CODES.filter((code) => read.has(code) && !isDeepStrictEqual(stored[code], answers[code]))
  return { answers, changed, errors }
}

function readAnswer(question: BriefQuestion, value: unknown): { value: unknown; errors: AnswerError[] } {
  if (value === null) return { value: null, errors: [] }
  const { code, type } = question
  const parsed = question.shape.safeParse(value)
  if (!parsed.success) {
    const messages = removeMisleadingLimitIssues(parsed.error.issues).map((issue) => {
      const path = issue.path.join('.')
      return `${path === '' ? '' : `${path}: `}${rewordValidationMessage(issue)}`
    })
    return { value: null, errors: [{ code, message: `${messages.join('; ')}. Expected ${question.choices?.join(', ') ?? type}` }] }
  }
  const unstorable: FieldError[] = findUnstorableText(parsed.data, 'contains characters that cannot be stored')
  if (unstorable.length > 0) return { value: null, errors: [{ code, message: unstorable[0]!.message }] }
  // Converting the answer to JSON and back removes undefined properties, which Zod keeps for missing optional fields.
  return { value: JSON.parse(JSON.stringify(parsed.data)), errors: [] }
}

const merge = (stored: BriefAnswers, read: ReadonlyMap<QuestionCode, unknown>): BriefAnswers =>
  Object.fromEntries(Object.entries({ ...stored, ...Object.fromEntries(read) }).filter(([, value]) => value !== null))

/**
 * Removes sent answers that contradict others until no contradiction remains, and returns an error for every question of a contradiction.
 */
function dropContradictions(stored: BriefAnswers, read: Map<QuestionCode, unknown>): AnswerError[] {
  const errors = new Map<string, AnswerError>()
  for (let dropped = true; dropped;) {
    dropped = false
    const answers = merge(stored, read)
    const found = [...listUnasked(answers, read), ...findContradictions(answers)]
    for (const { codes, message } of found) {
      for (const code of codes) errors.set(`${code} ${message}`, { code, message })
      for (const code of codes) if (read.get(code) != null) dropped = read.delete(code) || dropped
    }
  }
  return [...errors.values()].toSorted((a, b) => QUESTION_CODES.indexOf(a.code) - QUESTION_CODES.indexOf(b.code))
}

/** Lists answers to questions that do not apply, each with the answer that makes its question inapplicable. */
const listUnasked = (answers: BriefAnswers, read: ReadonlyMap<QuestionCode, unknown>) =>
  [...read]
    .filter(([code, value]) => value !== null && !isQuestionApplicable(findQuestion(code)!, answers))
    .map(([code]) => {
      const { onlyIf } = findQuestion(code)!
      return { codes: [code, onlyIf!], message: `${code} applies only if ${onlyIf} is true` }
    })
