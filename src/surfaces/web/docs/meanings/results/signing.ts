import type { FieldDocsByTool } from '../meanings.ts'

const CONTRACT = 'The contract after the call.'

export const SIGNING_RESULT_DOCS: FieldDocsByTool = {
  mark_contract_ready_for_signature: { contract: CONTRACT, finalSha256: 'SHA-256 of the PDF that will be signed.' },
  send_contract_for_signature: { envelope: 'The envelope with its signers.', contract: CONTRACT },
  void_contract_envelope: { envelope: 'The envelope, which is voided.', contract: CONTRACT },
  generate_milestones: {
    created: 'Milestones that are new.',
    updated: 'Milestones whose day or amount changed.',
    kept: 'Milestones that stayed as they are.',
    removed: 'Open milestones that the contract no longer has.',
    milestones: 'All milestones of the contract by day.',
  },
  list_milestones: {
    milestones: 'The milestones that match, by day.',
    counts: 'Matching milestones by state.',
    total: 'Number of matching milestones.',
    atRisk: 'Sums of the open amounts, one for each currency.',
  },
}
