import type { FieldDocsByTool } from '../meanings.ts'

const CONTRACT = 'The contract.'

export const SIGNING_ARGUMENT_DOCS: FieldDocsByTool = {
  mark_contract_ready_for_signature: {
    contractId: CONTRACT,
    acceptAll: 'The supplier agreed to our version as it was sent.',
  },
  send_contract_for_signature: {
    contractId: CONTRACT,
    signers: 'Two to ten people, at least one of each side.',
    'signers.name': 'Full name.',
    'signers.email': 'Address that gets the link and the code.',
    'signers.side': 'Side that the person signs for.',
    'signers.order': 'Place in the order; equal numbers sign in any order.',
    expiresInDays: 'Days until the links end.',
    message: 'Text in the email to the signers.',
    provider: 'Service that collects the signatures; otherwise that of the installation.',
  },
  void_contract_envelope: {
    contractId: CONTRACT,
    reason: 'Why the contract is taken back; the signers read it.',
    notify: 'Emails the signers who have the link.',
  },
  generate_milestones: { contractId: CONTRACT },
  list_milestones: {
    contractId: 'Only milestones of this contract.',
    status: 'Only milestones in these states.',
    from: 'First day.',
    until: 'Last day.',
  },
}
