import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { type FieldError, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { createUnknownNameFieldError } from '../../kernel/nearest.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { refuseConflictOfInterest } from './reviewers.ts'
import type { ReviewCriterion } from './scores.ts'
import { isOpenSubmission, SUBMISSION_STATES } from './states.ts'
import { lockSubmission, readSubmissionConfig } from './submissions.ts'
import type { SubmissionRow } from './tables.ts'

export const REVIEW_RECOMMENDATIONS = ['accept', 'maybe', 'reject'] as const

interface GivenReview {
  number: string
  scores?: Readonly<Record<string, number>> | undefined
  recommendation?: (typeof REVIEW_RECOMMENDATIONS)[number] | undefined
  noteToCommittee?: string | undefined
  noteToAuthor?: string | undefined
  recused?: boolean | undefined
}

/** Saves or replaces the caller's own review. The review of a recused reviewer has no scores. */
export async function saveOwnReview(ctx: EventContext, review: GivenReview): Promise<SubmissionRow> {
  const { scores = {}, recused = false } = review
  const { config } = await readSubmissionConfig(ctx)
  const errors = recused ? [] : checkReview(config.sessions.reviewRubric, review)
  if (errors.length > 0) throw invalidArguments(errors)
  const row = await lockSubmission(ctx, review.number)
  if (row.informed_at !== null)
    throw preconditionFailed(`The submitter of ${row.number} was informed of the decision, so reviews are closed.`)
  if (!isOpenSubmission(row.status))
    throw preconditionFailed(`Submission ${row.number} is ${row.status}. Only submitted and under_review submissions are reviewed.`)
  if (!recused) await refuseConflictOfInterest(ctx, row)
  const key = { tenant_id: ctx.tenantId, event_id: ctx.event.id, submission_id: row.id, reviewer_id: ctx.actor.id }
  const values = {
    reviewer_name: ctx.actor.name,
    scores: JSON.stringify(recused ? {} : scores),
    recommendation: recused ? null : (review.recommendation ?? null),
    note_to_committee: review.noteToCommittee ?? null,
    note_to_author: review.noteToAuthor ?? null,
    recused,
    reviewed_at: sql<Date>`lanyard_now()`,
  }
  await ctx.db
    .insertInto('submission_reviewers')
    .values(key)
    .onConflict((c) => c.doNothing())
    .execute()
  const before = await eventDb(ctx)
    .selectFrom('submission_reviews')
    .select(['scores', 'recommendation', 'recused'])
    .where('submission_id', '=', row.id)
    .where('reviewer_id', '=', ctx.actor.id)
    .executeTakeFirst()
  await ctx.db
    .insertInto('submission_reviews')
    .values({ ...key, ...values })
    .onConflict((c) => c.columns(['tenant_id', 'event_id', 'submission_id', 'reviewer_id']).doUpdateSet(values))
    .execute()
  recordChange(ctx, {
    kind: 'submission',
    id: row.id,
    before: { review: before ? { by: ctx.actor.id, ...before } : null },
    after: { review: { by: ctx.actor.id, scores: recused ? {} : scores, recommendation: values.recommendation, recused } },
  })
  return row.status === 'submitted' ? changeRecordState(ctx, SUBMISSION_STATES, row, 'under_review') : row
}

function checkReview(rubric: readonly ReviewCriterion[], { scores = {}, recommendation }: GivenReview): FieldError[] {
  const codes = rubric.map(({ code }) => code)
  const unknown = Object.keys(scores)
    .filter((code) => !codes.includes(code))
    .map((code) => createUnknownNameFieldError(`scores.${code}`, code, codes, 'criterion'))
  const wrong = rubric.flatMap(({ code, max }): FieldError[] => {
    const points = Object.hasOwn(scores, code) ? scores[code] : undefined
    if (points === undefined) return [{ path: `scores.${code}`, message: `is required: 0 to ${max} points` }]
    return points >= 0 && points <= max ? [] : [{ path: `scores.${code}`, message: `must be from 0 to ${max}` }]
  })
  const without =
    recommendation === undefined ? [{ path: 'recommendation', message: 'is required unless recused', allowed: REVIEW_RECOMMENDATIONS }] : []
  return [...unknown, ...wrong, ...without]
}
