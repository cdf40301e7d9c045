import { toOneLine, count, email, id, list, object } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { addAndListRecipients } from '../../domains/rfps/list.ts'
import { recipientListSchema, SkippedSupplierShape } from '../../domains/rfps/shapes.ts'

export default eventTool({
  name: 'add_rfp_recipient',
  title: 'Put one more bidder or property on a tender',
  description:
    'Add hotels or vendors to the bidder list of an RFP, so that they get the tender and may quote. Does not contact them yet: distribute_rfp does. Skips those blocked, listed or without address. To find them use search_suppliers. Returns all recipients.',
  effect: 'change',
  permission: 'sourcing.write',
  keyed: true,
  dryRun: true,
  input: {
    rfpId: id('rfp'),
    recipients: list(
      toOneLine(object({ supplierId: id('supplier'), contactEmail: email().optional() }), 'supplierId, contactEmail'),
      100,
    ).min(1),
  },
  output: { added: count(), skipped: list(SkippedSupplierShape), recipients: recipientListSchema() },
  run: addAndListRecipients,
})
