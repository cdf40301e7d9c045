import { flag, id, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { EnvelopeShape } from '../../domains/signing/envelopes.ts'
import { waitForDocuSignResponse } from '../../domains/signing/send.ts'
import { voidEnvelope } from '../../domains/signing/void.ts'
import { ContractSummaryShape } from '../../domains/supplier-contracts/ready.ts'

export default eventTool({
  name: 'void_contract_envelope',
  title: 'Void a signing envelope, take a contract back',
  description:
    'Void (cancel, recall) the envelope (DocuSign or ours) of a contract out for signing: this cannot be undone, so try dryRun first. Links stop working at once and signers are emailed; then send_contract_for_signature can resend. Returns envelope and contract.',
  effect: 'destructive',
  permission: 'sourcing.write',
  keyed: true,
  openWorld: true,
  input: {
    contractId: id('contract'),
    reason: text(1000).min(5, 'at least 5 characters'),
    notify: flag().default(true),
  },
  output: { envelope: EnvelopeShape, contract: ContractSummaryShape },
  run: voidEnvelope,
  afterCommit: waitForDocuSignResponse,
})
