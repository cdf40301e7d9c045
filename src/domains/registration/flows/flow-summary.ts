import { sql } from 'kysely'
import { z } from 'zod'
import { toOneLine, count, keepNullInResult, list, object, oneOf, text } from '../../../kernel/args.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { invalidArguments, notFound } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { endOfDay, startOfDay } from '../../../kernel/time.ts'
import { type Configuration, readDraftConfiguration, readLiveConfiguration } from '../../configuration/read.ts'
import type { Flow } from '../../configuration/schema/event-config.ts'
import type { VisitDevice } from './visits.ts'

export const VISIT_DEVICES = ['desktop', 'mobile', 'assistant', 'organizer'] as const satisfies readonly VisitDevice[]

const percent = () => z.number().min(0).max(100).nullable()
const outcomes = {
  started: count(),
  completed: count(),
  waitlisted: count(),
  inProgress: count(),
  abandoned: count(),
  conversion: percent(),
}

export const FlowSummary = {
  ...outcomes,
  medianSeconds: count(0, 2_147_483_647).nullable(),
  p90Seconds: count(0, 2_147_483_647).nullable(),
  pages: list(
    object({
      code: text(),
      title: text().nullable(),
      entered: count(),
      skipped: count(),
      advanced: count(),
      stoppedHere: count(),
      dropRate: percent(),
      topErrors: toOneLine(list(object({ binding: text(), count: count() })), 'binding, count'),
    }),
  ),
  byDevice: toOneLine(list(object({ device: oneOf(VISIT_DEVICES), ...outcomes })), 'device and the counts'),
  bySource: toOneLine(
    list(object({ source: keepNullInResult(text().nullable()), ...outcomes })),
    'source of the link (utm) and the counts',
  ),
}

interface Request {
  flowSlug: string
  versionId?: string | undefined
  from?: string | undefined
  until?: string | undefined
  device?: VisitDevice | undefined
  includeTestData: boolean
}

type State = 'completed' | 'waitlisted' | 'inProgress' | 'abandoned'

interface Figures {
  groups: { device: VisitDevice; source: string | null; state: State; count: number }[]
  pages: { code: string; entered: number; skipped: number }[]
  stops: { code: string; count: number }[]
  errors: { code: string; binding: string; count: number }[]
  medianSeconds: number | null
  p90Seconds: number | null
}

const TOP_ERRORS = 5
const MAX_SOURCES = 50

/** Reads conversion and drop-off figures of a flow in one statement, so that they are consistent with each other. */
export async function getFlowSummary(ctx: EventContext, request: Request) {
  const { from, until } = request
  if (from && until && from > until) throw invalidArguments([{ path: 'from', message: `${from} is after until ${until}` }])
  const flow = await getReportedFlow(ctx, request)
  const figures = await readVisits(ctx, request)
  const by = <Key extends string | null>(keyOf: (row: Figures['groups'][number]) => Key) =>
    [...Map.groupBy(figures.groups, keyOf)]
      .map(([key, rows]) => ({ key, ...countOutcomes(rows) }))
      .toSorted((a, b) => b.started - a.started || ((a.key ?? '~') < (b.key ?? '~') ? -1 : 1))
  return {
    ...countOutcomes(figures.groups),
    medianSeconds: figures.medianSeconds,
    p90Seconds: figures.p90Seconds,
    pages: toPageFigures(flow, figures),
    byDevice: by(({ device }) => device).map(({ key, ...rest }) => ({ device: key, ...rest })),
    bySource: by(({ source }) => source)
      .slice(0, MAX_SOURCES)
      .map(({ key, ...rest }) => ({ source: key, ...rest })),
  }
}

/** Returns the published flow, or the flow of the draft if it was never published. */
async function getReportedFlow(ctx: EventContext, { flowSlug, versionId }: Request): Promise<Flow> {
  const draft = await readDraftConfiguration(ctx)
  const configured: Configuration[] = [await readLiveConfiguration(ctx, draft), draft].filter((one) => one !== null)
  const flow = configured.flatMap(({ config }) => config.flows).find(({ slug }) => slug === flowSlug)
  if (!flow) {
    const slugs = [...new Set(configured.flatMap(({ config }) => config.flows.map(({ slug }) => slug)))]
    throw notFound(`No flow ${flowSlug} at ${ctx.event.code} — there ${slugs.length === 0 ? 'is none yet' : `are ${slugs.join(', ')}`}`)
  }
  if (versionId !== undefined) await assertVersionExists(ctx, versionId)
  return flow
}

async function assertVersionExists(ctx: EventContext, versionId: string): Promise<void> {
  const known = await eventDb(ctx).selectFrom('config_versions').select('number').where('id', '=', versionId).executeTakeFirst()
  if (!known)
    throw notFound(`No version ${versionId} of ${ctx.event.code} — list_versions shows their ids`, {
      fix: { tool: 'list_versions', arguments: {}, here: true },
    })
}

