import { multiActionEventTool } from '../../kernel/manage-tool.ts'
import { confirmSubmission, declineSubmission } from '../../domains/submissions/confirm.ts'
import * as manage from '../../domains/submissions/manage.ts'
import { SUBMISSION_ARGUMENTS, SUBMISSION_FIELDS, SUBMISSION_RESULTS } from '../../domains/submissions/manage-arguments.ts'
import { fileReview } from '../../domains/submissions/review.ts'
import { assignReviewersTo } from '../../domains/submissions/reviewers.ts'
import * as submissions from '../../domains/submissions/submissions.ts'

const { showChangedSubmission } = manage

export default multiActionEventTool({
  name: 'manage_submission',
  title: 'Manage submissions',
  description:
    'Accept or reject abstracts (decide), email authors (inform), merge or cancel, which cannot be undone: make a dryRun. Actions: create, update, submit, withdraw, assign_reviewers (referees), review, decide, inform, confirm, decline, schedule (room), unschedule, merge, cancel. To read use get_submission. Returns submissions.',
  effect: 'destructive',
  area: 'sessions',
  keyed: true,
  openWorld: true,
  input: SUBMISSION_ARGUMENTS,
  output: SUBMISSION_RESULTS,
  actions: (action) => ({
    create: action.change(
      ['title', 'trackCode', 'formatCode'],
      (ctx, input) => showChangedSubmission(ctx, submissions.createSubmission(ctx, input as submissions.NewSubmission)),
      { takes: [...SUBMISSION_FIELDS, 'status'] },
    ),
    update: action.change(['number'], manage.updateAndShowSubmission, {
      takes: ['title', 'trackCode', 'formatCode', ...SUBMISSION_FIELDS, 'ifRevision'],
    }),
    submit: action.change(['number'], (ctx, { number }) => showChangedSubmission(ctx, submissions.submitSubmission(ctx, number))),
    withdraw: action.change(['number'], (ctx, { number }) => showChangedSubmission(ctx, submissions.withdrawSubmission(ctx, number))),
    assign_reviewers: action.change([], assignReviewersTo, { takes: ['numbers', 'trackCode', 'reviewerIds', 'perSubmission'] }),
    review: action.change(['number'], (ctx, input) => showChangedSubmission(ctx, fileReview(ctx, input)), {
      takes: ['scores', 'recommendation', 'noteToCommittee', 'noteToAuthor', 'recused'],
    }),
    decide: action.change(['decisions'], manage.decideAndShow, { takes: ['force'] }),
    inform: action.change([], manage.informAndShow, { takes: ['numbers', 'decision'], also: ['email.send'] }),
    confirm: action.change(['number'], (ctx, { number }) => showChangedSubmission(ctx, confirmSubmission(ctx, number))),
    decline: action.change(['number'], (ctx, { number }) => showChangedSubmission(ctx, declineSubmission(ctx, number))),
    schedule: action.change(['number', 'startsAt', 'roomCode'], manage.scheduleAndShow, { takes: ['endsAt'] }),
    unschedule: action.change(['number'], manage.unscheduleAndShow),
    merge: action.change(['keep', 'drop'], (ctx, { keep, drop }) =>
      showChangedSubmission(ctx, submissions.mergeSubmissions(ctx, keep, drop)),
    ),
    cancel: action.change(['number', 'reason'], manage.cancelAndShow),
  }),
})
