import { toolset } from '../../kernel/tool.ts'
import compareResponses from './compare-responses.ts'
import createScoringRubric from './create-scoring-rubric.ts'
import listRfpResponses from './list-rfp-responses.ts'
import listScoringRubrics from './list-scoring-rubrics.ts'
import recordManualScores from './record-manual-scores.ts'
import summarizeComparison from './summarize-comparison.ts'

/** In the order of the specification. */
export default toolset('sourcing', [
  listRfpResponses,
  compareResponses,
  summarizeComparison,
  createScoringRubric,
  listScoringRubrics,
  recordManualScores,
])
