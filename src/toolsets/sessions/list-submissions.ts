import { z } from 'zod'
import { toOneLine, code, count, id, list, oneOf, pageArguments, pageResult, searchArgument, text, totalResult } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { ListedSubmission, listSubmissions, SUBMISSION_SORTS } from '../../domains/submissions/list.ts'
import { DECISIONS, SUBMISSION_STATES } from '../../domains/submissions/states.ts'

export default eventTool({
  name: 'list_submissions',
  title: 'List submissions',
  description:
    'List the proposals (abstracts, papers, talks) that came in through the call for papers, by track, status, pending decision, reviewer or number of reviews, best score first with sort. To read one use get_submission; to decide use manage_submission. Returns submissions with review progress, score and adjusted score, counts.',
  effect: 'read',
  permission: 'sessions.read',
  input: {
    status: list(oneOf(SUBMISSION_STATES.all), 10).optional(),
    pending: oneOf([...DECISIONS, 'none']).optional(),
    trackCode: code().optional(),
    formatCode: code().optional(),
    reviewer: text(24).optional(),
    reviewsBelow: count(1, 100).optional(),
    minScore: z.number().min(0).max(100).optional(),
    speakerId: id('speaker').optional(),
    search: searchArgument().optional(),
    sort: oneOf(SUBMISSION_SORTS).default('submittedAt'),
    ...pageArguments,
  },
  output: {
    submissions: toOneLine(list(ListedSubmission), 'number, title, status, pending, trackCode, formatCode, speakers[], reviews, score ...'),
    counts: toOneLine(z.record(z.string(), z.number()), 'by status'),
    ...totalResult,
    ...pageResult,
  },
  run: listSubmissions,
})
