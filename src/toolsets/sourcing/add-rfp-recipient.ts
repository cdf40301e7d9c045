import { brief, count, email, id, list, object } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { addRecipientsInFull } from '../../domains/rfps/list.ts'
import { recipientList, SkippedSupplierShape } from '../../domains/rfps/shapes.ts'

export default eventTool({
  name: 'add_rfp_recipient',
  title: 'Add suppliers to an RFP',
  description:
    'Choose which hotels, venues or suppliers get a request for proposal. Sends nothing until distribute_rfp. Skips suppliers that are blocked, on the list or without an address. To find suppliers use search_suppliers. Returns all recipients.',
  effect: 'change',
  permission: 'sourcing.write',
  keyed: true,
  dryRun: true,
  input: {
    rfpId: id('rfp'),
    recipients: list(brief(object({ supplierId: id('supplier'), contactEmail: email().optional() }), 'supplierId, contactEmail'), 100).min(
      1,
    ),
  },
  output: { added: count(), skipped: list(SkippedSupplierShape), recipients: recipientList() },
  run: addRecipientsInFull,
})
