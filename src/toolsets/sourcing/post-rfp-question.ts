import { count, id, list, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { postAndReadQuestion } from '../../domains/rfps/list.ts'
import { PostedQuestion } from '../../domains/rfps/shapes.ts'

export default eventTool({
  name: 'post_rfp_question',
  title: 'Ask bidders a question or answer theirs',
  description:
    'Ask all bidding hotels something, or reply to a bidder (answerTo): shareWith all so that everyone sees it, without naming who asked, asker replies privately. Emails them. To read the Q&A use list_rfps. Returns the question and count notified.',
  effect: 'change',
  permission: 'sourcing.write',
  openWorld: true,
  keyed: true,
  dryRun: true,
  input: {
    rfpId: id('rfp'),
    body: text(4000),
    recipientIds: list(id('rfpRecipient'), 100).min(1).optional(),
    answerTo: id('rfpQuestion').optional(),
    shareWith: oneOf(['all', 'asker']).default('all'),
  },
  output: { question: PostedQuestion, notified: count() },
  findArgumentErrors: ({ recipientIds, answerTo }) =>
    recipientIds !== undefined && answerTo !== undefined
      ? [{ path: 'recipientIds', message: 'is not allowed with answerTo: shareWith decides who reads the answer' }]
      : [],
  run: postAndReadQuestion,
})
