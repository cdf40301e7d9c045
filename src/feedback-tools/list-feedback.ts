import { instant, list, oneOf, pageArguments, pageResult, searchArgument, text, totalResult } from '../kernel/args.ts'
import { operatorTool } from '../kernel/tool.ts'
import { FeedbackSummary } from '../domains/feedback/feedback.ts'
import { listFeedback } from '../domains/feedback/feedback-list.ts'
import { FEEDBACK_KINDS, FEEDBACK_SOURCES, FEEDBACK_STATUSES } from '../domains/feedback/tables.ts'

export default operatorTool({
  name: 'list_feedback',
  title: 'List feedback and errors',
  description:
    'List what people said about this installation (feedback) and its internal errors, one row per error. Use to see what is new, what happens most (sort count), or to find an error by its reference (search). Not for one in full (use get_feedback) or totals (get_feedback_stats). Returns excerpts, counts and revisions.',
  effect: 'read',
  input: {
    status: list(oneOf(FEEDBACK_STATUSES), FEEDBACK_STATUSES.length).optional(),
    kind: oneOf(FEEDBACK_KINDS).optional(),
    source: oneOf(FEEDBACK_SOURCES).optional(),
    tool: text(100).optional(),
    since: instant().meta({ description: 'last seen at or after' }).optional(),
    search: searchArgument().optional(),
    sort: oneOf(['lastAt', 'count']).default('lastAt'),
    ...pageArguments,
  },
  output: { feedback: list(FeedbackSummary), ...totalResult, ...pageResult },
  run: listFeedback,
})
