import { RESPONSE_A, createSourcingFixtures } from '../../support/sourcing.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { event } from './registration.ts'
import { writeContractDocx } from '../../../src/domains/supplier-contracts/docx-write.ts'
import { createUploadFixtures } from '../../support/uploads.ts'

let made = 0

async function award(stage: Stage): Promise<string> {
  const rows = createSourcingFixtures(stage.world, stage.home)
  const rfpId = await rows.rfp(await rows.brief())
  const supplierId = await rows.supplier(`Hotel ${++made} of the contract examples`)
  return rows.award(rfpId, await rows.response(await rows.recipient(rfpId, supplierId), RESPONSE_A))
}

const call = (stage: Stage, tool: string, values: object) => stage.admin.call(tool, { ...event(stage), ...values })

const draft = async (stage: Stage): Promise<string> =>
  (await call(stage, 'create_contract_from_award', { awardId: await award(stage) })).contract.id

const CLAUSES = [{ key: 'attrition', vars: { commitPercent: 90 } }]

/** Stores a Word file with another text of one clause. */
async function wordFile({ world, home }: Stage): Promise<string> {
  const content = await writeContractDocx({
    title: 'Contract',
    lines: [],
    clauses: [{ key: 'insurance', heading: '1. Insurance', text: 'Only the supplier is insured.' }],
    createdAt: new Date('2027-01-04T09:00:00Z'),
  })
  const at = { clientId: home.clientId, eventId: home.eventId }
  return (await createUploadFixtures(world, home).file(content, { purpose: 'contract', name: 'contract.docx' }, at)).id
}

async function submitted(stage: Stage): Promise<string> {
  const contractId = await draft(stage)
  await call(stage, 'submit_contract_to_supplier', { contractId })
  return contractId
}

async function redlined(stage: Stage): Promise<string> {
  const contractId = await submitted(stage)
  await call(stage, 'mark_contract_redlines_received', { contractId, clauses: CLAUSES })
  return contractId
}

async function countered(stage: Stage): Promise<{ eventCode: string; contractId: string; counterId: string }> {
  const contractId = await redlined(stage)
  const { counter } = await call(stage, 'propose_contract_counter', { contractId })
  return { ...event(stage), contractId, counterId: counter.id }
}

export const SUPPLIER_CONTRACTS_EXAMPLES: Examples = {
  list_contracts: [
    async (stage) => {
      for (let count = 0; count < 3; count++) await draft(stage)
      return event(stage)
    },
    async (stage) => ({ ...event(stage), contractId: await redlined(stage), diff: { from: 1, to: 2 } }),
  ],
  create_contract_from_award: [async (stage) => ({ ...event(stage), awardId: await award(stage) })],
  add_contract_version: [
    async (stage) => ({ ...event(stage), contractId: await draft(stage), clauses: CLAUSES, ifVersion: 1 }),
    async (stage) => ({ ...event(stage), contractId: await draft(stage), fileId: await wordFile(stage) }),
  ],
  resolve_clause: [async (stage) => ({ ...event(stage), contractId: await redlined(stage), key: 'attrition', decision: 'accept' })],
  submit_contract_to_supplier: [async (stage) => ({ ...event(stage), contractId: await draft(stage) })],
  mark_contract_redlines_received: [
    async (stage) => ({ ...event(stage), contractId: await submitted(stage), clauses: CLAUSES }),
    async (stage) => ({ ...event(stage), contractId: await submitted(stage), fileId: await wordFile(stage) }),
  ],
  propose_contract_counter: [async (stage) => ({ ...event(stage), contractId: await redlined(stage), stance: 'balanced' })],
  apply_contract_counter: [countered],
  send_contract_counter: [
    async (stage) => {
      const { contractId, counterId } = await countered(stage)
      await call(stage, 'apply_contract_counter', { contractId, counterId })
      return { ...event(stage), contractId }
    },
  ],
}
