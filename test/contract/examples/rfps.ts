import { postSupplierQuestion } from '../../../src/domains/rfps/questions.ts'
import { inEventTransaction } from '../../support/hotels.ts'
import { createSourcingFixtures } from '../../support/sourcing.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { createRubric } from './bids.ts'
import { storeSheetFile } from './imports.ts'
import { event } from './registration.ts'

let made = 0
const rowsOf = (stage: Stage) => createSourcingFixtures(stage.world, stage.home)

/** RFP times that lie after the database's clock. */
async function timesOf(stage: Stage) {
  const { rows } = await stage.world.database.pool.query<{ due: Date; decision: string }>(
    `select lanyard_now() + interval '20 days' as due, (lanyard_now() + interval '40 days')::date::text as decision`,
  )
  return { responseDueAt: rows[0]!.due.toISOString(), decisionOn: rows[0]!.decision }
}

const supplierOf = (stage: Stage) => rowsOf(stage).supplier(`Supplier ${++made} of the examples`)

async function draft(stage: Stage): Promise<string> {
  const briefId = await rowsOf(stage).brief()
  return (await stage.admin.call('create_rfp', { ...event(stage), briefId, ...(await timesOf(stage)) })).rfp.id
}

async function withRecipient(stage: Stage): Promise<{ rfpId: string; recipientIds: string[] }> {
  const rfpId = await draft(stage)
  const { recipients } = await stage.admin.call('add_rfp_recipient', {
    ...event(stage),
    rfpId,
    recipients: [{ supplierId: await supplierOf(stage) }],
  })
  return { rfpId, recipientIds: recipients.map(({ id }: { id: string }) => id) }
}

/** Creates a distributed RFP with a question of its supplier. */
async function asked(stage: Stage) {
  const rfpId = await rowsOf(stage).rfp(await rowsOf(stage).brief())
  const recipientId = await rowsOf(stage).recipient(rfpId, await supplierOf(stage))
  const questionId = await inEventTransaction(stage.world, stage.home, (ctx) =>
    postSupplierQuestion(ctx, recipientId, 'Is parking needed?'),
  )
  return { rfpId, recipientId, questionId }
}

export const RFPS_EXAMPLES: Examples = {
  list_rfps: [
    async (stage) => {
      for (let count = 0; count < 3; count++) await draft(stage)
      return { ...event(stage) }
    },
    async (stage) => ({ ...event(stage), rfpId: (await asked(stage)).rfpId }),
  ],
  create_rfp: [
    async (stage) => ({ ...event(stage), briefId: await rowsOf(stage).brief(), ...(await timesOf(stage)) }),
    async (stage) => ({
      ...event(stage),
      briefId: await rowsOf(stage).brief(),
      ...(await timesOf(stage)),
      rubricId: await createRubric(stage),
      attachments: [await storeSheetFile(stage, 'day,program\n1,Opening\n')],
    }),
  ],
  add_rfp_recipient: [
    async (stage) => ({ ...event(stage), rfpId: await draft(stage), recipients: [{ supplierId: await supplierOf(stage) }] }),
  ],
  distribute_rfp: [
    async (stage) => ({ ...event(stage), rfpId: (await withRecipient(stage)).rfpId }),
    async (stage) => ({ ...event(stage), ...(await withRecipient(stage)), message: 'We look forward to your offer.' }),
  ],
  post_rfp_question: [
    async (stage) => ({ ...event(stage), rfpId: (await asked(stage)).rfpId, body: 'Can you hold 20 suites?' }),
    async (stage) => {
      const { rfpId, recipientId } = await asked(stage)
      return { ...event(stage), rfpId, recipientIds: [recipientId], body: 'Is breakfast included?' }
    },
    async (stage) => {
      const { rfpId, questionId } = await asked(stage)
      return { ...event(stage), rfpId, answerTo: questionId, body: 'Yes, for 40 cars.' }
    },
  ],
}
