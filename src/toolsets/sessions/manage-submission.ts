import { z } from 'zod'
import { brief, code, count, flag, id, instant, list, object, oneOf, text } from '../../kernel/args.ts'
import { manageEventTool } from '../../kernel/manage-tool.ts'
import { editArguments } from '../../kernel/record-shapes.ts'
import type { EventContext } from '../../kernel/context.ts'
import { confirmSubmission, declineSubmission } from '../../domains/submissions/confirm.ts'
import { decideSubmissions, INFORM_SKIP_REASONS, informSubmitters } from '../../domains/submissions/decide.ts'
import { fileReview, RECOMMENDATIONS } from '../../domains/submissions/review.ts'
import { assignReviewersTo } from '../../domains/submissions/reviewers.ts'
import { cancelSubmission, describeSession, scheduleSubmission, unscheduleSubmission } from '../../domains/submissions/schedule.ts'
import { DECISIONS, SUBMISSION_STATES } from '../../domains/submissions/states.ts'
import { SUBMISSION } from '../../domains/submissions/submission-record.ts'
import { describeSubmission, SessionOfSubmission, Submission } from '../../domains/submissions/submission-shape.ts'
import {
  createSubmission,
  lockSubmission,
  mergeSubmissions,
  type NewSubmission,
  submitSubmission,
  updateSubmission,
  withdrawSubmission,
} from '../../domains/submissions/submissions.ts'
import type { SubmissionRow } from '../../domains/submissions/tables.ts'

const ROLES = ['speaker', 'moderator', 'panelist', 'presenter', 'author'] as const
const FIELD_NAMES = ['abstract', 'keywords', 'answers', 'speakers'] as const
const { title, abstract, keywords, answers, ifRevision } = editArguments(SUBMISSION)
const number = () => text(40)

const show = async (ctx: EventContext, row: Pick<SubmissionRow, 'number'>) => ({ submission: await describeSubmission(ctx, row.number) })
const briefly = (rows: readonly SubmissionRow[]) => rows.map((row) => ({ number: row.number, status: row.status, pending: row.pending }))

