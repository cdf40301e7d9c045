import { z } from 'zod'
import { toOneLine, code, count, day, flag, instant, list, money, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import { ADD_RECIPIENT_SKIP_REASONS } from './recipients.ts'
import { DISTRIBUTION_SKIP_REASONS } from './distribute.ts'
import { RECIPIENT_STATES, RFP_STATES } from './states.ts'
import { QUESTION_TYPES } from './tables.ts'

export const rfpStatusSchema = () => oneOf(RFP_STATES.all)

export const DateOptionShape = object({ arrival: day(), departure: day() })

/** A question that suppliers answer in their response. */
export const SupplierQuestionnaireItemShape = object({
  code: code(),
  text: text(1000),
  type: oneOf(QUESTION_TYPES),
  choices: list(text(200), 20).optional(),
  required: flag().default(false),
  mustBe: z.union([z.string(), z.number(), z.boolean()]).optional(),
})

const counts = {
  total: count(),
  notSent: count(),
  sent: count(),
  submitted: count(),
  turnedDown: count(),
  noResponse: count(),
}
export type RecipientCounts = Record<keyof typeof counts, number>

const summary = {
  id: text(),
  number: text(),
  title: text(),
  status: rfpStatusSchema(),
  responseDueAt: instant(),
  openQuestions: count(),
}

export const RfpSummary = object({
  ...summary,
  recipients: toOneLine(object(counts), 'total, notSent, sent, submitted, turnedDown, noResponse'),
})

export const RecipientShape = object({
  id: text(),
  supplierId: text(),
  supplier: untrustedText(),
  email: untrustedText(),
  status: oneOf(RECIPIENT_STATES.all),
  reason: untrustedText().optional(),
  sentAt: instant().optional(),
  openedAt: instant().optional(),
})
export const recipientListSchema = () => toOneLine(list(RecipientShape, 1000), 'id, supplierId, supplier, email, status, reason')

const AnswerShape = object({
  id: text(),
  from: oneOf(['organizer', 'supplier']),
  supplier: untrustedText().optional(),
  body: untrustedText(),
  sharedWith: oneOf(['all', 'one']),
  at: instant(),
})

export const QuestionShape = object({
  id: text(),
  from: oneOf(['supplier', 'organizer']),
  recipientId: text().optional(),
  supplier: untrustedText().optional(),
  body: untrustedText(),
  sharedWith: oneOf(['all', 'one']),
  at: instant(),
  answers: list(AnswerShape),
})
const QUESTION_LINE = 'id, from, recipientId, supplier, body, sharedWith, at, answers[] { from, body, at }'
export const PostedQuestion = toOneLine(QuestionShape, QUESTION_LINE)

export const RfpDetail = toOneLine(
  object({
    ...summary,
    briefId: text(),
    briefVersion: count(1),
    round: count(),
    sealed: flag(),
    currency: text(),
    questionsDueAt: instant(),
    decisionOn: day(),
    rubricLockedAt: instant().optional(),
    cancelledReason: text(2000).optional(),
    dateOptions: list(DateOptionShape),
    requirements: z.looseObject({}),
    responseQuestions: list(SupplierQuestionnaireItemShape),
    attachments: list(text()),
    counts: object(counts),
    recipients: list(RecipientShape),
    questions: list(QuestionShape),
    rubric: z.looseObject({}).optional(),
    award: object({ id: text(), status: text(), total: money() }).optional(),
  }),
  'as in rfps; requirements, dateOptions[], recipients[], questions[], rubric, award',
)

export const SkippedSupplierShape = toOneLine(
  object({ supplierId: text(), reason: oneOf(ADD_RECIPIENT_SKIP_REASONS) }),
  'supplierId, reason',
)
export const SkippedRecipientShape = toOneLine(
  object({ recipientId: text(), supplierId: text(), reason: oneOf(DISTRIBUTION_SKIP_REASONS) }),
  'recipientId, supplierId, reason',
)
