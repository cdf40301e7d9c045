import { createSigningFixtures, TWO_SIGNERS } from '../../../test/support/signing.ts'
import type { DemoScenario } from '../demo-scenario.ts'
import { type Examples, findSummit, SUMMIT_SCOPE } from './example.ts'

async function newContract(demo: DemoScenario): Promise<string> {
  return (await createSigningFixtures(demo.world, await findSummit(demo)).contract({ supplier: 'Hotel Patscherkofel' })).contractId
}

async function readyContract(demo: DemoScenario): Promise<string> {
  const contractId = await newContract(demo)
  await demo.call('mark_contract_ready_for_signature', { ...SUMMIT_SCOPE, contractId })
  return contractId
}

export const SIGNING_EXAMPLES: Examples = {
  mark_contract_ready_for_signature: async (demo) => ({ ...SUMMIT_SCOPE, contractId: await newContract(demo) }),
  send_contract_for_signature: async (demo) => ({ ...SUMMIT_SCOPE, contractId: await readyContract(demo), signers: TWO_SIGNERS }),
  void_contract_envelope: async (demo) => {
    const contractId = await readyContract(demo)
    await demo.call('send_contract_for_signature', { ...SUMMIT_SCOPE, contractId, signers: TWO_SIGNERS })
    return { ...SUMMIT_SCOPE, contractId, reason: 'The rates changed' }
  },
  generate_milestones: async (demo) => ({ ...SUMMIT_SCOPE, contractId: await newContract(demo) }),
  list_milestones: async (demo) => {
    const contractId = await newContract(demo)
    await demo.call('generate_milestones', { ...SUMMIT_SCOPE, contractId })
    return { ...SUMMIT_SCOPE, contractId }
  },
}
