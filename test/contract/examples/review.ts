import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'

const event = ({ home }: Stage) => ({ eventCode: home.eventCode })

const SLUG = 'to-review'

/**
 * Creates a registration flow with the stage's word in which the review finds problems. The flow opens later, so that it does not block
 * publishing.
 */
async function flowToReview(stage: Stage): Promise<string> {
  const flow = {
    name: stage.text(),
    opensAt: '2027-03-01T00:00:00.000Z',
    pages: ['first', 'second', 'third'].map((code) => ({
      code,
      title: stage.text(),
      widgets: [{ id: code, type: 'heading', text: stage.text() }],
    })),
  }
  const edit = (op: string) => ({ ...event(stage), operations: [{ op, path: `/flows/${SLUG}`, valueJson: JSON.stringify(flow) }] })
  const { isError } = await stage.admin.answer('config_set', edit('insert'))
  if (isError) await stage.admin.call('config_set', edit('set'))
  return SLUG
}

export const REVIEW_EXAMPLES: Examples = {
  review_flow: [
    async (stage) => {
      await flowToReview(stage)
      return event(stage)
    },
    async (stage) => ({
      ...event(stage),
      flowSlug: await flowToReview(stage),
      source: 'draft',
      levels: ['error', 'warning'],
      checks: ['F01', 'F05'],
    }),
  ],
}
