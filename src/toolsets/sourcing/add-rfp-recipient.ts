import { brief, count, email, id, list, object } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { addRecipientsInFull } from '../../domains/rfps/list.ts'
import { recipientList, SkippedSupplierShape } from '../../domains/rfps/shapes.ts'

export default eventTool({
  name: 'add_rfp_recipient',
  title: 'Add suppliers to an RFP',
  description:
    'Choose which hotels, venues or other suppliers get a request for proposal, each with its first contact or another email address. Sends nothing: the next distribute_rfp does. Blocked suppliers, those without an address and those already on the list are skipped. To find suppliers use search_suppliers. Returns all recipients.',
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
