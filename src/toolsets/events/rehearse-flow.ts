import { code, count, flag, instant, list, locale, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { readConfigWithValidFlow } from '../../domains/authoring/valid-flow-config.ts'
import { startRehearsal } from '../../domains/rehearsals/rehearsals.ts'

export default eventTool({
  name: 'rehearse_flow',
  title: 'Rehearse a registration flow',
  description:
    'Start a trial run (UAT) of a whole registration form before it opens: made-up people (pretend visitors) take each branch and path, first page to payment by dummy card; negative cases must be refused. Nothing real is touched or mailed. Not for a static check (use review_flow). Returns a job; read it with get_flow_rehearsal.',
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
  run: async (ctx, wish) => startRehearsal(ctx, await readConfigWithValidFlow(ctx, wish.source, wish.flowSlug), wish),
})
