import { z } from 'zod'
import { toOneLine, count, flag, instant, list, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import { BRIEF_STATES } from './states.ts'
import { QUESTION_CODES, BRIEF_SECTIONS } from './questions.ts'

/**
 * The argument for answers by question code. Each answer is validated by its own question, so that an invalid answer does not reject the
 * others.
 */
export const createBriefAnswersArgument = () =>
  toOneLine(z.record(text(60), z.unknown()), 'answers by question code, such as attendees: 200')

export const createQuestionCodeSchema = () => oneOf(QUESTION_CODES as [string, ...string[]])

export const BriefTotalsShape = object({ roomNights: count(), peak: count(), covers: count(), area: z.number() })
export const BRIEF_TOTALS_FIELDS_TEXT = 'roomNights, peak, covers, area'

export const AnswerErrorShape = object({ code: createQuestionCodeSchema(), message: text(4000) })

export const NextQuestion = object({
  code: createQuestionCodeSchema(),
  section: oneOf(BRIEF_SECTIONS),
  text: text(),
  type: text(),
  choices: list(text()).optional(),
  required: flag(),
  suggestion: z.unknown().optional(),
})
export const NEXT_QUESTION_FIELDS_SUMMARY = 'code, section, text, type, choices[], required, suggestion'

export const BriefProgress = object({ answered: count(), questions: count(), missing: count() })

export const BriefSummary = object({
  id: text(),
  title: untrustedText(),
  status: oneOf(BRIEF_STATES.all),
  version: count(),
  lockedHash: text().nullable(),
  revision: count(),
  updatedAt: instant(),
})
export const BRIEF_SUMMARY_FIELDS_TEXT = 'id, title, status open|locked|archived, version, lockedHash, revision, updatedAt'

export const BriefVersionShape = object({ version: count(), hash: text(), lockedAt: instant(), lockedBy: untrustedText() })
export const RfpFromBrief = object({ id: text(), number: text(), title: untrustedText(), status: text(), briefVersion: count() })

/** Answers grouped by section, then by question code. */
export const AnswersBySection = z.partialRecord(oneOf(BRIEF_SECTIONS), z.record(text(), z.unknown()))

export const BriefDetail = object({
  ...BriefSummary.shape,
  answers: AnswersBySection,
  hidden: list(createQuestionCodeSchema()),
  missing: list(createQuestionCodeSchema()),
  contradictions: list(AnswerErrorShape),
  derived: BriefTotalsShape,
  versions: list(BriefVersionShape),
  rfps: list(RfpFromBrief),
})
export const BRIEF_DETAIL_FIELDS_TEXT = 'id, title, status, version, answers {}, hidden[], missing[], derived {}, versions[] ...'
