import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inEventTransaction } from '../../../../test/support/hotels.ts'
import { createPick } from '../../../../test/support/random-walk.ts'
import { createFractionGenerator } from '../../../../test/support/seeded-fraction.ts'
import { openSalesScenario, type SalesScenario } from '../../../../test/support/sales-scenario.ts'
import { soakRounds, soakSeed } from '../../../../test/support/soak.ts'
import { RESPONSE_A, createSourcingFixtures } from '../../../../test/support/sourcing.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { acceptContractAsSupplier } from '../portal.ts'
import { applyCounterProposal, createCounterProposalDraft } from '../counters.ts'
import { createContractFromAward } from '../create.ts'
import { findDraftCounterProposal } from '../drafts.ts'
import { getContract } from '../contracts.ts'
import { markRedlinesReceived } from '../redlines.ts'
import { CLAUSE_DECISIONS, resolveClause } from '../resolve.ts'
import { sendCounterProposal, submitContract } from '../send.ts'
import { CONTRACT_STATES } from '../states.ts'
import { addContractVersion } from '../versions.ts'

let sales: SalesScenario
beforeAll(async () => {
  sales = await openSalesScenario()
})
afterAll(() => sales.world.end())

/** The number of steps. All transitions occur within 30 steps; a soak run with factor 20 makes 10,000 steps. */
const STEPS = soakRounds(500)
/** The number of steps per transaction, because the random walk tests states and not commits. */
const STEPS_PER_TRANSACTION = 250

describe('a random walk over contracts', () => {
  it('keeps contracts within the allowed transitions in a random walk', async () => {
    const random = createFractionGenerator(soakSeed(26))
    const pick = createPick(random)
    const rows = createSourcingFixtures(sales.world, sales.event)
    const rfpId = await rows.rfp(await rows.brief())
    const responseId = await rows.response(await rows.recipient(rfpId, await rows.supplier('Walking hotel')), RESPONSE_A)
    const awardId = await rows.award(rfpId, responseId)
    const created = await inEventTransaction(sales.world, sales.event, (ctx) =>
      createContractFromAward(ctx, { awardId, lineIndex: 0, template: 'standard' }),
    )
    const contractId = created.contract.id
    const clauses = () =>
      [{ key: pick(['attrition', 'cutoff', 'relocation']), note: undefined }].map(({ key }) =>
        key === 'attrition'
          ? { key, vars: { commitPercent: 70 + Math.floor(random() * 25) } }
          : key === 'cutoff'
            ? { key, vars: { cutoffDays: 20 + Math.floor(random() * 30) } }
            : { key, vars: { maxKm: 1 + Math.floor(random() * 6) } },
      )
    const acts: ((ctx: EventContext) => Promise<unknown>)[] = [
      (ctx) => submitContract(ctx, { contractId }),
      (ctx) => markRedlinesReceived(ctx, { contractId, clauses: clauses() }, null),
      (ctx) => createCounterProposalDraft(ctx, { contractId, stance: pick(['firm', 'balanced', 'close'] as const) }, null),
      async (ctx) =>
        applyCounterProposal(ctx, {
          contractId,
          counterId: (await findDraftCounterProposal(ctx, { id: contractId }))?.id ?? '0'.repeat(24),
        }),
      (ctx) => sendCounterProposal(ctx, { contractId }),
      (ctx) =>
        resolveClause(ctx, {
          contractId,
          key: pick(['attrition', 'cutoff']),
          decision: pick(CLAUSE_DECISIONS),
          vars: { commitPercent: 82 },
          note: 'walk',
        }),
      async (ctx) => acceptContractAsSupplier(ctx, contractId, (await getContract(ctx, contractId)).current_version),
      (ctx) => addContractVersion(ctx, { contractId, clauses: clauses(), by: pick(['us', 'supplier'] as const) }, null),
    ]
    const seen = new Set<string>()
    for (let step = 0; step < STEPS; step += STEPS_PER_TRANSACTION)
      await inEventTransaction(sales.world, sales.event, async (ctx) => {
        for (let index = 0; index < Math.min(STEPS_PER_TRANSACTION, STEPS - step); index++) {
          const before = (await getContract(ctx, contractId)).status
          // Sending renders a PDF, so this step is chosen less often.
          const act =
            random() < 0.05
              ? pick(acts)
              : pick(acts.filter((_, position) => position !== 4 || before !== 'counterApplied' || random() < 0.2))
          await act(ctx).catch((error: unknown) => {
            if (!(error instanceof AppError)) throw error
          })
          const after = (await getContract(ctx, contractId)).status
          if (after === before) continue
          expect(CONTRACT_STATES.can(before, after), `${before} → ${after}`).toBe(true)
          seen.add(`${before} → ${after}`)
        }
      })
    // The walk fails if one of these transitions is missing in the state table.
    expect([...seen].toSorted()).toEqual([
      'counterApplied → counterSent',
      'counterProposed → counterApplied',
      'counterSent → redlinesReceived',
      'draft → submitted',
      'redlinesReceived → counterProposed',
      'submitted → redlinesReceived',
    ])
  })
})
