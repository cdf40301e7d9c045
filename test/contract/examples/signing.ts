import { createSigningFixtures, TWO_SIGNERS } from '../../support/signing.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { event } from './registration.ts'

const newContract = async (stage: Stage): Promise<string> => (await createSigningFixtures(stage.world, stage.home).contract()).contractId

async function readyContract(stage: Stage): Promise<string> {
  const contractId = await newContract(stage)
  await stage.admin.call('mark_contract_ready_for_signature', { ...event(stage), contractId })
  return contractId
}

async function sentContract(stage: Stage): Promise<string> {
  const contractId = await readyContract(stage)
  await stage.admin.call('send_contract_for_signature', { ...event(stage), contractId, signers: TWO_SIGNERS })
  return contractId
}

async function contractWithMilestones(stage: Stage): Promise<string> {
  const contractId = await newContract(stage)
  await stage.admin.call('generate_milestones', { ...event(stage), contractId })
  return contractId
}

export const SIGNING_EXAMPLES: Examples = {
  mark_contract_ready_for_signature: [
    async (stage) => ({ ...event(stage), contractId: await newContract(stage) }),
    async (stage) => ({ ...event(stage), contractId: await newContract(stage), acceptAll: true }),
  ],
  send_contract_for_signature: [
    async (stage) => ({
      ...event(stage),
      contractId: await readyContract(stage),
      signers: TWO_SIGNERS,
      expiresInDays: 10,
      message: 'Please sign this week.',
      provider: 'embedded',
    }),
  ],
  void_contract_envelope: [
    async (stage) => ({ ...event(stage), contractId: await sentContract(stage), reason: 'The rates changed' }),
    async (stage) => ({ ...event(stage), contractId: await sentContract(stage), reason: 'The rates changed', notify: false }),
  ],
  generate_milestones: [async (stage) => ({ ...event(stage), contractId: await newContract(stage) })],
  list_milestones: [
    async (stage) => {
      await contractWithMilestones(stage)
      return event(stage)
    },
    async (stage) => ({
      ...event(stage),
      contractId: await contractWithMilestones(stage),
      status: ['upcoming', 'due'],
      from: '2026-01-01',
      until: '2028-12-31',
    }),
  ],
}
