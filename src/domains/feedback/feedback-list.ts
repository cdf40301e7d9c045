import { sql } from 'kysely'
import type { OperatorContext } from '../../kernel/context.ts'
import { type OrderPart, readPage } from '../../kernel/page.ts'
import { matchesWords } from '../../kernel/search.ts'
import { toInstant } from '../../kernel/time.ts'
import { totalOf } from '../../kernel/totals.ts'
import { type FeedbackRow, toFeedbackSummary } from './feedback.ts'
import type { Kind, Source, Status } from './tables.ts'

interface Request {
  status?: readonly Status[] | undefined
  kind?: Kind | undefined
  source?: Source | undefined
  tool?: string | undefined
  since?: string | undefined
  search?: string | undefined
  sort: 'lastAt' | 'count'
  limit: number
  cursor?: string | undefined
}

const newest: OrderPart<FeedbackRow> = { by: sql`last_at`, type: 'timestamptz', descending: true, of: (row) => toInstant(row.last_at) }
const most: OrderPart<FeedbackRow> = { by: sql`count`, type: 'integer', descending: true, of: (row) => row.count }
const byId: OrderPart<FeedbackRow> = { by: sql`id`, type: 'text', descending: true, of: (row) => row.id }

/** What was said and what failed: what was seen last first, or what was seen most. */
export async function listFeedback(ctx: OperatorContext, request: Request) {
  const rows = filtered(ctx, request)
  const { items, ...page } = await readPage(ctx, request, {
    rows,
    order: request.sort === 'count' ? [most, byId] : [newest, byId],
    shape: toFeedbackSummary,
  })
  return { feedback: items, ...(await totalOf(ctx, rows)), ...page }
}

function filtered(ctx: OperatorContext, { status, kind, source, tool, since, search }: Request) {
  let rows = ctx.db.selectFrom('feedback').selectAll()
  if (status?.length) rows = rows.where('status', '=', sql<Status>`any(${status})`)
  if (kind) rows = rows.where('kind', '=', kind)
  if (source) rows = rows.where('source', '=', source)
  if (tool) rows = rows.where('tool', '=', tool)
  if (since) rows = rows.where('last_at', '>=', new Date(since))
  if (search) rows = rows.where(matchesWords(sql`feedback.searched`, search))
  return rows
}
