import { flag, id, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { denyAmendment } from '../../domains/block-requests/amendments.ts'
import { Amendment, ChangedRequest } from '../../domains/block-requests/shapes.ts'

export default eventTool({
  name: 'deny_block_request_amendment',
  title: 'Deny a change of rooms',
  description:
    'Denies a change that the requester of a room block asked for, with a reason that is emailed to them. The rooms of the request stay as they are. Pending amendments are listed by list_block_requests with pendingAmendment and by get_block_request.',
  effect: 'change',
  permission: 'housing.write',
  openWorld: true,
  keyed: true,
  dryRun: true,
  input: { amendmentId: id('blockAmendment'), reason: text(1000), notify: flag().default(true) },
  output: { amendment: Amendment, request: ChangedRequest },
  run: denyAmendment,
})
