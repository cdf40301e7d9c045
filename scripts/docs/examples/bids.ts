import { EXAMPLE_NEED, RESPONSE_A, RESPONSE_B, createSourcingFixtures } from '../../../test/support/sourcing.ts'
import { type DemoScenario, SUMMIT_CODES } from '../demo-scenario.ts'
import { type Examples, SUMMIT_SCOPE } from './example.ts'

const CRITERIA = [
  { code: 'cost', name: 'Cost', weight: 40, scorer: 'formula' as const, formula: 'lowestCost' },
  { code: 'location', name: 'Location', weight: 60, scorer: 'manual' as const },
]

/** An RFP after its due time with the offers of two hotels. */
async function responded({ world }: DemoScenario, first: string, second: string) {
  const { rows: found } = await world.database.pool.query<{ tenant_id: number; id: string; client_id: string }>(
    `select tenant_id, id, client_id from events where code = 'summit-2027'`,
  )
  const { tenant_id: tenantId, id: eventId, client_id: clientId } = found[0]!
  const rows = createSourcingFixtures(world, { ...SUMMIT_CODES, tenantId, clientId, eventId })
  const rfpId = await rows.rfp(await rows.brief(EXAMPLE_NEED), { dueInDays: -1, rubric: { name: 'Hotels', criteria: CRITERIA } })
  const a = await rows.response(await rows.recipient(rfpId, await rows.supplier(first)), RESPONSE_A)
  const b = await rows.response(await rows.recipient(rfpId, await rows.supplier(second)), RESPONSE_B)
  return { rfpId, a, b }
}

export const BIDS_EXAMPLES: Examples = {
  list_rfp_responses: async (stage) => ({ ...SUMMIT_SCOPE, rfpId: (await responded(stage, 'Hotel Foz', 'Hotel Lapa')).rfpId }),
  compare_responses: async (stage) => ({ ...SUMMIT_SCOPE, rfpId: (await responded(stage, 'Hotel Batalha', 'Hotel Clérigos')).rfpId }),
  summarize_comparison: async (stage) => ({ ...SUMMIT_SCOPE, rfpId: (await responded(stage, 'Hotel Infante', 'Hotel Sé')).rfpId }),
  create_scoring_rubric: () => ({ ...SUMMIT_SCOPE, name: 'Hotels', criteria: CRITERIA }),
  list_scoring_rubrics: async (stage) => ({ ...SUMMIT_SCOPE, rfpId: (await responded(stage, 'Hotel Mira', 'Hotel Paço')).rfpId }),
  record_manual_scores: async (stage) => {
    const { rfpId, a } = await responded(stage, 'Hotel Rua', 'Hotel Torre')
    return { ...SUMMIT_SCOPE, rfpId, scores: [{ responseId: a, criterion: 'location', score: 4.5, note: 'Ten minutes on foot' }] }
  },
}
