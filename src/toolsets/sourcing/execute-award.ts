import { z } from 'zod'
import { toOneLine, count, flag, id, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { executeAward } from '../../domains/awards/execute.ts'
import { Award } from '../../domains/awards/shapes.ts'
import { RFP_STATES } from '../../domains/rfps/states.ts'

const Rfp = object({ id: id(), number: text(), status: oneOf(RFP_STATES.all) })

export default eventTool({
  name: 'execute_award',
  title: 'Notify winning and losing bidders officially',
  description:
    'Make a proposed award official, which cannot be undone: notify the winner, and tell the losers no with a reason (regret letters). Check with dryRun first. Above the approval limit a second person must do it, not who called propose_award. Returns the award, emails and RFP.',
  effect: 'destructive',
  permission: 'sourcing.write',
  openWorld: true,
  keyed: true,
  input: {
    awardId: id('award'),
    declineReasons: toOneLine(z.record(text(24), text(2000)), 'recipientId: reason').optional(),
    discloseWinner: flag().default(false),
    keepOpen: flag().default(false),
  },
  output: {
    award: Award,
    emails: toOneLine(object({ won: count(), declined: count() }), 'won, declined'),
    rfp: toOneLine(Rfp, 'id, number, status'),
  },
  run: executeAward,
})
