import { count, id, list, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { postQuestionInFull } from '../../domains/rfps/list.ts'
import { PostedQuestion } from '../../domains/rfps/shapes.ts'

export default eventTool({
  name: 'post_rfp_question',
  title: 'Ask suppliers or answer them',
  description:
    'Ask all or some suppliers of a distributed RFP something, or answer a question of a supplier (answerTo): shareWith all sends question and answer to every supplier without naming who asked, also to those added later; asker replies privately. Emails them. To read questions use list_rfps with rfpId. Returns the question and how many were notified.',
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
  run: postQuestionInFull,
})
