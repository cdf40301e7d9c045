import { recordFeedback } from '../../../src/domains/feedback/record.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'

const addFeedback = (stage: Stage): Promise<string> =>
  recordFeedback(stage.world.database.write, { source: 'console', kind: 'bug', text: stage.text(), appVersion: '0.1.0' })

export const FEEDBACK_EXAMPLES: Examples = {
  list_feedback: async (stage) => {
    for (let i = 0; i < 3; i++) await addFeedback(stage)
    return { search: stage.word }
  },
  get_feedback: async (stage) => ({ feedbackId: await addFeedback(stage) }),
  update_feedback: [
    async (stage) => ({ feedbackId: await addFeedback(stage), status: 'triaged', assignee: stage.text() }),
    async (stage) => ({ feedbackId: await addFeedback(stage), kind: 'idea' }),
  ],
  add_feedback_note: async (stage) => ({ feedbackId: await addFeedback(stage), text: stage.text() }),
  merge_feedback: async (stage) => ({ feedbackId: await addFeedback(stage), intoId: await addFeedback(stage) }),
  get_feedback_stats: async (stage) => {
    await addFeedback(stage)
    return {}
  },
}
