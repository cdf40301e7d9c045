import { z } from 'zod'
import { toOneLine, count, truncationResult, flag, id, list, money, object, oneOf } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { applyRecommendations, validateFindingSelection } from '../../domains/taxation/apply.ts'

const Applied = object({ findingId: id(), path: z.string(), before: z.unknown(), after: z.unknown() })

export default eventTool({
  name: 'apply_tax_recommendations',
  title: 'Apply tax recommendations',
  description:
    'Apply (accept, adopt) the suggested VAT or tax fixes and rates that a check found into the draft: adds the missing tax and points products (tickets, booths) to it. Not for finding what is wrong (use start_tax_assessment). Publish afterwards; issued invoices stay. Returns changes, skipped findings, invoices.',
  effect: 'change',
  permission: ['registration.write', 'money.write'],
  idempotent: true,
  dryRun: true,
  findArgumentErrors: validateFindingSelection,
  input: {
    assessmentId: id('taxAssessment'),
    findingIds: list(id('taxFinding'), 1000).min(1, 'needs an id').optional(),
    all: flag().optional(),
  },
  output: {
    applied: toOneLine(list(Applied), 'findingId, path, before, after'),
    skipped: list(object({ findingId: id(), reason: oneOf(['already_applied', 'not_applicable']) })),
    draftRevision: count(),
    needsPublish: flag(),
    affectedInvoices: toOneLine(object({ count: count(), under: money(), over: money() }), 'count, under, over'),
    ...truncationResult,
  },
  run: applyRecommendations,
})
