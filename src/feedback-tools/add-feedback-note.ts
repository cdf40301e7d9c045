import { id, text } from '../kernel/args.ts'
import { operatorTool } from '../kernel/tool.ts'
import { Feedback } from '../domains/feedback/feedback.ts'
import { addFeedbackNote } from '../domains/feedback/notes.ts'

export default operatorTool({
  name: 'add_feedback_note',
  title: 'Note something on a feedback',
  description:
    'Add a note (remark, finding, decision) to one feedback or error, for the next person who works on it. It is internal: no reply or email is sent. Notes cannot be changed; changes of status and merges are noted automatically. Not for changing it (use update_feedback). Returns it with its newest notes.',
  effect: 'change',
  input: { feedbackId: id('feedback'), text: text(2000) },
  output: { feedback: Feedback },
  run: addFeedbackNote,
})
