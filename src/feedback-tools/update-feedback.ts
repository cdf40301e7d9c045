import { fieldsToClear, id, ifRevision, list, oneOf, text } from '../kernel/args.ts'
import { operatorTool } from '../kernel/tool.ts'
import { Feedback } from '../domains/feedback/feedback.ts'
import { FEEDBACK_KINDS } from '../domains/feedback/tables.ts'
import { updateFeedback } from '../domains/feedback/update.ts'

export default operatorTool({
  name: 'update_feedback',
  title: 'Change a feedback',
  description:
    'Set the status, kind or assignee of one feedback or error; only what is sent changes, and a note records the previous value. An error marked fixed becomes new again automatically when it recurs in a later version. Not for duplicates (use merge_feedback) or remarks (add_feedback_note). Returns it after the change.',
  effect: 'change',
  idempotent: true,
  input: {
    feedbackId: id('feedback'),
    status: oneOf(['new', 'triaged', 'planned', 'fixed', 'declined']).optional(),
    kind: oneOf(FEEDBACK_KINDS).optional(),
    assignee: text(120).optional(),
    clear: fieldsToClear(['assignee']),
    ifRevision: ifRevision(),
  },
  output: { feedback: Feedback, changed: list(text()) },
  run: updateFeedback,
})
