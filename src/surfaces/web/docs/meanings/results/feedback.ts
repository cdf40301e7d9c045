import type { FieldDocsByTool } from '../meanings.ts'

export const FEEDBACK_RESULT_DOCS: FieldDocsByTool = {
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
