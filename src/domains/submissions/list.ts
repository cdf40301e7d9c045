import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { z } from 'zod'
import { toOneLine, count, list, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import type { Tables } from '../../kernel/columns.ts'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { type SortColumn, readPage } from '../../kernel/page.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { buildWordMatchCondition } from '../../kernel/search.ts'
import { countCappedTotal } from '../../kernel/totals.ts'
import { getSpeaker } from '../sessions/speakers.ts'
import { isSubmissionBlindedSql } from './blind.ts'
import { roundToOneDecimal } from './scores.ts'
import { buildSubmissionScoresSql } from './scores-table.ts'
import { type Decision, DECISIONS, SUBMISSION_STATES, type SubmissionStatus } from './states.ts'
import { readSubmissionConfig } from './submissions.ts'

export const SUBMISSION_SORTS = ['submittedAt', 'score', 'adjusted', 'title'] as const

export const ListedSubmission = object({
  number: text(),
  title: untrustedText(),
  status: oneOf(SUBMISSION_STATES.all),
  pending: oneOf(DECISIONS).nullable(),
  trackCode: text(),
  formatCode: text(),
  speakers: toOneLine(list(object({ speakerId: text(), name: untrustedText() })), 'speakerId, name').optional(),
  reviews: object({ done: count(), wanted: count() }),
  score: z.number().nullable(),
  adjusted: z.number().nullable(),
  spread: z.number().nullable(),
})

interface SubmissionFilter {
  status?: readonly SubmissionStatus[] | undefined
  pending?: Decision | 'none' | undefined
  trackCode?: string | undefined
  formatCode?: string | undefined
  reviewer?: string | undefined
  reviewsBelow?: number | undefined
  minScore?: number | undefined
  speakerId?: string | undefined
  search?: string | undefined
  sort: (typeof SUBMISSION_SORTS)[number]
  limit: number
  cursor?: string | undefined
}

interface ListedRow {
  id: string
  number: string
  title: string
  status: SubmissionStatus
  pending: Decision | null
  track: string
  format: string
  speakers: { speakerId: string; name: string }[] | null
  done: number
  score: number | null
  adjusted: number | null
  spread: number | null
  sortKey: string
}

/** SQL expression for sorting by score with six decimals. Submissions without a score come last. */
const toScoreKey = (score: RawBuilder<unknown>) => sql<string>`coalesce(round(${score}::numeric * 1000000), -9000000000000)::bigint`

/**
 * Lists submissions with review progress and scores. Before filing their own review, reviewers see no scores and, in double-blind reviews,
 * no speakers.
 */
export async function listSubmissions(ctx: EventContext, { sort, limit, cursor, ...filter }: SubmissionFilter) {
  if (filter.speakerId !== undefined) await getSpeaker(ctx, filter.speakerId)
  const { sessions } = (await readSubmissionConfig(ctx)).config
  const isBlinded = isSubmissionBlindedSql(sessions.blind, ctx.actor.id)
  const shown = (column: string) => sql`case when ${isBlinded} then null else ${sql.ref(`scores.${column}`)} end`
  const joined = eventDb(ctx)
    .selectFrom('submissions')
    .leftJoin(sql<{ submission_id: string }>`${buildSubmissionScoresSql(ctx, sessions.reviewRubric)}`.as('scores'), (join) =>
      join.onRef('scores.submission_id', '=', 'submissions.id'),
    ) as unknown as SelectQueryBuilder<Tables, 'submissions', object>
  const hidesSpeakers = sessions.blind === 'double' ? isBlinded : sql<boolean>`false`
  const rows = applyFilter(ctx, joined, filter, { score: shown('score'), hidesSpeakers })
  const by: Record<
    (typeof SUBMISSION_SORTS)[number],
    { key: RawBuilder<unknown>; type: SortColumn<ListedRow>['type']; descending: boolean }
  > = {
    submittedAt: { key: sql`coalesce(submissions.submitted_at, submissions.created_at)`, type: 'timestamptz', descending: true },
    score: { key: toScoreKey(shown('score')), type: 'bigint', descending: true },
    adjusted: { key: toScoreKey(shown('adjusted')), type: 'bigint', descending: true },
    title: { key: sql`lower(submissions.title) collate "C"`, type: 'text', descending: false },
  }
  const { key, type, descending } = by[sort]
  const selected = rows.select([
    'submissions.id',
    'submissions.number',
    'submissions.title',
    'submissions.status',
    'submissions.pending',
    sql<string>`coalesce(submissions.decided_track_code, submissions.track_code)`.as('track'),
    sql<string>`coalesce(submissions.decided_format_code, submissions.format_code)`.as('format'),
    sql<number>`coalesce(scores.done, 0)`.as('done'),
    sql<number | null>`${shown('score')}`.as('score'),
    sql<number | null>`${shown('adjusted')}`.as('adjusted'),
    sql<number | null>`${shown('spread')}`.as('spread'),
    sql<string>`(${key})::text`.as('sortKey'),
    sql<ListedRow['speakers']>`case when ${hidesSpeakers} then null else coalesce((
      select json_agg(json_build_object('speakerId', p.id, 'name', concat_ws(' ', p.first_name, p.last_name)) order by x.position)
      from submission_speakers x join speakers p on p.tenant_id = x.tenant_id and p.event_id = x.event_id and p.id = x.speaker_id
      where x.tenant_id = submissions.tenant_id and x.event_id = submissions.event_id and x.submission_id = submissions.id), '[]') end`.as(
      'speakers',
    ),
  ]) as unknown as SelectQueryBuilder<Tables, 'submissions', ListedRow>
  const { items, ...page } = await readPage(
    ctx,
    { limit, cursor },
    {
      rows: selected,
      order: [
        { by: sql`${key}`, type, descending, of: (row) => row.sortKey },
        { by: sql`submissions.id`, type: 'text', of: (row) => row.id },
      ],
      shape: (row) => toListedSubmission(row, sessions.reviewsPerSubmission),
    },
  )
  const counted = await rows
    .select(['submissions.status', sql<number>`count(*)::int`.as('count')])
    .groupBy('submissions.status')
    .execute()
  return {
    submissions: items,
    counts: Object.fromEntries(counted.map((one) => [one.status, one.count])),
    ...(await countCappedTotal(ctx, rows)),
    ...page,
  }
}

const round = (score: number | null) => (score === null ? null : roundToOneDecimal(score))

const toListedSubmission = (row: ListedRow, wanted: number): z.input<typeof ListedSubmission> => ({
  number: row.number,
  title: row.title,
  status: row.status,
  pending: row.pending,
  trackCode: row.track,
  formatCode: row.format,
  ...(row.speakers === null ? {} : { speakers: row.speakers }),
  reviews: { done: row.done, wanted },
  score: round(row.score),
  adjusted: round(row.adjusted),
  spread: round(row.spread),
})

type SubmissionQuery = SelectQueryBuilder<Tables, 'submissions', object>

function applyFilter(
  ctx: EventContext,
  query: SubmissionQuery,
  filter: Omit<SubmissionFilter, 'sort' | 'limit' | 'cursor'>,
  { score, hidesSpeakers }: { score: RawBuilder<unknown>; hidesSpeakers: RawBuilder<boolean> },
): SubmissionQuery {
  const { status, pending, trackCode, formatCode, reviewer, reviewsBelow, minScore, speakerId, search } = filter
  let rows = query
  if (status?.length) rows = rows.where('submissions.status', 'in', status)
  if (pending === 'none') rows = rows.where('submissions.pending', 'is', null)
  else if (pending !== undefined) rows = rows.where('submissions.pending', '=', pending)
  if (trackCode !== undefined)
    rows = rows.where(sql<boolean>`coalesce(submissions.decided_track_code, submissions.track_code) = ${trackCode}`)
  if (formatCode !== undefined)
    rows = rows.where(sql<boolean>`coalesce(submissions.decided_format_code, submissions.format_code) = ${formatCode}`)
  if (reviewer !== undefined) rows = rows.where(isAssignedTo(toReviewerId(ctx, reviewer)))
  if (reviewsBelow !== undefined) rows = rows.where(sql<boolean>`coalesce(scores.done, 0) < ${reviewsBelow}`)
  if (minScore !== undefined) rows = rows.where(sql<boolean>`${score} >= ${minScore}`)
  // A filter by speaker does not find submissions whose speakers are hidden from the caller.
  if (speakerId !== undefined) rows = rows.where(sql<boolean>`not ${hidesSpeakers} and ${hasSpeaker(sql`x.speaker_id = ${speakerId}`)}`)
  if (search !== undefined)
    rows = rows.where(
      sql<boolean>`(${buildWordMatchCondition(sql`submissions.searched`, search)} or not ${hidesSpeakers} and ${hasSpeaker(buildWordMatchCondition(sql`p.searched`, search))})`,
    )
  return rows
}

const isAssignedTo = (userId: string) => sql<boolean>`exists (select from submission_reviewers a where a.tenant_id = submissions.tenant_id
  and a.event_id = submissions.event_id and a.submission_id = submissions.id and a.reviewer_id = ${userId})`

const hasSpeaker = (condition: RawBuilder<boolean>) => sql<boolean>`exists (select from submission_speakers x
  join speakers p on p.tenant_id = x.tenant_id and p.event_id = x.event_id and p.id = x.speaker_id
  where x.tenant_id = submissions.tenant_id and x.event_id = submissions.event_id and x.submission_id = submissions.id and ${condition})`

function toReviewerId(ctx: EventContext, reviewer: string): string {
  if (reviewer === 'me') return ctx.actor.id
  if (!isId(reviewer))
    throw invalidArguments([{ path: 'reviewer', message: 'pass me or the id of a user; list_event_staff lists users with their ids' }])
  return reviewer
}
