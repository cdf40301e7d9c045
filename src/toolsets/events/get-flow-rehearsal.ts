import { code, count, flag, id, pageArgumentsWithoutDefault, object, oneOf, pageResult, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { getRehearsal } from '../../domains/rehearsals/rehearsals.ts'
import { RehearsalReport } from '../../domains/rehearsals/shapes.ts'

export default eventTool({
  name: 'get_flow_rehearsal',
  title: 'Read a rehearsal',
  description:
    'Results of a trial run (UAT, walkthrough, rehearsal) of a registration form, how it turned out: branches no one reached, who got stuck or failed, prices, bad input wrongly accepted, mail tokens unresolved. The latest unless rehearsalId. Not for starting one (use rehearse_flow). Returns coverage, outcomes, findings and progress.',
  effect: 'read',
  permission: 'events.read',
  input: {
    rehearsalId: id('rehearsal').optional(),
    flowSlug: code().optional(),
    people: oneOf(['none', 'failed', 'all']).default('failed'),
    ...pageArgumentsWithoutDefault,
  },
  output: {
    rehearsalId: text(),
    status: oneOf(['queued', 'running', 'done', 'failed', 'cancelled']),
    progress: object({ done: count(), total: count() }),
    flowSlug: text(),
    source: text(),
    draftRevision: count(),
    seed: count(0, 2_147_483_647),
    stale: flag(),
    ...RehearsalReport,
    ...pageResult,
  },
  run: getRehearsal,
})
