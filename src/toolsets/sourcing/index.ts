import { toolset } from '../../kernel/tool.ts'
import addContractVersion from './add-contract-version.ts'
import addRfpRecipient from './add-rfp-recipient.ts'
import applyContractCounter from './apply-contract-counter.ts'
import compareResponses from './compare-responses.ts'
import createContractFromAward from './create-contract-from-award.ts'
import createRfp from './create-rfp.ts'
import createScoringRubric from './create-scoring-rubric.ts'
import discoverSupplier from './discover-supplier.ts'
import discoverSuppliersFromCriteria from './discover-suppliers-from-criteria.ts'
import distributeRfp from './distribute-rfp.ts'
import executeAward from './execute-award.ts'
import generateMilestones from './generate-milestones.ts'
import getBrief from './get-brief.ts'
import getSourcingSavings from './get-sourcing-savings.ts'
import getSourcingSummary from './get-sourcing-summary.ts'
import listContracts from './list-contracts.ts'
import listMilestones from './list-milestones.ts'
import listRfpResponses from './list-rfp-responses.ts'
import listRfps from './list-rfps.ts'
import listScoringRubrics from './list-scoring-rubrics.ts'
import lockBrief from './lock-brief.ts'
import markContractReadyForSignature from './mark-contract-ready-for-signature.ts'
import markContractRedlinesReceived from './mark-contract-redlines-received.ts'
import postRfpQuestion from './post-rfp-question.ts'
import proposeAward from './propose-award.ts'
import proposeContractCounter from './propose-contract-counter.ts'
import publishAwardToBlock from './publish-award-to-block.ts'
import recordManualScores from './record-manual-scores.ts'
import resolveClause from './resolve-clause.ts'
import searchSuppliers from './search-suppliers.ts'
import sendContractCounter from './send-contract-counter.ts'
import sendContractForSignature from './send-contract-for-signature.ts'
import startOrAdvanceBrief from './start-or-advance-brief.ts'
import submitContractToSupplier from './submit-contract-to-supplier.ts'
import summarizeComparison from './summarize-comparison.ts'
import updateBrief from './update-brief.ts'
import voidContractEnvelope from './void-contract-envelope.ts'

/** The tools of this toolset, in the order in which `tools/list` returns them. */
export default toolset('sourcing', [
  getSourcingSummary,
  getSourcingSavings,
  startOrAdvanceBrief,
  getBrief,
  updateBrief,
  lockBrief,
  searchSuppliers,
  discoverSupplier,
  discoverSuppliersFromCriteria,
  listRfps,
  createRfp,
  addRfpRecipient,
  distributeRfp,
  postRfpQuestion,
  listRfpResponses,
  compareResponses,
  summarizeComparison,
  createScoringRubric,
  listScoringRubrics,
  recordManualScores,
  proposeAward,
  executeAward,
  publishAwardToBlock,
  listContracts,
  createContractFromAward,
  addContractVersion,
  resolveClause,
  submitContractToSupplier,
  markContractRedlinesReceived,
  proposeContractCounter,
  applyContractCounter,
  sendContractCounter,
  markContractReadyForSignature,
  sendContractForSignature,
  voidContractEnvelope,
  generateMilestones,
  listMilestones,
])
