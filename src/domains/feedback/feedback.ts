import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { count, list, object, oneOf, untrustedText } from '../../kernel/args.ts'
import type { Db } from '../../kernel/columns.ts'
import type { OperatorContext } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { formatInstant } from '../../kernel/time.ts'
import { type FeedbackTable, FEEDBACK_KINDS, FEEDBACK_SOURCES, FEEDBACK_STATUSES } from './tables.ts'

export type FeedbackRow = Selectable<FeedbackTable>

const SummaryFields = {
  id: z.string(),
  source: oneOf(FEEDBACK_SOURCES),
  kind: oneOf(FEEDBACK_KINDS),
  status: oneOf(FEEDBACK_STATUSES),
  text: untrustedText(),
  page: untrustedText().nullable(),
  tool: z.string().nullable(),
  errorRef: z.string().nullable(),
  appVersion: z.string(),
  count: count(1, 2_147_483_647),
  firstAt: z.string(),
  lastAt: z.string(),
  assignee: z.string().nullable(),
  revision: count(1, 2_147_483_647),
}

export const FeedbackSummary = object(SummaryFields)

export const Feedback = object({
  ...SummaryFields,
  fingerprint: z.string().nullable(),
  tenantCode: z.string().nullable(),
  clientCode: z.string().nullable(),
  eventCode: z.string().nullable(),
  contactEmail: untrustedText().nullable(),
  duplicateOf: z.string().nullable(),
  fixedIn: z.string().nullable(),
  errorReferences: list(object({ reference: z.string(), at: z.string() }), 20),
  noteCount: count(),
  notes: list(object({ at: z.string(), kind: oneOf(['note', 'change']), author: z.string(), text: z.string() })),
  updatedAt: z.string(),
})

/** Maximum length of texts in lists of feedback; get_feedback returns the whole text. */
const EXCERPT_CHARACTERS = 240

export const toFeedbackSummary = (row: FeedbackRow) => ({
  ...toSharedFields(row),
  text: row.body.length > EXCERPT_CHARACTERS ? `${row.body.slice(0, EXCERPT_CHARACTERS)} …` : row.body,
})

const toSharedFields = (row: FeedbackRow) => ({
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
  firstAt: formatInstant(row.first_at),
  lastAt: formatInstant(row.last_at),
  assignee: row.assignee,
  revision: row.revision,
})

/** Maximum number of notes in a response: only the newest are returned. */
const NOTES_SHOWN = 20

/** Returns one feedback item with its newest notes first. */
export async function toFeedback(db: Db, row: FeedbackRow) {
  const notes = await db
    .selectFrom('feedback_notes')
    .select(['at', 'kind', 'author', 'body', sql<number>`(count(*) over ())::int`.as('total')])
    .where('feedback_id', '=', row.id)
    .orderBy('id', 'desc')
    .limit(NOTES_SHOWN)
    .execute()
  return {
    ...toSharedFields(row),
    fingerprint: row.fingerprint,
    tenantCode: row.tenant_code,
    clientCode: row.client_code,
    eventCode: row.event_code,
    contactEmail: row.contact_email,
    duplicateOf: row.duplicate_of,
    fixedIn: row.fixed_in,
    errorReferences: row.error_references,
    noteCount: notes[0]?.total ?? 0,
    notes: notes.map(({ at, kind, author, body }) => ({ at: formatInstant(at), kind, author, text: body })),
    updatedAt: formatInstant(row.updated_at),
  }
}

export async function getFeedback(ctx: OperatorContext, { feedbackId }: { feedbackId: string }) {
  const row = await ctx.db.selectFrom('feedback').selectAll().where('id', '=', feedbackId).executeTakeFirst()
  if (!row) throw feedbackNotFound(feedbackId)
  return { feedback: await toFeedback(ctx.db, row) }
}

/** Locks feedback rows in the order of their ids, so that concurrent merges do not deadlock. */
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
    if (!row) throw feedbackNotFound(id)
    return row
  })
}

const feedbackNotFound = (id: string) =>
  notFound(`No feedback ${id}. Use list_feedback to find it`, { fix: { tool: 'list_feedback', arguments: {} } })
