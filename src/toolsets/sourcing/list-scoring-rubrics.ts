import { z } from 'zod'
import { toOneLine, id, list, object, pageArguments, pageResult } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { listRubrics, RubricShape, ScoreShape, StoredCriterion } from '../../domains/bids/rubrics.ts'

export default eventTool({
  name: 'list_scoring_rubrics',
  title: 'Scorecards and which bidder is ahead',
  description:
    "List scoring rubrics (scorecards, evaluation criteria with weights) and their RFPs; with an RFP, also which offer is ahead once all evaluators' points are added up: total, rank, knocked out, average and spread. To enter scores use record_manual_scores. Returns rubrics and scores.",
  effect: 'read',
  permission: 'sourcing.read',
  input: { rubricId: id('rubric').optional(), rfpId: id('rfp').optional(), ...pageArguments },
  output: {
    rubrics: list(toOneLine(RubricShape, 'id, name, criteria[] { code, name, weight, scorer }, usedBy[] { rfpId, number }')),
    attached: toOneLine(object({ name: z.string(), criteria: list(StoredCriterion) }), 'name, criteria[]')
      .nullable()
      .optional(),
    scores: list(ScoreShape).optional(),
    ...pageResult,
  },
  run: listRubrics,
})
