import { id } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { EnvelopeShape } from '../../domains/signing/envelopes.ts'
import { chooseSigningProvider, sendForSignatureArguments, sendForSignature, waitForDocuSignResponse } from '../../domains/signing/send.ts'
import { ContractSummaryShape } from '../../domains/supplier-contracts/ready.ts'

export default eventTool({
  name: 'send_contract_for_signature',
  title: 'Send a contract to both parties to sign online',
  description:
    'Send the final, frozen text (execution copy) to the signers of both parties to sign electronically (e-signature, DocuSign or our own pages), which cannot be undone; check with dryRun first. They sign in order. To take it back use void_contract_envelope. Returns envelope and contract.',
  effect: 'destructive',
  permission: 'sourcing.write',
  keyed: true,
  openWorld: true,
  input: { contractId: id('contract'), ...sendForSignatureArguments },
  output: { envelope: EnvelopeShape, contract: ContractSummaryShape },
  prefetch: chooseSigningProvider,
  run: sendForSignature,
  afterCommit: waitForDocuSignResponse,
})
