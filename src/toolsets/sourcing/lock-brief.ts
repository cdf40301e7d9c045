import { brief, count, flag, id, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { lockOrUnlockBrief } from '../../domains/briefs/lock.ts'
import { BRIEF_DETAIL, BriefDetail } from '../../domains/briefs/shapes.ts'

export default eventTool({
  name: 'lock_brief',
  title: 'Lock or unlock a sourcing brief',
  description:
    'Lock (freeze, sign off) a sourcing brief as a numbered version with a hash, so that an RFP can be made from it, or unlock it for changes. Unchanged answers keep their version. Not possible while required answers are missing, or to unlock while an open RFP uses it. Next: create_rfp. Returns the brief, version and hash.',
  effect: 'change',
  permission: 'sourcing.write',
  idempotent: true,
  input: { briefId: id('brief'), unlock: flag().default(false), reason: text(500).optional() },
  output: { brief: brief(BriefDetail, BRIEF_DETAIL), version: count(), lockedHash: text().nullable() },
  run: lockOrUnlockBrief,
})
