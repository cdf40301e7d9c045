import { z } from 'zod'
import { brief, code, count, cut, flag, id, list, money, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { getRehearsal } from '../../domains/rehearsals/rehearsals.ts'

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
const OUTCOMES = ['completed', 'blocked', 'waitlisted', 'failed'] as const
const Person = object({
  index: count(),
  goal: z.string(),
  tags: list(text()),
  answers: z.record(z.string(), z.unknown()),
  pages: list(text()),
  outcome: oneOf(OUTCOMES),
  total: money(),
})

export default eventTool({
  name: 'get_flow_rehearsal',
  title: 'Read a rehearsal',
  description:
    'Results of a trial run (UAT, walkthrough, rehearsal) of a registration form, how it turned out: branches nobody reached, who got stuck or failed, prices, bad input wrongly accepted, mail tokens unresolved. The latest unless rehearsalId. Not for starting one (use rehearse_flow). Returns coverage, outcomes, findings and progress.',
  effect: 'read',
  permission: 'events.read',
  input: { rehearsalId: id().optional(), flowSlug: code().optional(), people: oneOf(['none', 'failed', 'all']).default('failed') },
  output: {
    rehearsalId: text(),
    status: oneOf(['queued', 'running', 'done', 'failed', 'cancelled']),
    progress: brief(object({ done: count(), total: count() }), 'done, total'),
    flowSlug: text(),
    source: text(),
    draftRevision: count(),
    seed: count(0, 2_147_483_647),
    stale: flag(),
    coverage: brief(Coverage, 'branches, reached, unreached[], pages, widgets, products, priceRows, emails').optional(),
    outcomes: brief(
      object({ completed: count(), blocked: count(), waitlisted: count(), failed: count() }),
      'completed, blocked, waitlisted, failed',
    ).optional(),
    findings: brief(list(Finding, 50_000), 'code, level (error, warning), path, personIndex, message, evidence').optional(),
    negative: brief(
      object({ tried: count(), refused: count(), wronglyAccepted: list(object({ path: z.string(), fault: text() }), 10_000) }),
      'tried, refused, wronglyAccepted[] { path, fault }',
    ).optional(),
    totals: brief(object({ orders: count(), amount: money() }), 'orders, amount').optional(),
    emails: brief(
      list(object({ code: text(), rendered: count(), missingTokens: list(text()) })),
      'code, rendered, missingTokens[]',
    ).optional(),
    timings: brief(object({ p50Ms: count(), p95Ms: count() }), 'p50Ms, p95Ms').optional(),
    people: brief(list(Person), 'index, goal, tags, answers, pages[], outcome, total'),
    ...cut,
  },
  run: getRehearsal,
})
