import { z } from 'zod'
import { toOneLine, code, count, flag, id, instant, list, object, oneOf, text } from '../../kernel/args.ts'
import { buildEditArguments } from '../../kernel/record-shapes.ts'
import { INFORM_SKIP_REASONS } from './decide.ts'
import { REVIEW_RECOMMENDATIONS } from './review.ts'
import { DECISIONS, SUBMISSION_STATES } from './states.ts'
import { SUBMISSION_RECORD } from './submission-record.ts'
import { SubmissionSessionShape, SubmissionShape } from './submission-shape.ts'

const ROLES = ['speaker', 'moderator', 'panelist', 'presenter', 'author'] as const
const { title, abstract, keywords, answers, ifRevision } = buildEditArguments(SUBMISSION_RECORD)
const number = () => text(40)

export const MANAGE_SUBMISSION_ARGUMENTS = {
  number: number(),
  title,
  abstract,
  keywords,
  answers,
  trackCode: code(),
  formatCode: code(),
  speakers: toOneLine(list(object({ speakerId: id('speaker'), role: oneOf(ROLES).optional() }), 50), 'speakerId, role?'),
  status: oneOf(['draft', 'submitted', 'accepted']),
  ifRevision,
  numbers: list(number(), 10_000),
  reviewerIds: list(id('user'), 500),
  perSubmission: count(1, 10),
  scores: toOneLine(z.record(z.string().max(63), z.number()), 'by criterion'),
  recommendation: oneOf(REVIEW_RECOMMENDATIONS),
  noteToCommittee: text(5000),
  noteToAuthor: text(5000),
  recused: flag(),
  decisions: toOneLine(
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
    'number, decision, trackCode?, formatCode?, note?',
  ),
  force: flag(),
  decision: oneOf(DECISIONS),
  startsAt: instant(),
  endsAt: instant(),
  roomCode: code(),
  keep: number(),
  drop: number(),
  reason: text(500),
}

export const MANAGE_SUBMISSION_RESULT_FIELDS = {
  submission: SubmissionShape.optional(),
  submissions: toOneLine(
    list(object({ number: text(), status: oneOf(SUBMISSION_STATES.all), pending: oneOf(DECISIONS).nullable() }), 10_000),
    'number, status, pending',
  ).optional(),
  changed: list(text()).optional(),
  assigned: count().optional(),
  load: toOneLine(list(object({ reviewerId: text(), name: text(), load: count() })), 'reviewerId, name, load').optional(),
  unassignable: list(text(), 10_000).optional(),
  session: toOneLine(SubmissionSessionShape, 'sessionId, code, status, roomCode, startsAt, endsAt').optional(),
  conflicts: toOneLine(list(object({ kind: text(), speakerId: text() })), 'kind, speakerId').optional(),
  queued: count().optional(),
  skipped: toOneLine(list(object({ reason: oneOf(INFORM_SKIP_REASONS), count: count() })), 'reason, count').optional(),
}

/** The fields that the actions create and update of manage_submission accept. */
export const EDITABLE_SUBMISSION_FIELDS = ['abstract', 'keywords', 'answers', 'speakers'] as const
