import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { count, list, object, oneOf, outsideText } from '../../kernel/args.ts'
import type { Db } from '../../kernel/columns.ts'
import type { OperatorContext } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { toInstant } from '../../kernel/time.ts'
import { type FeedbackTable, KINDS, SOURCES, STATUSES } from './tables.ts'

export type FeedbackRow = Selectable<FeedbackTable>

const Summary = {
  id: z.string(),
  source: oneOf(SOURCES),
  kind: oneOf(KINDS),
  status: oneOf(STATUSES),
  text: outsideText(),
  page: outsideText().nullable(),
  tool: z.string().nullable(),
  errorRef: z.string().nullable(),
  appVersion: z.string(),
  count: count(1, 2_147_483_647),
  firstAt: z.string(),
  lastAt: z.string(),
  assignee: z.string().nullable(),
  revision: count(1, 2_147_483_647),
}

export const FeedbackSummary = object(Summary)

export const Feedback = object({
  ...Summary,
  fingerprint: z.string().nullable(),
  tenantCode: z.string().nullable(),
  clientCode: z.string().nullable(),
  eventCode: z.string().nullable(),
  contactEmail: outsideText().nullable(),
  duplicateOf: z.string().nullable(),
  fixedIn: z.string().nullable(),
  errorReferences: list(object({ reference: z.string(), at: z.string() }), 20),
  noteCount: count(),
  notes: list(object({ at: z.string(), kind: oneOf(['note', 'change']), author: z.string(), text: z.string() })),
  updatedAt: z.string(),
})

/** In a list a long text is cut; get_feedback has the whole. */
const EXCERPT = 240

export const toFeedbackSummary = (row: FeedbackRow) => ({
  ...shared(row),
  text: row.body.length > EXCERPT ? `${row.body.slice(0, EXCERPT)} …` : row.body,
})

const shared = (row: FeedbackRow) => ({
  id: row.id,
  source: row.source,
  kind: row.kind,
  status: row.status,
  text: row.body,
  page: row.page,
  tool: row.tool,
  errorRef: row.error_ref,
  appVersion: row.app_version,
  count: row.count,
  firstAt: toInstant(row.first_at),
  lastAt: toInstant(row.last_at),
  assignee: row.assignee,
  revision: row.revision,
})

/** The newest are enough to go on; all of a long story would be more than an answer may hold. */
const NOTES_SHOWN = 20

/** Everything kept about one, with its newest notes first. */
export async function toFeedback(db: Db, row: FeedbackRow) {
  const notes = await db
    .selectFrom('feedback_notes')
    .select(['at', 'kind', 'author', 'body', sql<number>`(count(*) over ())::int`.as('total')])
    .where('feedback_id', '=', row.id)
    .orderBy('id', 'desc')
    .limit(NOTES_SHOWN)
    .execute()
  return {
    ...shared(row),
    fingerprint: row.fingerprint,
    tenantCode: row.tenant_code,
    clientCode: row.client_code,
    eventCode: row.event_code,
    contactEmail: row.contact_email,
    duplicateOf: row.duplicate_of,
    fixedIn: row.fixed_in,
    errorReferences: row.error_references,
    noteCount: notes[0]?.total ?? 0,
    notes: notes.map(({ at, kind, author, body }) => ({ at: toInstant(at), kind, author, text: body })),
    updatedAt: toInstant(row.updated_at),
  }
}

export async function getFeedback(ctx: OperatorContext, { feedbackId }: { feedbackId: string }) {
  const row = await ctx.db.selectFrom('feedback').selectAll().where('id', '=', feedbackId).executeTakeFirst()
  if (!row) throw missing(feedbackId)
  return { feedback: await toFeedback(ctx.db, row) }
}

/** Locks rows in the order of their ids, whichever was named first, so that two merges at once wait and do not deadlock. */
export async function lockFeedback(db: Db, ids: readonly string[]): Promise<FeedbackRow[]> {
  const rows = await db
    .selectFrom('feedback')
    .selectAll()
    .where('id', '=', sql<string>`any(${ids})`)
    .orderBy('id')
    .forUpdate()
    .execute()
  return ids.map((id) => {
    const row = rows.find((one) => one.id === id)
    if (!row) throw missing(id)
    return row
  })
}

const missing = (id: string) =>
  notFound(`No feedback ${id} — find it with list_feedback`, { fix: { tool: 'list_feedback', arguments: {} } })
