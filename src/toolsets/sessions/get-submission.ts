import { list, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { describeSubmission, SubmissionShape, OPTIONAL_SUBMISSION_DETAILS } from '../../domains/submissions/submission-shape.ts'

export default eventTool({
  name: 'get_submission',
  title: 'Read a submission',
  description:
    'Read one proposal (abstract, paper) such as S-000123 in full: text, speakers, answers, rubric means, score; with include also reviews (referee comments, marks), history and similar ones (lookalikes, possible duplicates). Assigned reviewers see it blind. To find numbers use list_submissions. Returns the submission.',
  effect: 'read',
  permission: 'sessions.read',
  input: { number: text(40), include: list(oneOf(OPTIONAL_SUBMISSION_DETAILS), 3).optional() },
  output: { submission: SubmissionShape },
  run: async (ctx, { number, include }) => ({ submission: await describeSubmission(ctx, number, include) }),
})
