import { postSupplierQuestion } from '../../src/domains/rfps/questions.ts'
import { getContract } from '../../src/domains/supplier-contracts/contracts.ts'
import { readContractDocument } from '../../src/domains/supplier-contracts/document.ts'
import { DOCX_MIME_TYPE, writeContractDocx } from '../../src/domains/supplier-contracts/docx-write.ts'
import { createSupplierLink } from '../../src/domains/suppliers/links.ts'
import { newId } from '../../src/kernel/ids.ts'
import { inEventTransaction } from './hotels.ts'
import { RESPONSE_A, RESPONSE_B, createSourcingFixtures } from './sourcing.ts'
import type { EventHandle, World } from './world.ts'

const CRITERIA = [
  { code: 'cost', name: 'Cost', weight: 40, scorer: 'formula' as const, formula: 'lowestCost' },
  { code: 'location', name: 'Location', weight: 60, scorer: 'manual' as const },
]

/** Contract terms that a supplier asks for beyond the limits of the negotiation playbook, so that their clauses are marked as risks. */
const REDLINES = [
  { key: 'attrition', vars: { commitPercent: 90 } },
  { key: 'cancellation', vars: { step1Percent: 70 } },
]

const STEPS = ['draft', 'submitted', 'redlined', 'countered', 'sent'] as const
export type ContractStep = (typeof STEPS)[number]

/** Creates RFPs and contracts in the middle of a negotiation, so that their pages contain forms. `call` calls a tool at the event. */
export const createNegotiationFixtures = (
  world: World,
  place: EventHandle,
  call: (tool: string, args: Record<string, unknown>) => Promise<any>,
) => {
  const rows = createSourcingFixtures(world, place)
  const supplier = () => rows.supplier(`Hotel ${newId().slice(-8)}`)
  const take: Record<ContractStep, (contractId: string) => Promise<unknown>> = {
    draft: () => Promise.resolve(),
    submitted: (contractId: string) => call('submit_contract_to_supplier', { contractId }),
    redlined: (contractId: string) => call('mark_contract_redlines_received', { contractId, clauses: REDLINES }),
    countered: (contractId: string) => call('propose_contract_counter', { contractId, stance: 'balanced' }),
    async sent(contractId: string) {
      const { rows: counters } = await world.database.pool.query<{ id: string }>(
        'select id from contract_counters where contract_id = $1',
        [contractId],
      )
      await call('apply_contract_counter', { contractId, counterId: counters[0]!.id })
      await call('send_contract_counter', { contractId })
    },
  }
  return {
    draftRfp: async () => rows.rfp(await rows.brief(), { status: 'draft' }),
    /** Creates an RFP with a question, a supplier that has not responded, two responses to compare, and a criterion that users score. */
    async rfp() {
      const rfp = await rows.rfp(await rows.brief(), { sealed: false, rubric: { name: 'Ours', criteria: CRITERIA } })
      const recipient = await rows.recipient(rfp, await supplier())
      const question = await inEventTransaction(world, place, (ctx) => postSupplierQuestion(ctx, recipient, 'Is parking needed?'))
      const response = await rows.response(await rows.recipient(rfp, await supplier()), RESPONSE_A)
      await rows.response(await rows.recipient(rfp, await supplier()), RESPONSE_B)
      return { rfp, recipient, question, response }
    },
    /** Creates the same RFP as `rfp` and proposes to award its first response. */
    async proposal() {
      const made = await this.rfp()
      const lines = [{ responseId: made.response }]
      const { award } = await call('propose_award', { rfpId: made.rfp, lines, rationale: 'The best offer for our guests' })
      return { ...made, award: award.id as string }
    },
    /** Returns the token of a link to the pages of a supplier who has not responded. */
    async requestLink(rfpRecipientId: string): Promise<string> {
      const { rows: found } = await world.database.pool.query<{ supplier: string }>(
        'select supplier_id as supplier from rfp_recipients where id = $1',
        [rfpRecipientId],
      )
      const to = { name: 'Eva Lindner', email: 'eva@suppliers.example' }
      const link = { supplierId: found[0]!.supplier, record: { rfpRecipientId }, to, until: '2027-12-31' }
      return (await inEventTransaction(world, place, (ctx) => createSupplierLink(ctx, link))).reveal()
    },
    /** Creates a contract from an RFP award and negotiates the contract up to the given step. */
    async contract(last: ContractStep = 'redlined'): Promise<string> {
      const rfp = await rows.rfp(await rows.brief())
      const awardId = await rows.award(rfp, await rows.response(await rows.recipient(rfp, await supplier()), RESPONSE_A))
      const { contract } = await call('create_contract_from_award', { awardId })
      for (const step of STEPS.slice(0, STEPS.indexOf(last) + 1)) await take[step](contract.id)
      return contract.id
    },
    /** Returns the Word file of a contract, as a supplier sends it back without changes. */
    async wordFile(contractId: string): Promise<File> {
      const content = await inEventTransaction(world, place, async (ctx) =>
        writeContractDocx(await readContractDocument(ctx, await getContract(ctx, contractId))),
      )
      return new File([new Uint8Array(content)], 'contract.docx', { type: DOCX_MIME_TYPE })
    },
  }
}
