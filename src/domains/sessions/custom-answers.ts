import type { FieldError } from '../../kernel/errors.ts'
import { createUnknownNameFieldError } from '../../kernel/nearest.ts'
import { toAnswerCodes } from '../configuration/flow/answer-codes.ts'
import { findInvalidAnswerReason, normalizeAnswer, toCustomFieldRules } from '../configuration/flow/answer-rules.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'

/** Validates answers to the event's custom questions. Null or an empty text removes an answer. */
export function validateCustomQuestionAnswers(
  config: EventConfig,
  codes: readonly string[],
  given: Readonly<Record<string, unknown>>,
): { answers: Record<string, unknown>; errors: FieldError[] } {
  const errors: FieldError[] = []
  const answers: Record<string, unknown> = {}
  const country = config.details.venue?.country ?? null
  for (const [code, sent] of Object.entries(given)) {
    const field = codes.includes(code) ? config.customFields.find((one) => one.code === code) : undefined
    const typed = typeof sent === 'string' ? sent.trim() : sent
    if (!field) errors.push(createUnknownNameFieldError(`answers.${code}`, code, codes, 'question'))
    else if (typed === null || typed === '') answers[code] = null
    else {
      const rules = toCustomFieldRules(field)
      const value = toAnswerCodes(config, `@custom.${code}`, rules, typed)
      const wrong = findInvalidAnswerReason(rules, null, value, { country })
      if (wrong) errors.push({ path: `answers.${code}`, ...wrong })
      else answers[code] = normalizeAnswer(rules, value, country)
    }
  }
  return { answers, errors }
}
