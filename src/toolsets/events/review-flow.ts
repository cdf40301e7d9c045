import { z } from 'zod'
import { toOneLine, code, count, list, object, oneOf, text, truncationResult } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { reviewEvent } from '../../domains/authoring/review.ts'
import { CONFIG_OPERATIONS } from '../../domains/configuration/operations.ts'
import { FINDING_LEVELS } from '../../domains/configuration/review/context.ts'
import { FlowPreview } from '../../domains/configuration/review/preview-flow.ts'

const Operation = object({
  op: oneOf(CONFIG_OPERATIONS),
  path: z.string(),
  valueJson: z.string().optional(),
  before: z.string().optional(),
  after: z.string().optional(),
  at: count().optional(),
  to: z.string().optional(),
})

const Finding = object({
  code: text(),
  level: oneOf(FINDING_LEVELS),
  path: z.string(),
  message: z.string(),
  suggestion: object({ operations: toOneLine(list(Operation), 'as config_set takes them') }).optional(),
})

const Stats = object({
  pages: count(),
  widgets: count(),
  required: count(),
  conditions: count(),
  branches: count(),
  estimatedMinutes: z.number(),
})

export default eventTool({
  name: 'review_flow',
  title: 'Review registration flows',
  description:
    'Proofread a registration form (path, flow) and report what is wrong: dead ends, unreachable pages, skip logic, price gaps, no payment or confirmation page, late consent; a static QA and sanity check. Not for broken references (use validate_schema). Returns findings with edits for config_set; with personJson what that person sees.',
  effect: 'read',
  permission: 'events.read',
  input: {
    flowSlug: code().optional(),
    source: text(20).default('draft'),
    levels: list(oneOf(FINDING_LEVELS), 3).optional(),
    checks: list(text(3), 36).optional(),
    personJson: z.string().max(100_000).optional().describe('{tags[], answers{}, asOf?}: what would they see'),
  },
  output: {
    flows: list(object({ slug: text(), findings: list(Finding, 10_000), stats: Stats })),
    counts: object({ error: count(), warning: count(), info: count() }),
    reviewedRevision: count(),
    sees: toOneLine(FlowPreview, 'pages[], products[] with price, hidden[] with because').optional(),
    ...truncationResult,
  },
  run: reviewEvent,
})
