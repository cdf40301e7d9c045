import { z } from 'zod'
import { toOneLine, count, id, list, object, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { distributeRfp } from '../../domains/rfps/distribute.ts'
import { rfpStatusSchema, SkippedRecipientShape } from '../../domains/rfps/shapes.ts'

export default eventTool({
  name: 'distribute_rfp',
  title: 'Release an RFP or tender to the bidder list',
  description:
    'Send out a request for proposals (tender papers) to the chosen hotels by email, which cannot be undone: each gets a link and the PDF with a cover note. Preview with dryRun. Those who have it are skipped; each release is a round. To pick hotels use add_rfp_recipient. Returns what was queued.',
  effect: 'destructive',
  permission: 'sourcing.write',
  openWorld: true,
  keyed: true,
  input: {
    rfpId: id('rfp'),
    recipientIds: list(id('rfpRecipient'), 100).min(1).optional(),
    message: text(2000).optional(),
  },
  output: {
    queued: count(),
    skipped: list(SkippedRecipientShape),
    status: rfpStatusSchema(),
    round: count(),
    subject: z.string().optional(),
    html: z.string().optional(),
    pdf: toOneLine(object({ name: text(), size: count(), base64: z.string() }), 'name, size, base64').optional(),
  },
  previewOnly: ['subject', 'html', 'pdf'],
  run: distributeRfp,
})
