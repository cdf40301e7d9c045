import { sql } from 'kysely'
import type { OperatorContext } from '../../kernel/context.ts'
import { type SortColumn, readPage } from '../../kernel/page.ts'
import { buildWordMatchCondition } from '../../kernel/search.ts'
import { formatInstant } from '../../kernel/time.ts'
import { countCappedTotal } from '../../kernel/totals.ts'
import { type FeedbackRow, toFeedbackSummary } from './feedback.ts'
import type { FeedbackKind, FeedbackSource, FeedbackStatus } from './tables.ts'

interface FeedbackListRequest {
  status?: readonly FeedbackStatus[] | undefined
  kind?: FeedbackKind | undefined
  source?: FeedbackSource | undefined
  tool?: string | undefined
  since?: string | undefined
  search?: string | undefined
  sort: 'lastAt' | 'count'
  limit: number
  cursor?: string | undefined
}

const newestFirst: SortColumn<FeedbackRow> = {
  by: sql`last_at`,
  type: 'timestamptz',
  descending: true,
  of: (row) => formatInstant(row.last_at),
}
const mostFrequentFirst: SortColumn<FeedbackRow> = { by: sql`count`, type: 'integer', descending: true, of: (row) => row.count }
const byId: SortColumn<FeedbackRow> = { by: sql`id`, type: 'text', descending: true, of: (row) => row.id }

/** Lists feedback items (feedback from users, and recorded errors), the latest first or the most frequent first. */
export async function listFeedback(ctx: OperatorContext, request: FeedbackListRequest) {
  const rows = filterFeedback(ctx, request)
  const { items, ...page } = await readPage(ctx, request, {
    rows,
    order: request.sort === 'count' ? [mostFrequentFirst, byId] : [newestFirst, byId],
    shape: toFeedbackSummary,
  })
  return { feedback: items, ...(await countCappedTotal(ctx, rows)), ...page }
}

function filterFeedback(ctx: OperatorContext, { status, kind, source, tool, since, search }: FeedbackListRequest) {
  let rows = ctx.db.selectFrom('feedback').selectAll()
  if (status?.length) rows = rows.where('status', '=', sql<FeedbackStatus>`any(${status})`)
  if (kind) rows = rows.where('kind', '=', kind)
  if (source) rows = rows.where('source', '=', source)
  if (tool) rows = rows.where('tool', '=', tool)
  if (since) rows = rows.where('last_at', '>=', new Date(since))
  if (search) rows = rows.where(buildWordMatchCondition(sql`feedback.searched`, search))
  return rows
}
