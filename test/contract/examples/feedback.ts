import { recordFeedback } from '../../../src/domains/feedback/record.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'

const said = (stage: Stage): Promise<string> =>
  recordFeedback(stage.world.database.write, { source: 'console', kind: 'bug', text: stage.text(), appVersion: '0.1.0' })

export const FEEDBACK_EXAMPLES: Examples = {
  list_feedback: async (stage) => {
    for (let i = 0; i < 3; i++) await said(stage)
    return { search: stage.word }
  },
  get_feedback: async (stage) => ({ feedbackId: await said(stage) }),
  update_feedback: [
    async (stage) => ({ feedbackId: await said(stage), status: 'triaged', assignee: stage.text() }),
    async (stage) => ({ feedbackId: await said(stage), kind: 'idea' }),
  ],
  add_feedback_note: async (stage) => ({ feedbackId: await said(stage), text: stage.text() }),
  merge_feedback: async (stage) => ({ feedbackId: await said(stage), intoId: await said(stage) }),
  get_feedback_stats: async (stage) => {
    await said(stage)
    return {}
  },
}
