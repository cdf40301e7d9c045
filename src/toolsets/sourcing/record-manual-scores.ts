import { z } from 'zod'
import { toOneLine, code, count, id, list, object, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { recordManualScores } from '../../domains/bids/record-scores.ts'
import { ScoreShape } from '../../domains/bids/rubrics.ts'

const Entry = object({
  responseId: id('rfpResponse'),
  criterion: code(),
  score: z.number().min(0, 'at least 0').max(5, 'at most 5').multipleOf(0.5, 'a half or whole number, such as 3.5'),
  note: text(1000).optional(),
})

export default eventTool({
  name: 'record_manual_scores',
  title: 'Enter my marks for bidders',
  description:
    "Put down an evaluator's marks (scores) for each hotel, such as after site visits, on the criteria that people judge: 0 to 5 in halves, with a note; again replaces. A colleague's need clients.admin. Not for criteria with a formula, see list_scoring_rubrics. Returns the new totals and ranks.",
  effect: 'change',
  permission: 'sourcing.write',
  keyed: true,
  dryRun: true,
  idempotent: true,
  input: {
    rfpId: id('rfp'),
    scores: list(toOneLine(Entry, 'responseId, criterion, score 0..5 in halves, note'), 200).min(1, 'at least one score'),
    evaluator: id('user').optional(),
  },
  output: { saved: count(), replaced: count(), totals: list(ScoreShape) },
  run: recordManualScores,
})
