import { z } from 'zod'
import { toOneLine, id, list, name, object } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { CRITERION_FIELDS_TEXT, CriterionShape, findRubricErrors, RubricShape, saveRubric } from '../../domains/bids/rubrics.ts'

export default eventTool({
  name: 'create_scoring_rubric',
  title: 'Set up weighted criteria to judge bidders',
  description:
    'Build or edit a weighted scorecard (scoring rubric, evaluation criteria) that fixes what counts how much: weights of 100, knock-out, by people or formula (lowestCost, distance, roomsFit, spaceFit, concessions, answer:<code>); attach a copy to an RFP. To score use record_manual_scores. Returns the rubric.',
  effect: 'change',
  permission: 'sourcing.write',
  keyed: true,
  dryRun: true,
  input: {
    name: name(120).optional(),
    criteria: list(toOneLine(CriterionShape, CRITERION_FIELDS_TEXT), 20).min(2, 'at least 2 criteria').optional(),
    rfpId: id('rfp').optional(),
    rubricId: id('rubric').optional(),
  },
  output: {
    rubric: RubricShape,
    attachedTo: toOneLine(object({ rfpId: id('rfp'), number: z.string() }), 'rfpId, number').optional(),
  },
  findArgumentErrors: findRubricErrors,
  run: saveRubric,
})
