import { z } from 'zod'
import { toOneLine, count, list, money, object, oneOf, text } from '../../kernel/args.ts'

const share = object({ reached: count(), total: count() })

const Coverage = object({
  branches: count(),
  reached: count(),
  unreached: list(object({ path: z.string(), outcome: text(), reason: text() }), 10_000),
  pages: share,
  widgets: share,
  products: share,
  priceRows: share,
  emails: count(),
})

const Finding = object({
  code: text(),
  level: oneOf(['error', 'warning']),
  path: z.string(),
  personIndex: count().nullable(),
  message: z.string(),
  evidence: z.string(),
})

const Person = object({
  index: count(),
  goal: z.string(),
  tags: list(text()),
  answers: z.record(z.string(), z.unknown()),
  pages: list(text()),
  outcome: oneOf(['completed', 'blocked', 'waitlisted', 'failed']),
  total: money(),
})

const Accepted = object({ path: z.string(), fault: text() })
const Outcomes = object({ completed: count(), blocked: count(), waitlisted: count(), failed: count() })

export const RehearsalReport = {
  coverage: toOneLine(Coverage, 'branches, reached, unreached[] { path, outcome, reason } and shares').optional(),
  outcomes: toOneLine(Outcomes, 'completed, blocked, waitlisted, failed').optional(),
  findings: toOneLine(list(Finding, 50_000), '{ code, level, path, personIndex, message, evidence }').optional(),
  negative: toOneLine(
    object({ tried: count(), refused: count(), wronglyAccepted: list(Accepted, 10_000) }),
    'tried, refused, wronglyAccepted[] { path, fault }',
  ).optional(),
  totals: toOneLine(object({ orders: count(), amount: money() }), 'orders, amount').optional(),
  emails: toOneLine(
    list(object({ code: text(), rendered: count(), missingTokens: list(text()) })),
    '{ code, rendered, missingTokens[] }',
  ).optional(),
  timings: toOneLine(object({ p50Ms: count(), p95Ms: count() }), 'p50Ms, p95Ms').optional(),
  people: toOneLine(list(Person), '{ index, goal, tags, answers, pages[], outcome, total }'),
}
