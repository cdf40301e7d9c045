import { sql } from 'kysely'
import type { Context } from '../../../kernel/context.ts'
import { newId } from '../../../kernel/ids.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { VisitedPage } from '../tables.ts'

/** A visit is one person's passage through a flow. It ends with the submission, or 24 hours after the last activity. */

type VisitScope = Pick<Context, 'tenantId' | 'db'> & { event: { id: string } }

export type VisitDevice = 'desktop' | 'mobile' | 'assistant' | 'organizer'

interface NewVisit {
  flowSlug: string
  versionId: string | null
  /** The code of the first page that was shown. */
  page: string
  device: VisitDevice
  utm?: Record<string, string>
  participantId?: string | null
  /** The id of an earlier visit, which the web page or the sign-in session has remembered. */
  visitId?: string | null
  isTestData?: boolean
}

const VISIT_TIMEOUT = sql.raw(`interval '24 hours'`)

/**
 * Continues a visit of the last 24 hours, found by visit ID or participant, or starts a new one. Links the visit to the participant once
 * they are known.
 */
export async function openFlowVisit(ctx: VisitScope, opening: NewVisit): Promise<string> {
  const { participantId = null, visitId = null, isTestData = false } = opening
  const known = await sql<{ id: string }>`
    update flow_visits set last_seen_at = lanyard_now(), participant_id = coalesce(participant_id, ${participantId})
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and id = (
      select v.id from flow_visits v where v.tenant_id = ${ctx.tenantId} and v.event_id = ${ctx.event.id} and v.flow_slug = ${opening.flowSlug}
        and v.is_test_data = ${isTestData} and (v.id = ${visitId} or v.participant_id = ${participantId})
        and v.last_seen_at > lanyard_now() - ${VISIT_TIMEOUT}
      order by v.id = ${visitId} desc, v.last_seen_at desc limit 1)
    returning id`.execute(ctx.db)
  if (known.rows[0]) return known.rows[0].id
  const id = newId()
  await ctx.db
    .insertInto('flow_visits')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      flow_slug: opening.flowSlug,
      version_id: opening.versionId,
      participant_id: participantId,
      is_test_data: isTestData,
      device: opening.device,
      utm: JSON.stringify(opening.utm ?? {}),
      pages: '[]',
    })
    .execute()
  await recordPageVisit(ctx, id, opening.page)
  return id
}

const changePage = (pages: VisitedPage[], code: string, make: (page: VisitedPage | undefined) => VisitedPage): VisitedPage[] => {
  const at = pages.findIndex((page) => page.code === code)
  return at < 0 ? [...pages, make(undefined)] : pages.with(at, make(pages[at]))
}

/** Records that the visitor opened a page of the form. Going back makes the page current again but keeps its first `enteredAt`. */
export const recordPageVisit = (ctx: VisitScope, visitId: string, code: string): Promise<void> =>
  editVisit(ctx, visitId, (pages, now) =>
    changePage(
      pages.map((page) => (page.leftAt === null && !page.skipped && page.code !== code ? { ...page, leftAt: now } : page)),
      code,
      (page) => ({
        code,
        enteredAt: page && !page.skipped ? page.enteredAt : now,
        leftAt: null,
        skipped: false,
        validationErrors: page?.validationErrors ?? {},
      }),
    ),
  )

/** Records that the visitor submitted a page of the form. If the page has errors, the visitor stays on it and each error is counted. */
export const recordPageSubmission = (ctx: VisitScope, visitId: string, code: string, errors: readonly string[] = []): Promise<void> =>
  editVisit(ctx, visitId, (pages, now) =>
    changePage(pages, code, (page) => {
      const validationErrors = { ...page?.validationErrors }
      for (const binding of errors) validationErrors[binding] = (validationErrors[binding] ?? 0) + 1
      return { code, enteredAt: page?.enteredAt ?? now, leftAt: errors.length > 0 ? null : now, skipped: false, validationErrors }
    }),
  )

/** Marks a page as skipped, because its condition hides it from this participant. Pages that the participant has seen stay as they are. */
export const recordSkippedPage = (ctx: VisitScope, visitId: string, code: string): Promise<void> =>
  editVisit(ctx, visitId, (pages, now) => changePage(pages, code, (page) => page ?? createSkippedPageVisit(code, now)))

export const createSkippedPageVisit = (code: string, now: string): VisitedPage => ({
  code,
  enteredAt: now,
  leftAt: now,
  skipped: true,
  validationErrors: {},
})

/** Ends the visit to the form and the visitor's current page, in one statement. */
export async function endFlowVisit(
  { db, tenantId, event }: VisitScope,
  visitId: string,
  outcome: 'completed' | 'waitlisted',
  participantId: string | null = null,
): Promise<void> {
  await sql`
    update flow_visits set last_seen_at = lanyard_now(), outcome = coalesce(outcome, ${outcome}),
      completed_at = coalesce(completed_at, lanyard_now()), participant_id = coalesce(participant_id, ${participantId}),
      pages = (
        select coalesce(jsonb_agg(case when page ->> 'leftAt' is null then page || jsonb_build_object('leftAt', ${NOW_TEXT}) else page end order by n), '[]')
        from jsonb_array_elements(pages) with ordinality as p (page, n))
    where tenant_id = ${tenantId} and event_id = ${event.id} and id = ${visitId}`.execute(db)
}

/** SQL for the current time as ISO 8601 text, the format of the times that a visit stores for each page. */
const NOW_TEXT = sql.raw(`to_char(lanyard_now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)

/** Edits a visit under a row lock, so that no page view is lost if one browser sends several requests at once. */
async function editVisit(
  ctx: VisitScope,
  visitId: string,
  pagesAfter: (pages: VisitedPage[], now: string) => VisitedPage[],
): Promise<void> {
  const visit = await eventDb(ctx)
    .selectFrom('flow_visits')
    .select(['pages', sql<Date>`lanyard_now()`.as('now')])
    .where('id', '=', visitId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  await eventDb(ctx)
    .updateTable('flow_visits')
    .set({ pages: JSON.stringify(pagesAfter(visit.pages, visit.now.toISOString())), last_seen_at: visit.now })
    .where('id', '=', visitId)
    .execute()
}
