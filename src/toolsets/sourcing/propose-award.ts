import { toOneLine, count, day, flag, id, list, money, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { proposeAward } from '../../domains/awards/propose.ts'
import { Award } from '../../domains/awards/shapes.ts'
import { AWARD_WARNINGS } from '../../domains/awards/warnings.ts'
import { z } from 'zod'

const Line = object({
  responseId: id('rfpResponse'),
  share: list(object({ night: day(), rooms: count(0, 100_000) }), 100).optional(),
})
const Warning = object({ code: oneOf(AWARD_WARNINGS), message: text(), responseIds: list(text()) })

export default eventTool({
  name: 'propose_award',
  title: 'Recommend a winner for approval',
  description:
    'Nominate the winner of an RFP with our reasons and put it forward for sign-off, one hotel or a split of rooms between several; or withdraw it. Sends no email yet: execute_award does. Returns the award, total, savings, overLimit and warnings.',
  effect: 'change',
  permission: 'sourcing.write',
  keyed: true,
  dryRun: true,
  input: {
    rfpId: id('rfp').optional(),
    lines: list(toOneLine(Line, 'responseId, share[]? { night, rooms }'), 10).min(1).optional(),
    rationale: z.string().trim().min(20, 'at least 20 characters').max(4000, 'at most 4000 characters').optional(),
    awardId: id('award').optional(),
    withdraw: flag().optional(),
  },
  output: {
    award: Award,
    total: money(),
    savings: money(),
    overLimit: flag(),
    warnings: list(toOneLine(Warning, 'code, message, responseIds[]')),
  },
  run: proposeAward,
})
