import { z } from 'zod'
import { toOneLine, count, instant, keepNullInResult, list, object, oneOf, untrustedText } from '../../../kernel/args.ts'

const figure = () => z.number().nullable().optional()

const Distribution = list(
  object({
    value: z.union([z.string(), z.number()]),
    label: z.string(),
    count: count(),
    percent: z.number().nullable(),
    percentOfRespondents: figure(),
  }),
)

const figures = {
  nps: figure(),
  margin: figure(),
  mean: figure(),
  sd: figure(),
  median: figure(),
  topTwo: figure(),
  distribution: Distribution.optional(),
}

const Question = object({
  code: z.string(),
  name: z.string(),
  type: oneOf(['rating', 'nps', 'choice', 'multiChoice', 'text']),
  shown: count(),
  answered: count(),
  skipped: count(),
  ...figures,
  medianLength: figure(),
  overlapping: z.literal(true).optional(),
  withheld: z.literal(true).optional(),
  terms: list(object({ term: untrustedText(), responses: count() })).optional(),
  samples: list(untrustedText()).optional(),
  previous: object({ answered: count(), ...figures }).optional(),
})

export const QuestionList = toOneLine(
  list(Question),
  'code, name, type, shown, answered, nps, margin, mean, median, distribution[], terms[] ...',
)

export const SegmentList = toOneLine(
  list(
    object({
      key: keepNullInResult(z.string().nullable()),
      n: count(),
      questions: list(Question).nullable(),
      suppressed: z.boolean(),
    }),
  ),
  'key, n, questions[], suppressed',
)

export const SurveyList = toOneLine(
  list(
    object({
      code: z.string(),
      name: z.string(),
      state: oneOf(['notYet', 'open', 'closed']),
      anonymous: z.boolean(),
      perSession: z.boolean(),
      opensAt: instant().nullable(),
      closesAt: instant().nullable(),
      questions: count(),
      invited: count(),
      delivered: count(),
      bounced: count(),
      opened: count(),
      started: count(),
      complete: count(),
      declined: count(),
      responseRate: z.number().nullable(),
    }),
  ),
  'code, name, state, anonymous, opensAt, closesAt, invited, complete, responseRate ...',
)

const AnswerValue = z.union([z.number(), untrustedText(), list(z.string())])

export const ResponseList = toOneLine(
  list(
    object({
      id: z.string(),
      completedAt: z.string().nullable(),
      status: oneOf(['partial', 'complete']),
      participant: object({ id: z.string(), name: untrustedText(), email: untrustedText().nullable() }).optional(),
      flowSlug: z.string().nullable(),
      tags: list(z.string()),
      sessionId: z.string().optional(),
      answers: z.record(z.string(), AnswerValue),
      labels: z.record(z.string(), untrustedText()),
    }),
  ),
  'id, completedAt, status, participant, flowSlug, tags, sessionId, answers, labels',
)
