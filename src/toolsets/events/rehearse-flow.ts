import { code, count, flag, instant, list, locale, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { readUnbroken } from '../../domains/authoring/unbroken.ts'
import { startRehearsal } from '../../domains/rehearsals/rehearsals.ts'

export default eventTool({
  name: 'rehearse_flow',
  title: 'Rehearse a registration flow',
  description:
    'Try out a registration form end to end before opening it (dry run, QA, simulate registrants): made-up people take every branch, price and lookup, wrong answers must be refused. Nothing real is touched or mailed. Starts a job; read it with get_flow_rehearsal. Not for a static check (use review_flow).',
  effect: 'change',
  permission: 'events.write',
  keyed: true,
  openWorld: true,
  input: {
    flowSlug: code(),
    source: text(20).default('draft'),
    maxPeople: count(1, 500).default(60),
    seed: count(0, 2_147_483_647).default(1),
    negative: flag().default(true),
    locales: list(locale(), 20).min(1, 'needs a language').optional(),
    asOf: instant().optional(),
    keepTestData: flag().default(false),
    withDirectory: oneOf(['stub', 'live']).default('stub'),
  },
  output: {
    jobId: text(),
    rehearsalId: text(),
    status: oneOf(['queued']),
    plannedPeople: count(),
    plannedGoals: count(),
  },
  run: async (ctx, wish) => startRehearsal(ctx, await readUnbroken(ctx, wish.source, wish.flowSlug), wish),
})
