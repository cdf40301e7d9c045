import { instant } from '../kernel/args.ts'
import { operatorTool } from '../kernel/tool.ts'
import { FeedbackStats, getFeedbackStats } from '../domains/feedback/stats.ts'

export default operatorTool({
  name: 'get_feedback_stats',
  title: 'Count feedback and errors',
  description:
    'Count feedback and internal errors by status, kind, tool and version: how many there are (items) and how often they were seen (occurrences; those of a duplicate count for the one it was merged into). Narrow with from and until on when each was last seen. Not for the entries themselves (use list_feedback).',
  effect: 'read',
  input: {
    from: instant().optional(),
    until: instant().meta({ description: 'not included' }).optional(),
  },
  output: FeedbackStats,
  run: getFeedbackStats,
})
