import { type RawBuilder, sql } from 'kysely'
import type { EventConfig } from '../configuration/schema/event-config.ts'

export type BlindReviewMode = EventConfig['sessions']['blind']

/**
 * SQL condition on the table `submissions` that the caller is an assigned reviewer who has not filed a review yet. Until then other reviews
 * and scores are hidden, and in double-blind reviews also the speakers.
 */
export const isSubmissionBlindedSql = (mode: BlindReviewMode, userId: string): RawBuilder<boolean> =>
  mode === 'none'
    ? sql<boolean>`false`
    : sql<boolean>`(exists (select from submission_reviewers a where a.tenant_id = submissions.tenant_id and a.event_id = submissions.event_id
        and a.submission_id = submissions.id and a.reviewer_id = ${userId})
      and not exists (select from submission_reviews r where r.tenant_id = submissions.tenant_id and r.event_id = submissions.event_id
        and r.submission_id = submissions.id and r.reviewer_id = ${userId}))`
