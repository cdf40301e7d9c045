import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { type ReviewCriterion, REVIEWS_FOR_HALF_BIAS_CORRECTION, type SubmissionScore } from './scores.ts'

/**
 * SQL table of the scores of all submissions of the event, so that lists can be sorted by score without reading every review. The tests
 * compare the scores with those of a simple implementation, `computeScores`.
 */
export const buildSubmissionScoresSql = (ctx: EventContext, rubric: readonly ReviewCriterion[]) => {
  const at = sql`r.tenant_id = ${ctx.tenantId} and r.event_id = ${ctx.event.id} and not r.recused`
  const criteria = rubric.map(({ code, weight, max }) => sql`(${code}::text, ${weight}::float8, ${max}::float8)`)
  const total =
    criteria.length === 0
      ? sql`null::float8`
      : sql`(select 100 * sum(c.weight * (r.scores ->> c.code)::float8 / c.max) / sum(c.weight)
          from (values ${sql.join(criteria)}) c (code, weight, max) where r.scores ? c.code)`
  return sql`(
    with totals as (select r.submission_id, r.reviewer_id, ${total} as total from submission_reviews r where ${at}),
    reviewers as (select reviewer_id, avg(total) as mean, count(total) as reviews from totals group by 1)
    select t.submission_id, count(*)::int as done, avg(t.total) as score, stddev_pop(t.total) as spread,
      avg(t.total - (v.mean - (select avg(total) from totals)) * v.reviews / (v.reviews + ${REVIEWS_FOR_HALF_BIAS_CORRECTION})) as adjusted
    from totals t join reviewers v on v.reviewer_id = t.reviewer_id group by 1)`
}

/** Reads the scores of one submission; null if it has no review that counts. */
export async function readSubmissionScore(
  ctx: EventContext,
  rubric: readonly ReviewCriterion[],
  submissionId: string,
): Promise<SubmissionScore | null> {
  const { rows } = await sql<SubmissionScore>`
    select s.score, s.spread, s.adjusted from ${buildSubmissionScoresSql(ctx, rubric)} s where s.submission_id = ${submissionId} and s.score is not null`.execute(
    ctx.db,
  )
  return rows[0] ?? null
}
