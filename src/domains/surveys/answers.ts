import { cleanText } from '../../kernel/clean-text.ts'
import { isPersonalQuestion, type Question } from './survey-config.ts'
import { extractWordsAndWordPairs } from './terms.ts'

export const MAX_TEXT_LENGTH = 2000

/** The value of an answer: a number, the code of a choice, several codes, or a text. */
export type AnswerValue = number | string | string[]

/** The value columns of an answer, of which exactly one is set. */
export interface AnswerColumns {
  rating: number | null
  nps: number | null
  choice: string | null
  choices: string[] | null
  text: string | null
}

type ReadAnswer = { value: AnswerValue | null } | { error: 'notAChoice' | 'tooLong' }

/** Reads the answer to a question from submitted form values. Null if the question was not answered. */
export function parseSurveyAnswer(question: Question, sent: readonly string[]): ReadAnswer {
  const given = sent.map((value) => value.trim()).filter((value) => value !== '')
  if (given.length === 0) return { value: null }
  switch (question.type) {
    case 'rating':
      return readNumber(given[0]!, 1, question.scaleMax)
    case 'nps':
      return readNumber(given[0]!, 0, 10)
    case 'choice':
      return hasChoice(question, given[0]!) ? { value: given[0]! } : { error: 'notAChoice' }
    case 'multiChoice':
      return given.every((code) => hasChoice(question, code))
        ? { value: question.choices.map(({ code }) => code).filter((code) => given.includes(code)) }
        : { error: 'notAChoice' }
    case 'text': {
      const text = cleanText(given[0]!).trim()
      if (text === '') return { value: null }
      return text.length > MAX_TEXT_LENGTH ? { error: 'tooLong' } : { value: text }
    }
  }
}

const hasChoice = ({ choices }: Question, code: string) => choices.some((choice) => choice.code === code)

function readNumber(text: string, min: number, max: number): ReadAnswer {
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  return value >= min && value <= max ? { value } : { error: 'notAChoice' }
}

export function toSurveyAnswerColumns(question: Question, value: AnswerValue, locale: string) {
  const { type } = question
  const empty = { rating: null, nps: null, choice: null, choices: null, text: null, terms: null }
  const answer = { type, is_personal: isPersonalQuestion(question), ...empty }
  if (type === 'multiChoice') return { ...answer, choices: [...(value as string[])] }
  if (type === 'text') return { ...answer, text: value as string, terms: extractWordsAndWordPairs(value as string, locale) }
  return { ...answer, [type]: value }
}

export const toAnswerValue = ({ rating, nps, choice, choices, text }: AnswerColumns): AnswerValue =>
  rating ?? nps ?? choice ?? choices ?? text!

/** Formats an answer as text: the names of choices, or the value itself. A choice that was removed from the survey is shown by its code. */
export function formatSurveyAnswer({ choices }: Pick<Question, 'choices'>, value: AnswerValue): string {
  const nameOf = (code: string) => choices.find((choice) => choice.code === code)?.name ?? code
  return Array.isArray(value) ? value.map(nameOf).join(', ') : typeof value === 'string' ? nameOf(value) : String(value)
}