export default manageEventTool({
  name: 'manage_submission',
  title: 'Manage submissions',
  description:
    'Decide on proposals (accept, reject), assign referees, review, schedule in a room. inform emails authors, merge and cancel too cannot be undone: make a dryRun first. Actions: create, update, submit, withdraw, assign_reviewers, review, decide, inform, confirm, decline, schedule, unschedule, merge, cancel. Returns submissions.',
  effect: 'destructive',
  area: 'sessions',
  keyed: true,
  openWorld: true,
  input: {
    number: number(),
    title,
    abstract,
    keywords,
    answers,
    trackCode: code(),
    formatCode: code(),
    speakers: brief(list(object({ speakerId: id('speaker'), role: oneOf(ROLES).optional() }), 50), 'speakerId, role?'),
    status: oneOf(['draft', 'submitted', 'accepted']),
    clear: list(oneOf(['abstract', 'keywords', 'answers']), 3),
    ifRevision,
    numbers: list(number(), 10_000),
    reviewerIds: list(id('user'), 500),
    perSubmission: count(1, 10),
    scores: brief(z.record(z.string().max(63), z.number()), 'points by criterion'),
    recommendation: oneOf(RECOMMENDATIONS),
    noteToCommittee: text(5000),
    noteToAuthor: text(5000),
    recused: flag(),
    decisions: brief(
      list(
        object({
          number: number(),
          decision: oneOf([...DECISIONS, 'none']),
          trackCode: code().optional(),
          formatCode: code().optional(),
          note: text(5000).optional(),
        }),
        1000,
      ),
      'number, decision (accepted, backup, rejected, none), trackCode?, formatCode?, note?',
    ),
    force: flag(),
    decision: oneOf(DECISIONS),
    startsAt: instant(),
    endsAt: instant(),
    roomCode: code(),
    keep: number(),
    drop: number(),
    reason: text(500),
  },
  output: {
    submission: Submission.optional(),
    submissions: brief(
      list(object({ number: text(), status: oneOf(SUBMISSION_STATES.all), pending: oneOf(DECISIONS).nullable() }), 10_000),
      'number, status, pending',
    ).optional(),
    changed: list(text()).optional(),
    assigned: count().optional(),
    load: brief(list(object({ reviewerId: text(), name: text(), load: count() })), 'reviewerId, name, load').optional(),
    unassignable: list(text(), 10_000).optional(),
    session: brief(SessionOfSubmission, 'sessionId, code, status, roomCode, startsAt, endsAt').optional(),
    conflicts: brief(list(object({ kind: text(), speakerId: text() })), 'kind, speakerId').optional(),
    queued: count().optional(),
    skipped: brief(list(object({ reason: oneOf(INFORM_SKIP_REASONS), count: count() })), 'reason, count').optional(),
  },
  actions: (action) => ({
    create: action.change(
      ['title', 'trackCode', 'formatCode'],
      async (ctx, input) => show(ctx, await createSubmission(ctx, input as NewSubmission)),
      { takes: [...FIELD_NAMES, 'status'] },
    ),
    update: action.change(
      ['number'],
      async (ctx, { number: named, ...edit }) => {
        const { row, changed } = await updateSubmission(ctx, named, edit)
        return { ...(await show(ctx, row)), changed }
      },
      { takes: ['title', 'trackCode', 'formatCode', ...FIELD_NAMES, 'clear', 'ifRevision'] },
    ),
    submit: action.change(['number'], async (ctx, input) => show(ctx, await submitSubmission(ctx, input.number))),
    withdraw: action.change(['number'], async (ctx, input) => show(ctx, await withdrawSubmission(ctx, input.number))),
    assign_reviewers: action.change([], assignReviewersTo, { takes: ['numbers', 'trackCode', 'reviewerIds', 'perSubmission'] }),
    review: action.change(['number'], async (ctx, input) => show(ctx, await fileReview(ctx, input)), {
      takes: ['scores', 'recommendation', 'noteToCommittee', 'noteToAuthor', 'recused'],
    }),
    decide: action.change(
      ['decisions'],
      async (ctx, { decisions, force = false }) => ({ submissions: briefly(await decideSubmissions(ctx, decisions, force)) }),
      { takes: ['force'] },
    ),
    inform: action.change(
      [],
      async (ctx, input) => {
        const { informed, ...counts } = await informSubmitters(ctx, input)
        return { submissions: briefly(informed), ...counts }
      },
      { takes: ['numbers', 'decision'], also: ['email.send'] },
    ),
    confirm: action.change(['number'], async (ctx, input) => show(ctx, await confirmSubmission(ctx, input.number))),
    decline: action.change(['number'], async (ctx, input) => show(ctx, await declineSubmission(ctx, input.number))),
    schedule: action.change(
      ['number', 'startsAt', 'roomCode'],
      async (ctx, { number: named, ...slot }) => {
        const { row, session, conflicts } = await scheduleSubmission(ctx, named, slot)
        return { ...(await show(ctx, row)), session: describeSession(session), conflicts }
      },
      { takes: ['endsAt'] },
    ),
    unschedule: action.change(['number'], async (ctx, input) => {
      const row = await lockSubmission(ctx, input.number)
      await unscheduleSubmission(ctx, row)
      return show(ctx, row)
    }),
    merge: action.change(['keep', 'drop'], async (ctx, { keep, drop }) => show(ctx, await mergeSubmissions(ctx, keep, drop))),
    cancel: action.change(['number', 'reason'], async (ctx, input) => {
      const { row, emails } = await cancelSubmission(ctx, input.number, input.reason)
      return { ...(await show(ctx, row)), queued: emails }
    }),
  }),
})
