import { flag, id, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { ContractSummaryShape, markReadyForSignature, prepareFinalContractPdf } from '../../domains/supplier-contracts/ready.ts'

export default eventTool({
  name: 'mark_contract_ready_for_signature',
  title: 'Freeze a contract as final and ready to sign',
  description:
    'Freeze the final wording of an agreement (lock the execution copy) when both sides agreed on every clause, or acceptAll if the supplier agreed to our version. No signing yet: use send_contract_for_signature. Returns the contract and finalSha256 of its PDF.',
  effect: 'change',
  permission: 'sourcing.write',
  keyed: true,
  dryRun: true,
  input: {
    contractId: id('contract'),
    acceptAll: flag().default(false),
  },
  output: { contract: ContractSummaryShape, finalSha256: text() },
  prefetch: prepareFinalContractPdf,
  prefetchOnDemand: true,
  run: markReadyForSignature,
})
