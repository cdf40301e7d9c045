import { flag, id, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { denyAmendment } from '../../domains/block-requests/amendments.ts'
import { AmendmentShape, ChangedBlockRequest } from '../../domains/block-requests/shapes.ts'

export default eventTool({
  name: 'deny_block_request_amendment',
  title: 'Deny a change of rooms',
  description:
    "Say no: turn down a change that an exhibitor or group wants in its room block (more rooms or nights, a wish that the hotel simply can't meet), with a reason that tells them by email; its rooms stay as they are. To agree use approve_block_request_amendment. Returns the amendment and the request.",
  effect: 'change',
  permission: 'housing.write',
  openWorld: true,
  keyed: true,
  dryRun: true,
  input: { amendmentId: id('blockAmendment'), reason: text(1000), notify: flag().default(true) },
  output: { amendment: AmendmentShape, request: ChangedBlockRequest },
  run: denyAmendment,
})
