import type { ToolMeanings } from './meanings.ts'

const WHICH = 'Which feedback.'

export const FEEDBACK: ToolMeanings = {
  list_feedback: {
    status: 'Only feedback in one of these states.',
    kind: 'Only feedback of this kind.',
    source: 'Only feedback that came this way.',
    tool: 'Only feedback about this tool.',
    since: 'Only what was last seen at this moment or later.',
    sort: 'The order: last seen, or most often.',
  },
  get_feedback: { feedbackId: WHICH },
  update_feedback: {
    feedbackId: WHICH,
    status: 'Its new state.',
    kind: 'Its kind, where it was wrong.',
    assignee: 'Who looks after it.',
    clear: 'Fields to empty.',
  },
  add_feedback_note: { feedbackId: WHICH, text: 'The note.' },
  merge_feedback: { feedbackId: 'The duplicate.', intoId: 'The one it is a duplicate of, which takes over its count.' },
  get_feedback_stats: { from: 'First moment that counts.', until: 'First moment that no longer counts.' },
}
