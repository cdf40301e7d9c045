import { EXAMPLE_NEED, RESPONSE_A, RESPONSE_B, createSourcingFixtures } from '../../support/sourcing.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { event } from './registration.ts'

const CRITERIA = [
  { code: 'cost', name: 'Cost', weight: 40, scorer: 'formula' as const, formula: 'lowestCost' },
  { code: 'location', name: 'Location', weight: 60, scorer: 'manual' as const },
]

let made = 0

/** Creates a rubric of the stage's client and returns its id. */
export async function createRubric(stage: Stage, name = stage.text()): Promise<string> {
  return (await stage.admin.call('create_scoring_rubric', { ...event(stage), name, criteria: CRITERIA })).rubric.id
}

/** Creates an RFP after its due time with three responses. */
async function responded(stage: Stage, rubricId?: string) {
  const rows = createSourcingFixtures(stage.world, stage.home)
  const rfpId = await rows.rfp(await rows.brief(EXAMPLE_NEED), {
    dueInDays: -1,
    rubric: { ...(rubricId === undefined ? {} : { rubricId }), name: 'Ours', criteria: CRITERIA },
  })
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
  summarize_comparison: [
    async (stage) => ({ ...event(stage), rfpId: (await responded(stage)).rfpId }),
    async (stage) => ({ ...event(stage), ...(await responded(stage)) }),
  ],
  create_scoring_rubric: [
    (stage) => ({ ...event(stage), name: `Rubric ${stage.text()}`, criteria: CRITERIA }),
    async (stage) => {
      const rows = createSourcingFixtures(stage.world, stage.home)
      return { ...event(stage), rubricId: await createRubric(stage, 'Attached'), rfpId: await rows.rfp(await rows.brief(EXAMPLE_NEED)) }
    },
  ],
  list_scoring_rubrics: [
    async (stage) => {
      for (const name of ['First', 'Second', 'Third']) await createRubric(stage, name)
      return event(stage)
    },
    async (stage) => ({ ...event(stage), rfpId: (await responded(stage, await createRubric(stage))).rfpId }),
    async (stage) => ({ ...event(stage), rubricId: await createRubric(stage, 'One') }),
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
    async (stage) => {
      const { rfpId, responseIds } = await responded(stage)
      const { userId } = await stage.world.organizer({ staffOf: stage.home, staffRole: 'manager' })
      return { ...event(stage), rfpId, evaluator: userId, scores: [{ responseId: responseIds[1], criterion: 'location', score: 3 }] }
    },
  ],
}
