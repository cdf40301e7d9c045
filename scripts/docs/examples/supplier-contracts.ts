import { RESPONSE_A, createSourcingFixtures } from '../../../test/support/sourcing.ts'
import type { DemoScenario } from '../demo-scenario.ts'
import { type Examples, findSummit, SUMMIT_SCOPE } from './example.ts'

const REDLINES = [{ key: 'attrition', vars: { commitPercent: 90 } }]

async function awarded(stage: DemoScenario, supplier: string): Promise<string> {
  const rows = createSourcingFixtures(stage.world, await findSummit(stage))
  const rfpId = await rows.rfp(await rows.brief(), { dueInDays: -1, status: 'closed' })
  return rows.award(rfpId, await rows.response(await rows.recipient(rfpId, await rows.supplier(supplier)), RESPONSE_A))
}

async function drafted(stage: DemoScenario, supplier: string): Promise<string> {
  const { contract } = await stage.call('create_contract_from_award', { ...SUMMIT_SCOPE, awardId: await awarded(stage, supplier) })
  return contract.id
}

async function submitted(stage: DemoScenario, supplier: string): Promise<string> {
  const contractId = await drafted(stage, supplier)
  await stage.call('submit_contract_to_supplier', { ...SUMMIT_SCOPE, contractId })
  return contractId
}

async function redlined(stage: DemoScenario, supplier: string): Promise<string> {
  const contractId = await submitted(stage, supplier)
  await stage.call('mark_contract_redlines_received', { ...SUMMIT_SCOPE, contractId, clauses: REDLINES })
  return contractId
}

async function countered(stage: DemoScenario, supplier: string) {
  const contractId = await redlined(stage, supplier)
  const { counter } = await stage.call('propose_contract_counter', { ...SUMMIT_SCOPE, contractId })
  return { ...SUMMIT_SCOPE, contractId, counterId: counter.id }
}

export const SUPPLIER_CONTRACTS_EXAMPLES: Examples = {
  list_contracts: async (stage) => ({ ...SUMMIT_SCOPE, contractId: await redlined(stage, 'Hotel Arrifana'), diff: { from: 1, to: 2 } }),
  create_contract_from_award: async (stage) => ({ ...SUMMIT_SCOPE, awardId: await awarded(stage, 'Hotel Bolhão') }),
  add_contract_version: async (stage) => ({ ...SUMMIT_SCOPE, contractId: await drafted(stage, 'Hotel Carmo'), clauses: REDLINES }),
  resolve_clause: async (stage) => ({
    ...SUMMIT_SCOPE,
    contractId: await redlined(stage, 'Hotel Dourado'),
    key: 'attrition',
    decision: 'accept',
    note: 'Agreed for this year',
  }),
  submit_contract_to_supplier: async (stage) => ({ ...SUMMIT_SCOPE, contractId: await drafted(stage, 'Hotel Estrela') }),
  mark_contract_redlines_received: async (stage) => ({
    ...SUMMIT_SCOPE,
    contractId: await submitted(stage, 'Hotel Fontainhas'),
    clauses: REDLINES,
  }),
  propose_contract_counter: async (stage) => ({ ...SUMMIT_SCOPE, contractId: await redlined(stage, 'Hotel Gaia'), stance: 'balanced' }),
  apply_contract_counter: (stage) => countered(stage, 'Hotel Heroísmo'),
  send_contract_counter: async (stage) => {
    const counter = await countered(stage, 'Hotel Infante')
    await stage.call('apply_contract_counter', counter)
    return { ...SUMMIT_SCOPE, contractId: counter.contractId }
  },
}
