import type { FieldDocsByTool } from '../meanings.ts'

const WHICH = 'Which feedback.'

export const FEEDBACK_ARGUMENT_DOCS: FieldDocsByTool = {
  list_feedback: {
    status: 'Only feedback with one of these statuses.',
    kind: 'Only feedback of this kind.',
    source: 'Only feedback from this source.',
    tool: 'Only feedback about this tool.',
    since: 'Only feedback last seen at or after this time.',
    sort: 'Order: last seen, or most frequent.',
  },
  get_feedback: { feedbackId: WHICH },
  update_feedback: {
    feedbackId: WHICH,
    status: 'New status.',
    kind: 'Corrected kind.',
    assignee: 'Who is responsible for it.',
    clear: 'Fields to clear.',
  },
  add_feedback_note: { feedbackId: WHICH, text: 'The note.' },
  merge_feedback: { feedbackId: 'The duplicate.', intoId: 'Original feedback. Its count increases by that of the duplicate.' },
  get_feedback_stats: { from: 'Start of the period, inclusive.', until: 'End of the period, exclusive.' },
}
