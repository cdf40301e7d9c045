import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inEventTransaction } from '../../../../test/support/hotels.ts'
import {
  createPick,
  expectAllowedStatusChanges,
  listAllowedStatusChanges,
  runTaskIn,
  type Statuses,
  takeStep,
} from '../../../../test/support/random-walk.ts'
import { createFractionGenerator } from '../../../../test/support/seeded-fraction.ts'
import { openSalesScenario, type SalesScenario } from '../../../../test/support/sales-scenario.ts'
import { soakRounds, soakSeed } from '../../../../test/support/soak.ts'
import { RESPONSE_A, RESPONSE_B, createSourcingFixtures } from '../../../../test/support/sourcing.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { submitResponse, declineRfp, withdrawResponse } from '../../bids/submit.ts'
import { cancelRfp } from '../../rfps/cancel.ts'
import { createRfp } from '../../rfps/create.ts'
import { distributeRfp } from '../../rfps/distribute.ts'
import { acknowledgeRfp, recordRfpOpened, saveOfferDraft, undoRfpTurnDown } from '../../rfps/portal.ts'
import { addRecipients } from '../../rfps/recipients.ts'
import { RECIPIENT_STATES, RFP_STATES } from '../../rfps/states.ts'
import { processRfpDeadlines } from '../../rfps/task.ts'
import { executeAward } from '../execute.ts'
import { proposeAward } from '../propose.ts'
import { AWARD_STATES } from '../states.ts'

let sales: SalesScenario
beforeAll(async () => {
  sales = await openSalesScenario()
})
afterAll(() => sales.world.end())

/** The number of random steps; a soak run of factor 20 makes 10,000. */
const STEPS = soakRounds(500)
/** Many steps share one transaction, because the test is about states and not about commits. */
const STEPS_PER_TRANSACTION = 100
const DUE = '2026-05-08T15:00:00Z'

interface Walk {
  rfpId: string
  recipients: string[]
}

async function readStatuses({ db }: EventContext, rfpId: string): Promise<Record<'rfp' | 'recipient' | 'award', Statuses>> {
  const { rows } = await sql<{ kind: 'rfp' | 'recipient' | 'award'; id: string; status: string }>`
    select 'rfp' as kind, id, status from rfps where id = ${rfpId}
    union all select 'recipient', id, status from rfp_recipients where rfp_id = ${rfpId}
    union all select 'award', id, status from awards where rfp_id = ${rfpId}`.execute(db)
  const of = (kind: string) => new Map(rows.filter((row) => row.kind === kind).map(({ id, status }) => [id, status]))
  return { rfp: of('rfp'), recipient: of('recipient'), award: of('award') }
}

const TABLES = { rfp: RFP_STATES, recipient: RECIPIENT_STATES, award: AWARD_STATES } as const

