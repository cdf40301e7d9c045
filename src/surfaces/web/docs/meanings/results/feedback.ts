import type { ToolMeanings } from '../meanings.ts'

export const FEEDBACK_TOOL_RESULTS: ToolMeanings = {
  merge_feedback: { mergedId: 'The duplicate.' },
  get_feedback_stats: {
    items: 'Number of feedback entries.',
    occurrences: 'Total number of occurrences.',
    byStatus: 'By status.',
    byKind: 'By kind.',
    byTool: 'By tool.',
    byVersion: 'By version.',
  },
}
