import { toOneLine, flag, id, list, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { allocationLineSchema, MAX_ALLOCATION_LINES } from '../../domains/block-requests/allocation-lines.ts'
import { approveAmendment } from '../../domains/block-requests/amendments.ts'
import { AmendmentShape, AppliedAmendmentNight, ChangedBlockRequest, UnappliedAmendmentNight } from '../../domains/block-requests/shapes.ts'

export default eventTool({
  name: 'approve_block_request_amendment',
  title: 'Approve a change of rooms',
  description:
    'Say yes to a change that an exhibitor or group wants in its room block, such as extra nights or more rooms on top of its grant: from the same hotel and type, then others, or allocations you name; partial grants what fits. Requester is emailed. To refuse use deny_block_request_amendment. Returns the request and what was applied.',
  effect: 'change',
  permission: 'housing.write',
  openWorld: true,
  keyed: true,
  dryRun: true,
  input: {
    amendmentId: id('blockAmendment'),
    allocations: list(
      toOneLine(allocationLineSchema(1), 'hotelId, roomTypeCode, from and until or nights[], rooms'),
      MAX_ALLOCATION_LINES,
    ).optional(),
    partial: flag().default(false),
    note: text(1000).optional(),
    notify: flag().default(true),
  },
  output: {
    request: ChangedBlockRequest,
    amendment: AmendmentShape,
    applied: list(AppliedAmendmentNight, 100_000),
    notApplied: list(UnappliedAmendmentNight),
  },
  run: approveAmendment,
})
