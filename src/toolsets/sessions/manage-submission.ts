import { multiActionEventTool } from '../../kernel/manage-tool.ts'
import { confirmSubmission, declineSubmission } from '../../domains/submissions/confirm.ts'
import * as manage from '../../domains/submissions/manage.ts'
import {
  MANAGE_SUBMISSION_ARGUMENTS,
  EDITABLE_SUBMISSION_FIELDS,
  MANAGE_SUBMISSION_RESULT_FIELDS,
} from '../../domains/submissions/manage-arguments.ts'
import { saveOwnReview } from '../../domains/submissions/review.ts'
import { assignReviewersToSubmissions } from '../../domains/submissions/reviewers.ts'
import * as submissions from '../../domains/submissions/submissions.ts'

const { describeChangedSubmission } = manage

export default multiActionEventTool({
  name: 'manage_submission',
  title: 'Manage submissions',
  description:
    'Accept or reject abstracts (decide), email authors (inform), merge or cancel, which cannot be undone: make a dryRun. Actions: create, update, submit, withdraw, assign_reviewers (referees), review, decide, inform, confirm, decline, schedule (room), unschedule, merge, cancel. To read use get_submission. Returns submissions.',
  effect: 'destructive',
  area: 'sessions',
  keyed: true,
  openWorld: true,
  input: MANAGE_SUBMISSION_ARGUMENTS,
  output: MANAGE_SUBMISSION_RESULT_FIELDS,
  actions: (action) => ({
    create: action.change(
      ['title', 'trackCode', 'formatCode'],
      (ctx, input) => describeChangedSubmission(ctx, submissions.createSubmission(ctx, input as submissions.NewSubmission)),
      { takes: [...EDITABLE_SUBMISSION_FIELDS, 'status'] },
    ),
    update: action.change(['number'], manage.updateAndShowSubmission, {
      takes: ['title', 'trackCode', 'formatCode', ...EDITABLE_SUBMISSION_FIELDS, 'ifRevision'],
    }),
    submit: action.change(['number'], (ctx, { number }) => describeChangedSubmission(ctx, submissions.submitSubmission(ctx, number))),
    withdraw: action.change(['number'], (ctx, { number }) => describeChangedSubmission(ctx, submissions.withdrawSubmission(ctx, number))),
    assign_reviewers: action.change([], assignReviewersToSubmissions, { takes: ['numbers', 'trackCode', 'reviewerIds', 'perSubmission'] }),
    review: action.change(['number'], (ctx, input) => describeChangedSubmission(ctx, saveOwnReview(ctx, input)), {
      takes: ['scores', 'recommendation', 'noteToCommittee', 'noteToAuthor', 'recused'],
    }),
    decide: action.change(['decisions'], manage.decideAndShowSubmissions, { takes: ['force'] }),
    inform: action.change([], manage.informSubmittersAndShow, { takes: ['numbers', 'decision'], also: ['email.send'] }),
    confirm: action.change(['number'], (ctx, { number }) => describeChangedSubmission(ctx, confirmSubmission(ctx, number))),
    decline: action.change(['number'], (ctx, { number }) => describeChangedSubmission(ctx, declineSubmission(ctx, number))),
    schedule: action.change(['number', 'startsAt', 'roomCode'], manage.scheduleAndShowSubmission, { takes: ['endsAt'] }),
    unschedule: action.change(['number'], manage.unscheduleAndShowSubmission),
    merge: action.change(['keep', 'drop'], (ctx, { keep, drop }) =>
      describeChangedSubmission(ctx, submissions.mergeSubmissions(ctx, keep, drop)),
    ),
    cancel: action.change(['number', 'reason'], manage.cancelAndShowSubmission),
  }),
})
