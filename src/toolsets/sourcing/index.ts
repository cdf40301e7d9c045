import { toolset } from '../../kernel/tool.ts'
import addRfpRecipient from './add-rfp-recipient.ts'
import compareResponses from './compare-responses.ts'
import createRfp from './create-rfp.ts'
import createScoringRubric from './create-scoring-rubric.ts'
import distributeRfp from './distribute-rfp.ts'
import listRfpResponses from './list-rfp-responses.ts'
import listRfps from './list-rfps.ts'
import listScoringRubrics from './list-scoring-rubrics.ts'
import postRfpQuestion from './post-rfp-question.ts'
import recordManualScores from './record-manual-scores.ts'
import summarizeComparison from './summarize-comparison.ts'

/** In the order of the specification. */
export default toolset('sourcing', [
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
])
