import { postSupplierQuestion } from '../../../src/domains/rfps/questions.ts'
import { inEventTransaction } from '../../../test/support/hotels.ts'
import { createSourcingFixtures } from '../../../test/support/sourcing.ts'
import type { DemoScenario } from '../demo-scenario.ts'
import { type Examples, findSummit, SUMMIT_SCOPE } from './example.ts'

const rowsOf = async (stage: DemoScenario) => createSourcingFixtures(stage.world, await findSummit(stage))

/** Times that lie ahead of the demo's clock. */
async function timesOf({ world }: DemoScenario) {
  const { rows } = await world.database.pool.query<{ due: string; decision: string }>(
    `select to_char((lanyard_now() + interval '20 days')::date, 'YYYY-MM-DD') || 'T15:00:00.000Z' as due,
       (lanyard_now() + interval '40 days')::date::text as decision`,
  )
  return { responseDueAt: rows[0]!.due, decisionOn: rows[0]!.decision }
}

async function draft(stage: DemoScenario): Promise<string> {
  const briefId = await (await rowsOf(stage)).brief()
  return (await stage.call('create_rfp', { ...SUMMIT_SCOPE, briefId, ...(await timesOf(stage)) })).rfp.id
}

async function withSupplier(stage: DemoScenario, name: string): Promise<string> {
  const rfpId = await draft(stage)
  const supplierId = await (await rowsOf(stage)).supplier(name)
  await stage.call('add_rfp_recipient', { ...SUMMIT_SCOPE, rfpId, recipients: [{ supplierId }] })
  return rfpId
}

/** A distributed RFP with a question of its supplier. */
async function asked(stage: DemoScenario, name: string) {
  const rows = await rowsOf(stage)
  const rfpId = await rows.rfp(await rows.brief())
  const recipientId = await rows.recipient(rfpId, await rows.supplier(name))
  const place = await findSummit(stage)
  const questionId = await inEventTransaction(stage.world, place, (ctx) => postSupplierQuestion(ctx, recipientId, 'Is parking needed?'))
  return { rfpId, questionId }
}

export const RFPS_EXAMPLES: Examples = {
  list_rfps: async (stage) => ({ ...SUMMIT_SCOPE, rfpId: (await asked(stage, 'Hotel Aliados')).rfpId }),
  create_rfp: async (stage) => ({ ...SUMMIT_SCOPE, briefId: await (await rowsOf(stage)).brief(), ...(await timesOf(stage)) }),
  add_rfp_recipient: async (stage) => ({
    ...SUMMIT_SCOPE,
    rfpId: await draft(stage),
    recipients: [{ supplierId: await (await rowsOf(stage)).supplier('Hotel Boavista') }],
  }),
  distribute_rfp: async (stage) => {
    const call = { ...SUMMIT_SCOPE, rfpId: await withSupplier(stage, 'Hotel Cedofeita') }
    const { confirmToken } = await stage.call('distribute_rfp', { ...call, dryRun: true })
    return { ...call, confirmToken }
  },
  post_rfp_question: async (stage) => {
    const { rfpId, questionId } = await asked(stage, 'Hotel Douro')
    return { ...SUMMIT_SCOPE, rfpId, answerTo: questionId, body: 'Yes, for 40 cars.' }
  },
}
