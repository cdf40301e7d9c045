import { z } from 'zod'
import { describeSchemaInOneLine, boundedInteger, list, money, object, oneOf, text } from '../../kernel/args.ts'

const share = object({ reached: boundedInteger(), total: boundedInteger() })

const Coverage = object({
  branches: boundedInteger(),
  reached: boundedInteger(),
  unreached: list(object({ path: z.string(), outcome: text(), reason: text() }), 10_000),
  pages: share,
  widgets: share,
  products: share,
  priceRows: share,
  emails: boundedInteger(),
})

const Finding = object({
  code: text(),
  level: oneOf(['error', 'warning']),
  path: z.string(),
  personIndex: boundedInteger().nullable(),
  message: z.string(),
  evidence: z.string(),
})

const Person = object({
  index: boundedInteger(),
  goal: z.string(),
  tags: list(text()),
  answers: z.record(z.string(), z.unknown()),
  pages: list(text()),
  outcome: oneOf(['completed', 'blocked', 'waitlisted', 'failed']),
  total: money(),
})

const Accepted = object({ path: z.string(), fault: text() })
const Outcomes = object({ completed: boundedInteger(), blocked: boundedInteger(), waitlisted: boundedInteger(), failed: boundedInteger() })

export const RehearsalReport = {
  coverage: describeSchemaInOneLine(Coverage, 'branches, reached, unreached[] { path, outcome, reason } and shares').optional(),
  outcomes: describeSchemaInOneLine(Outcomes, 'completed, blocked, waitlisted, failed').optional(),
  findings: describeSchemaInOneLine(list(Finding, 50_000), '{ code, level, path, personIndex, message, evidence }').optional(),
  negative: describeSchemaInOneLine(
    object({ tried: boundedInteger(), refused: boundedInteger(), wronglyAccepted: list(Accepted, 10_000) }),
    'tried, refused, wronglyAccepted[] { path, fault }',
  ).optional(),
  totals: describeSchemaInOneLine(object({ orders: boundedInteger(), amount: money() }), 'orders, amount').optional(),
  emails: describeSchemaInOneLine(
    list(object({ code: text(), rendered: boundedInteger(), missingTokens: list(text()) })),
    '{ code, rendered, missingTokens[] }',
  ).optional(),
  timings: describeSchemaInOneLine(object({ p50Ms: boundedInteger(), p95Ms: boundedInteger() }), 'p50Ms, p95Ms').optional(),
  people: describeSchemaInOneLine(list(Person), '{ index, goal, tags, answers, pages[], outcome, total }'),
}
