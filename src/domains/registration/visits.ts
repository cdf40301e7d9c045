import { type RawBuilder, sql } from 'kysely'
import type { Context } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import type { Walk } from '../configuration/flow/walk.ts'
import type { VisitedPage } from './tables.ts'

/** A visit is one run of one person through a flow: it lasts until they finish, or for a day after they were last seen. */

type At = Pick<Context, 'tenantId' | 'db'> & { event: { id: string } }

export type Device = 'desktop' | 'mobile' | 'assistant' | 'organizer'

interface Opening {
  flowSlug: string
  versionId: string | null
  /** The first page they see: a visit is always on a page. */
  page: string
  device: Device
  utm?: Record<string, string>
  participantId?: string | null
  /** What their page or session remembers of an earlier opening. */
  visitId?: string | null
  isTestData?: boolean
}

const SAME_VISIT = sql.raw(`interval '24 hours'`)

/** Opened again within a day it is the same visit, by whichever name it is known; it learns then whose it is. */
export async function openVisit(ctx: At, opening: Opening): Promise<string> {
  const { participantId = null, visitId = null, isTestData = false } = opening
  const known = await sql<{ id: string }>`
    update flow_visits set last_seen_at = lanyard_now(), participant_id = coalesce(participant_id, ${participantId})
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and id = (
      select v.id from flow_visits v where v.tenant_id = ${ctx.tenantId} and v.event_id = ${ctx.event.id} and v.flow_slug = ${opening.flowSlug}
        and v.is_test_data = ${isTestData} and (v.id = ${visitId} or v.participant_id = ${participantId})
        and v.last_seen_at > lanyard_now() - ${SAME_VISIT}
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
  await enterPage(ctx, id, opening.page)
  return id
}

const change = (pages: VisitedPage[], code: string, make: (page: VisitedPage | undefined) => VisitedPage): VisitedPage[] => {
  const at = pages.findIndex((page) => page.code === code)
  return at < 0 ? [...pages, make(undefined)] : pages.with(at, make(pages[at]))
}

/** Somebody who goes back is on the page again, which they entered once. */
export const enterPage = (ctx: At, visitId: string, code: string): Promise<void> =>
  edit(ctx, visitId, (pages, now) =>
    change(
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

/** With errors they stay on the page, and what was wrong is counted. */
export const leavePage = (ctx: At, visitId: string, code: string, errors: readonly string[] = []): Promise<void> =>
  edit(ctx, visitId, (pages, now) =>
    change(pages, code, (page) => {
      const validationErrors = { ...page?.validationErrors }
      for (const binding of errors) validationErrors[binding] = (validationErrors[binding] ?? 0) + 1
      return { code, enteredAt: page?.enteredAt ?? now, leftAt: errors.length > 0 ? null : now, skipped: false, validationErrors }
    }),
  )

/** A page that was not for them. Once seen, it stays seen. */
export const skipPage = (ctx: At, visitId: string, code: string): Promise<void> =>
  edit(ctx, visitId, (pages, now) => change(pages, code, (page) => page ?? skipped(code, now)))

const skipped = (code: string, now: string): VisitedPage => ({ code, enteredAt: now, leftAt: now, skipped: true, validationErrors: {} })

export async function endVisit(ctx: At, visitId: string, outcome: 'completed' | 'waitlisted', participantId?: string): Promise<void> {
  await edit(ctx, visitId, (pages, now) => pages.map((page) => ({ ...page, leftAt: page.leftAt ?? now })), {
    outcome: sql`coalesce(outcome, ${outcome})`,
    completed_at: sql`coalesce(completed_at, lanyard_now())`,
    ...(participantId === undefined ? {} : { participant_id: sql`coalesce(participant_id, ${participantId})` }),
  })
}

/** What an organizer registers by hand is a visit too, of no length: through the pages that the person would have seen. */
export async function recordOrganizerVisit(
  ctx: At,
  visit: {
    flowSlug: string
    versionId: string | null
    participantId: string
    walk: Pick<Walk, 'pages'>
    outcome: 'completed' | 'waitlisted'
    isTestData: boolean
    at: Date
  },
): Promise<void> {
  const now = visit.at.toISOString()
  const pages = visit.walk.pages.map(({ code, visible }) => ({ ...skipped(code, now), skipped: !visible }))
  await ctx.db
    .insertInto('flow_visits')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      flow_slug: visit.flowSlug,
      version_id: visit.versionId,
      participant_id: visit.participantId,
      is_test_data: visit.isTestData,
      device: 'organizer',
      utm: '{}',
      pages: JSON.stringify(pages),
      outcome: visit.outcome,
      started_at: visit.at,
      last_seen_at: visit.at,
      completed_at: visit.at,
    })
    .execute()
}

/** The visit is locked: two requests of one browser at once both count. */
async function edit(
  ctx: At,
  visitId: string,
  pagesAfter: (pages: VisitedPage[], now: string) => VisitedPage[],
  more: Record<string, RawBuilder<unknown>> = {},
): Promise<void> {
  const visit = await ctx.db
    .selectFrom('flow_visits')
    .select(['pages', sql<Date>`lanyard_now()`.as('now')])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', visitId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  await ctx.db
    .updateTable('flow_visits')
    .set({ pages: JSON.stringify(pagesAfter(visit.pages, visit.now.toISOString())), last_seen_at: visit.now, ...more })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', visitId)
    .execute()
}