describe('a random walk over RFPs, their recipients and awards', () => {
  const random = createFractionGenerator(soakSeed(27))
  const pick = createPick(random)

  /** Lists the possible steps with their weights. Distributing an RFP renders a PDF, so that step is rare. */
  const listSteps = ({ rfpId, recipients }: Walk): [weight: number, run: (ctx: EventContext) => Promise<unknown>][] => {
    const one = () => pick(recipients)
    const latest = async (ctx: EventContext, table: 'awards' | 'rfp_responses'): Promise<string> => {
      const { rows } = await sql<{ id: string }>`
        select id from ${sql.table(table)} where rfp_id = ${rfpId} order by id desc limit 3`.execute(ctx.db)
      return rows.length === 0 ? '0'.repeat(24) : pick(rows).id
    }
    const content = () => pick([RESPONSE_A, RESPONSE_B])
    return [
      [2, (ctx) => distributeRfp(ctx, { rfpId })],
      [3, (ctx) => recordRfpOpened(ctx, one())],
      [3, (ctx) => acknowledgeRfp(ctx, one())],
      [3, (ctx) => saveOfferDraft(ctx, one(), { dateOption: 0, values: { tax: '14' }, files: [] })],
      [6, (ctx) => submitResponse(ctx, { recipientId: one(), dateOption: 0, content: content(), source: 'portal' })],
      [2, (ctx) => withdrawResponse(ctx, one())],
      [2, (ctx) => declineRfp(ctx, one(), { reason: 'full', message: '' })],
      [2, (ctx) => undoRfpTurnDown(ctx, one())],
      [
        8,
        async (ctx) => proposeAward(ctx, { rfpId, lines: [{ responseId: await latest(ctx, 'rfp_responses') }], rationale: 'A good offer' }),
      ],
      [5, async (ctx) => proposeAward(ctx, { awardId: await latest(ctx, 'awards'), withdraw: true })],
      [2, async (ctx) => executeAward(ctx, { awardId: await latest(ctx, 'awards'), discloseWinner: false, keepOpen: random() < 0.3 })],
      [1, (ctx) => cancelRfp(ctx, rfpId, 'The event moved')],
      [2, (ctx) => passDueTime(ctx, rfpId)],
    ]
  }

  /** Chooses a step for a draft RFP: mostly distributing, sometimes cancelling. */
  const chooseForDraft = ({ rfpId }: Walk) => [
    ...Array.from({ length: 5 }, () => (ctx: EventContext) => distributeRfp(ctx, { rfpId })),
    (ctx: EventContext) => cancelRfp(ctx, rfpId, 'The event moved'),
  ]

  /** Moves the clock past the due time, so that the recurring task closes the RFP. */
  async function passDueTime(ctx: EventContext, rfpId: string): Promise<void> {
    await sql`update rfps set response_due_at = lanyard_now() - interval '1 second', questions_due_at = lanyard_now() - interval '1 day'
      where id = ${rfpId} and status = 'distributed'`.execute(ctx.db)
    await runTaskIn(ctx, processRfpDeadlines)
  }

  async function begin(ctx: EventContext, briefId: string, suppliers: readonly string[]): Promise<Walk> {
    const { row } = await createRfp(ctx, { briefId, responseDueAt: DUE, decisionOn: '2026-05-20', sealed: random() < 0.5 })
    const { added } = await addRecipients(ctx, { rfpId: row.id, recipients: suppliers.map((supplierId) => ({ supplierId })) })
    return { rfpId: row.id, recipients: added.map(({ id }) => id) }
  }

  it('changes the statuses of RFPs, recipients and awards only by allowed transitions', async () => {
    const rows = createSourcingFixtures(sales.world, sales.event)
    const briefId = await rows.brief()
    const suppliers = [await rows.supplier('First'), await rows.supplier('Second'), await rows.supplier('Third')]
    const seen = new Set<string>()
    let done = 0
    for (let step = 0; step < STEPS; step += STEPS_PER_TRANSACTION)
      await inEventTransaction(sales.world, sales.event, async (ctx) => {
        let walk = await begin(ctx, briefId, suppliers)
        let before = await readStatuses(ctx, walk.rfpId)
        for (let index = 0; index < STEPS_PER_TRANSACTION; index++) {
          const [status] = before.rfp.values()
          // A finished RFP is replaced by a new one, after one more step was tried on it.
          const isFinished = status === 'awarded' || status === 'cancelled'
          const steps = listSteps(walk).flatMap(([weight, run]) => Array.from({ length: weight }, () => run))
          const run = status === 'draft' && random() < 0.8 ? pick(chooseForDraft(walk)) : pick(steps)
          if (await takeStep(ctx, () => run(ctx))) done++
          const after = await readStatuses(ctx, walk.rfpId)
          for (const kind of ['rfp', 'recipient', 'award'] as const)
            expectAllowedStatusChanges(kind, TABLES[kind], before[kind], after[kind], seen)
          const live = [...after.award.values()].filter((one) => one !== 'withdrawn')
          expect(live.length).toBeLessThanOrEqual(1)
          expect(live.includes('executed')).toBe(after.rfp.get(walk.rfpId) === 'awarded')
          if (isFinished) walk = await begin(ctx, briefId, suppliers)
          before = isFinished ? await readStatuses(ctx, walk.rfpId) : after
        }
      })
    expect(done).toBeGreaterThan(STEPS / 5)
    // Ensures that the random steps made every transition of the state tables.
    expect([...seen]).toEqual(
      expect.arrayContaining([...listAllowedStatusChanges('rfp', RFP_STATES), ...listAllowedStatusChanges('award', AWARD_STATES)]),
    )
    for (const move of [
      'sent → opened',
      'opened → acknowledged',
      'submitted → withdrawn',
      'withdrawn → submitted',
      'turnedDown → acknowledged',
    ])
      expect(seen).toContain(`recipient: ${move}`)
  })
})