async function readVisits(ctx: EventContext, request: Request): Promise<Figures> {
  const { flowSlug, versionId, from, until, device, includeTestData } = request
  const { timezone } = ctx.event
  const { rows } = await sql<Figures>`
    with visits as materialized (
      select v.device, v.utm ->> 'source' as source, v.pages, v.started_at, v.completed_at, s.state,
        case when s.state in ('inProgress', 'abandoned') then (
          select x.page ->> 'code' from jsonb_array_elements(v.pages) with ordinality as x(page, at) where not (x.page ->> 'skipped')::boolean
          order by x.page ->> 'leftAt' desc nulls first, x.at desc limit 1) end as stopped
      from flow_visits v cross join lateral (select coalesce(v.outcome,
        case when v.last_seen_at > lanyard_now() - interval '24 hours' then 'inProgress' else 'abandoned' end) as state) s
      where v.tenant_id = ${ctx.tenantId} and v.event_id = ${ctx.event.id} and v.flow_slug = ${flowSlug}
        and (${includeTestData}::boolean or not v.is_test_data)
        and (${versionId ?? null}::text is null or v.version_id = ${versionId ?? null})
        and (${device ?? null}::text is null or v.device = ${device ?? null})
        and (${from ? startOfDay(timezone, from) : null}::timestamptz is null or v.started_at >= ${from ? startOfDay(timezone, from) : null}::timestamptz)
        and (${until ? endOfDay(timezone, until) : null}::timestamptz is null or v.started_at < ${until ? endOfDay(timezone, until) : null}::timestamptz)),
    pages as materialized (
      select x.page ->> 'code' as code, (x.page ->> 'skipped')::boolean as skipped, x.page -> 'validationErrors' as errors
      from visits v cross join lateral jsonb_array_elements(v.pages) as x(page))
    select
      coalesce((select json_agg(g) from (select device, source, state, count(*)::int as count from visits group by 1, 2, 3) g), '[]') as groups,
      coalesce((select json_agg(p) from (
        select code, (count(*) filter (where not skipped))::int as entered, (count(*) filter (where skipped))::int as skipped
        from pages group by code) p), '[]') as pages,
      coalesce((select json_agg(s) from (
        select stopped as code, count(*)::int as count from visits where stopped is not null group by 1) s), '[]') as stops,
      coalesce((select json_agg(e order by e.count desc, e.binding) from (
        select p.code, e.key as binding, sum(e.value::int)::int as count from pages p cross join lateral jsonb_each_text(p.errors) e
        where p.errors <> '{}' group by 1, 2) e), '[]') as errors,
      round((select percentile_cont(0.5) within group (order by extract(epoch from completed_at - started_at)) from visits
        where state = 'completed' and device <> 'organizer'))::int as "medianSeconds",
      round((select percentile_cont(0.9) within group (order by extract(epoch from completed_at - started_at)) from visits
        where state = 'completed' and device <> 'organizer'))::int as "p90Seconds"`.execute(ctx.db)
  return rows[0]!
}

/** Returns a percentage with one decimal; null if the whole is zero. */
const toPercent = (part: number, whole: number) => (whole === 0 ? null : Math.round((1000 * part) / whole) / 10)

function countOutcomes(rows: readonly { state: State; count: number }[]) {
  const of = (state?: State) => rows.reduce((sum, row) => sum + (state === undefined || row.state === state ? row.count : 0), 0)
  const [started, completed, inProgress] = [of(), of('completed'), of('inProgress')]
  return {
    started,
    completed,
    waitlisted: of('waitlisted'),
    inProgress,
    abandoned: of('abandoned'),
    conversion: toPercent(completed, started - inProgress),
  }
}

/** Returns the figures of the flow's current pages in their order, and then those of pages that it had only in earlier versions. */
function toPageFigures(flow: Flow, { pages, stops, errors }: Figures) {
  const titles = new Map(flow.pages.map(({ code, title }) => [code, title]))
  const codes = new Set([...titles.keys(), ...pages.map(({ code }) => code).toSorted()])
  return [...codes].map((code) => {
    const seen = pages.find((page) => page.code === code) ?? { entered: 0, skipped: 0 }
    const stoppedHere = stops.find((stop) => stop.code === code)?.count ?? 0
    return {
      code,
      title: titles.get(code) ?? null,
      entered: seen.entered,
      skipped: seen.skipped,
      advanced: seen.entered - stoppedHere,
      stoppedHere,
      dropRate: toPercent(stoppedHere, seen.entered),
      topErrors: errors
        .filter((error) => error.code === code)
        .slice(0, TOP_ERRORS)
        .map(({ binding, count: times }) => ({ binding, count: times })),
    }
  })
}
