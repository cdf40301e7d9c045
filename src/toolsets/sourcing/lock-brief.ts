import { toOneLine, count, flag, id, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { lockOrUnlockBrief } from '../../domains/briefs/lock.ts'
import { BRIEF_DETAIL_FIELDS_TEXT, BriefDetail } from '../../domains/briefs/shapes.ts'

export default eventTool({
  name: 'lock_brief',
  title: 'Freeze or unlock the venue requirements',
  description:
    'Lock (freeze, sign off) the venue requirements (meeting specs, list of needs) of a brief as a final version closed to edits, to go out to hotels, or unlock it. Refused while required answers are missing or an open RFP uses it. Next: create_rfp. Returns brief, version and hash.',
  effect: 'change',
  permission: 'sourcing.write',
  idempotent: true,
  input: { briefId: id('brief'), unlock: flag().default(false), reason: text(500).optional() },
  output: {
    brief: toOneLine(BriefDetail, BRIEF_DETAIL_FIELDS_TEXT),
    version: count(),
    lockedHash: text().nullable(),
  },
  run: lockOrUnlockBrief,
})
