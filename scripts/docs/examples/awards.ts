import { RESPONSE_A, RESPONSE_A_FIRST, RESPONSE_B, createSourcingFixtures } from '../../../test/support/sourcing.ts'
import type { DemoScenario } from '../demo-scenario.ts'
import { euros, type Examples, findSummit, SUMMIT_SCOPE } from './example.ts'

/** A closed RFP with the final offers of two hotels, and an executed or no award. */
async function responded(stage: DemoScenario, names: readonly [string, string]) {
  const rows = createSourcingFixtures(stage.world, await findSummit(stage))
  const rfpId = await rows.rfp(await rows.brief(), { dueInDays: -1, status: 'closed' })
  const recipient = await rows.recipient(rfpId, await rows.supplier(names[0]))
  await rows.response(recipient, RESPONSE_A_FIRST)
  const responses = [
    await rows.response(recipient, RESPONSE_A, { round: 2 }),
    await rows.response(await rows.recipient(rfpId, await rows.supplier(names[1])), RESPONSE_B),
  ]
  return { rows, rfpId, responses }
}

const RATIONALE = 'Nearest to the congress centre, and the best food'

async function executed(stage: DemoScenario, names: readonly [string, string]): Promise<string> {
  const { rows, rfpId, responses } = await responded(stage, names)
  return rows.award(rfpId, responses[0]!)
}

export const AWARDS_EXAMPLES: Examples = {
  get_sourcing_summary: async (stage) => {
    await executed(stage, ['Hotel Nascente', 'Hotel Poente'])
    return SUMMIT_SCOPE
  },
  get_sourcing_savings: () => SUMMIT_SCOPE,
  propose_award: async (stage) => {
    const { rfpId, responses } = await responded(stage, ['Hotel Sol', 'Hotel Lua'])
    return { ...SUMMIT_SCOPE, rfpId, lines: [{ responseId: responses[0] }], rationale: RATIONALE }
  },
  execute_award: async (stage) => {
    // Above the approval limit of the demo, a second person must execute an award.
    await stage.call('update_client', { clientCode: 'acme', sourcing: { approvalLimit: euros('250000.00') } })
    const { rfpId, responses } = await responded(stage, ['Hotel Miramar', 'Hotel Ponte'])
    const { award } = await stage.call('propose_award', { ...SUMMIT_SCOPE, rfpId, lines: [{ responseId: responses[0] }], rationale: RATIONALE })
    return { ...SUMMIT_SCOPE, awardId: award.id }
  },
  publish_award_to_block: async (stage) => ({ ...SUMMIT_SCOPE, awardId: await executed(stage, ['Hotel Campanhã', 'Hotel Paranhos']) }),
}
