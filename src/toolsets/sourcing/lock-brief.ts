import { brief, count, flag, id, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { lockOrUnlockBrief } from '../../domains/briefs/lock.ts'
import { BRIEF_DETAIL, BriefDetail } from '../../domains/briefs/shapes.ts'

export default eventTool({
  name: 'lock_brief',
  title: 'Lock or unlock a sourcing brief',
  description:
    'Lock (freeze, sign off) a sourcing brief as a numbered version, so that an RFP can be made from it, or unlock it for changes. Refused while required answers are missing or an open RFP uses it. Next: create_rfp. Returns brief, version and hash.',
  effect: 'change',
  permission: 'sourcing.write',
  idempotent: true,
  input: { briefId: id('brief'), unlock: flag().default(false), reason: text(500).optional() },
  output: { brief: brief(BriefDetail, BRIEF_DETAIL), version: count(), lockedHash: text().nullable() },
  run: lockOrUnlockBrief,
})
