import { flag, id, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { ContractHead, markReadyForSignature, prepareFinalDocument } from '../../domains/supplier-contracts/ready.ts'

export default eventTool({
  name: 'mark_contract_ready_for_signature',
  title: 'Make a contract ready to sign',
  description:
    'Close the negotiation of a supplier contract: when all clauses are agreed, or acceptAll if the supplier agreed to our version, the final PDF is made with its SHA-256. To send it to signers use send_contract_for_signature. Returns the contract and finalSha256.',
  effect: 'change',
  permission: 'sourcing.write',
  keyed: true,
  dryRun: true,
  input: {
    contractId: id('contract'),
    acceptAll: flag().default(false),
  },
  output: { contract: ContractHead, finalSha256: text() },
  prefetch: prepareFinalDocument,
  prefetchOnDemand: true,
  run: markReadyForSignature,
})
