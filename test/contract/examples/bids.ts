import { NEED, RESPONSE_A, RESPONSE_B, sourcingAt } from '../../support/sourcing.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { event } from './registration.ts'

const CRITERIA = [
  { code: 'cost', name: 'Cost', weight: 40, scorer: 'formula' as const, formula: 'lowestCost' },
  { code: 'location', name: 'Location', weight: 60, scorer: 'manual' as const },
]

let made = 0

/** An RFP after its due time with three responses. */
async function responded(stage: Stage) {
  const rows = sourcingAt(stage.world, stage.home)
  const rfpId = await rows.rfp(await rows.brief(NEED), { dueInDays: -1, rubric: { name: 'Ours', criteria: CRITERIA } })
  const responseIds: string[] = []
  for (const content of [RESPONSE_A, RESPONSE_B, { ...RESPONSE_B, rental: 500_000 }]) {
    const recipientId = await rows.recipient(rfpId, await rows.supplier(`Bidder ${++made}`))
    responseIds.push(await rows.response(recipientId, content))
  }
  return { rfpId, responseIds }
}

export const BIDS_EXAMPLES: Examples = {
  list_rfp_responses: [
    async (stage) => ({ ...event(stage), rfpId: (await responded(stage)).rfpId }),
    async (stage) => {
      const { rfpId, responseIds } = await responded(stage)
      return { ...event(stage), rfpId, responseId: responseIds[0] }
    },
  ],
  compare_responses: [
    async (stage) => {
      const { rfpId, responseIds } = await responded(stage)
      return { ...event(stage), rfpId, responseIds, dateOption: 0, currency: 'EUR' }
    },
  ],
  summarize_comparison: [async (stage) => ({ ...event(stage), rfpId: (await responded(stage)).rfpId })],
  create_scoring_rubric: [
    (stage) => ({ ...event(stage), name: `Rubric ${stage.text()}`, criteria: CRITERIA }),
    async (stage) => {
      const { rubric } = await stage.admin.call('create_scoring_rubric', { ...event(stage), name: 'Attached', criteria: CRITERIA })
      const rows = sourcingAt(stage.world, stage.home)
      return { ...event(stage), rubricId: rubric.id, rfpId: await rows.rfp(await rows.brief(NEED)) }
    },
  ],
  list_scoring_rubrics: [
    async (stage) => {
      for (const name of ['First', 'Second', 'Third'])
        await stage.admin.call('create_scoring_rubric', { ...event(stage), name, criteria: CRITERIA })
      return event(stage)
    },
    async (stage) => ({ ...event(stage), rfpId: (await responded(stage)).rfpId }),
    async (stage) => {
      const { rubric } = await stage.admin.call('create_scoring_rubric', { ...event(stage), name: 'One', criteria: CRITERIA })
      return { ...event(stage), rubricId: rubric.id }
    },
  ],
  record_manual_scores: [
    async (stage) => {
      const { rfpId, responseIds } = await responded(stage)
      return {
        ...event(stage),
        rfpId,
        scores: [{ responseId: responseIds[0], criterion: 'location', score: 4.5, note: 'Close to the hall' }],
      }
    },
  ],
}
