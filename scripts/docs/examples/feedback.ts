import { recordFeedback } from '../../../src/domains/feedback/record.ts'
import type { DemoScenario } from '../demo-scenario.ts'
import type { Examples } from './example.ts'

const said = ({ world }: DemoScenario, text: string, kind: 'bug' | 'idea' = 'bug'): Promise<string> =>
  recordFeedback(world.database.write, { source: 'console', kind, text, appVersion: '0.1.0' })

async function newest(stage: DemoScenario, at = 0): Promise<string> {
  const { feedback } = await stage.call('list_feedback')
  return feedback[at].id
}

export const FEEDBACK_EXAMPLES: Examples = {
  list_feedback: async (stage) => {
    await said(stage, 'The badge preview cuts long surnames')
    await said(stage, 'Let me sort groups by balance', 'idea')
    await said(stage, 'Long surnames are cut on the badge')
    return { status: ['new'] }
  },
  get_feedback: async (stage) => ({ feedbackId: await newest(stage) }),
  get_feedback_stats: () => ({ from: '2027-01-01T00:00:00.000Z' }),
  update_feedback: async (stage) => ({ feedbackId: await newest(stage), status: 'triaged', assignee: 'Rita' }),
  add_feedback_note: async (stage) => ({ feedbackId: await newest(stage), text: 'Happens above 24 characters' }),
  merge_feedback: async (stage) => ({ feedbackId: await newest(stage), intoId: await newest(stage, 2) }),
}
