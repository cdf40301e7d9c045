import { toolset } from '../../kernel/tool.ts'
import addContractVersion from './add-contract-version.ts'
import addRfpRecipient from './add-rfp-recipient.ts'
import applyContractCounter from './apply-contract-counter.ts'
import createContractFromAward from './create-contract-from-award.ts'
import createRfp from './create-rfp.ts'
import distributeRfp from './distribute-rfp.ts'
import listContracts from './list-contracts.ts'
import listRfps from './list-rfps.ts'
import markContractRedlinesReceived from './mark-contract-redlines-received.ts'
import postRfpQuestion from './post-rfp-question.ts'
import proposeContractCounter from './propose-contract-counter.ts'
import resolveClause from './resolve-clause.ts'
import sendContractCounter from './send-contract-counter.ts'
import submitContractToSupplier from './submit-contract-to-supplier.ts'

/** In the order of the specification. */
export default toolset('sourcing', [
  listRfps,
  createRfp,
  addRfpRecipient,
  distributeRfp,
  postRfpQuestion,
  listContracts,
  createContractFromAward,
  addContractVersion,
  resolveClause,
  submitContractToSupplier,
  markContractRedlinesReceived,
  proposeContractCounter,
  applyContractCounter,
  sendContractCounter,
])
