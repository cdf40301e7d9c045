import { z } from 'zod'
import { id } from '../kernel/args.ts'
import { operatorTool } from '../kernel/tool.ts'
import { Feedback } from '../domains/feedback/feedback.ts'
import { mergeFeedback } from '../domains/feedback/merge.ts'

export default operatorTool({
  name: 'merge_feedback',
  title: 'Merge duplicate feedback',
  description:
    'Mark one feedback as a duplicate of another: the counts are summed there, the error references joined, and what recurs under the duplicate counts for the other from then on. This is permanent. Merging into itself or into a duplicate is refused. Returns the one that was merged into.',
  effect: 'change',
  input: { feedbackId: id('feedback'), intoId: id('feedback') },
  output: { feedback: Feedback, mergedId: z.string() },
  run: mergeFeedback,
})
