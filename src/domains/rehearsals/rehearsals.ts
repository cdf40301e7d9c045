import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { conflict, invalidArguments, notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { enqueueJob, getJob } from '../../kernel/jobs.ts'
import { toMoney } from '../../kernel/money.ts'
import { paginateBySize, verifyCursor } from '../../kernel/page.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { type Configuration, readConfigBySelector } from '../configuration/read.ts'
import { getFlow } from '../registration/event-snapshot.ts'
import { lockEventRow } from '../tenancy/lock-event.ts'
import { hashFlowConfiguration, loadRehearsal, listRehearsedParticipants, rehearseFlowJob } from './rehearse.ts'
import type { RehearsalOptions, RehearsalReportData } from './report-shape.ts'
import { changeStateOfRows } from '../../kernel/states.ts'
import { REHEARSAL_STATES } from './states.ts'

interface RehearsalRequest {
  flowSlug: string
  source: string
  maxPeople: number
  seed: number
  negative: boolean
  locales?: readonly string[] | undefined
  asOf?: string | undefined
  keepTestData: boolean
  withDirectory: 'stub' | 'live'
}

/** Starts a rehearsal of a registration flow: plans its test participants and starts the job that runs them through the flow. */
export async function startRehearsal(ctx: EventContext, configuration: Configuration, wish: RehearsalRequest) {
  await lockEventRow(ctx)
  await requireNoActiveRehearsal(ctx)
  const flow = getFlow(configuration, wish.flowSlug)
  const options: RehearsalOptions = {
    maxPeople: wish.maxPeople,
    negative: wish.negative,
    locales: chooseLocales(configuration, wish.locales),
    asOf: chooseSimulatedTime(configuration, wish.asOf, flow.opensAt),
    keepTestData: wish.keepTestData,
    withDirectory: wish.withDirectory,
  }
  const id = newId()
  const { plan } = await loadRehearsal(ctx, configuration, { runId: id, flowSlug: flow.slug, seed: wish.seed, options })
  const { jobId } = await enqueueJob(ctx, rehearseFlowJob, { rehearsalId: id }, { eventId: ctx.event.id })
  const at = { tenant_id: ctx.tenantId, event_id: ctx.event.id, id }
  // The job input contains no options, because they are stored with the rehearsal.
  await ctx.db
    .insertInto('test_runs')
    .values({ ...at, kind: 'rehearsal', job_id: jobId, options: '{}', total: plan.people.length, failures: '[]' })
    .execute()
  const { draftRevision } = configuration.facts
  await ctx.db
    .insertInto('rehearsals')
    .values({
      ...at,
      flow_slug: flow.slug,
      source: configuration.version === null ? 'draft' : String(configuration.version),
      draft_revision: draftRevision,
      flow_hash: hashFlowConfiguration(configuration, flow),
      seed: wish.seed,
      options: JSON.stringify(options),
      currency: ctx.event.currency,
      created_by: ctx.actor.id,
    })
    .execute()
  recordChange(ctx, { kind: 'rehearsal', id, after: { flowSlug: flow.slug, draftRevision, seed: wish.seed } })
  return { jobId, rehearsalId: id, status: 'queued' as const, plannedPeople: plan.people.length, plannedGoals: plan.goals.length }
}

function chooseLocales({ facts }: Configuration, asked: readonly string[] | undefined): readonly string[] {
  const enabled = [facts.locale, ...facts.locales.filter((locale) => locale !== facts.locale)]
  const unknown = asked?.find((locale) => !enabled.includes(locale))
  if (unknown !== undefined)
    throw invalidArguments([{ path: 'locales', message: `${unknown} is not enabled for this event; use ${enabled.join(', ')}` }])
  if (asked) return asked
  return enabled.length > 1 ? enabled : []
}

/** Chooses the current time that a rehearsal simulates. A flow that opens later is rehearsed as of its opening day. */
function chooseSimulatedTime({ facts }: Configuration, asked: string | undefined, opensAt: string | null): string {
  if (asked !== undefined) return new Date(asked).toISOString()
  const opens = opensAt === null ? facts.now : new Date(opensAt)
  return (opens > facts.now ? opens : facts.now).toISOString()
}

/**
 * Throws if a rehearsal is running. A rehearsal whose job failed never ends by itself, so it is marked as failed and does not block a new
 * one.
 */
async function requireNoActiveRehearsal(ctx: EventContext): Promise<void> {
  const { rows } = await sql<{ id: string; failed: boolean }>`
    select r.id, j.status = 'failed' as failed from rehearsals r
      join test_runs t on t.tenant_id = r.tenant_id and t.event_id = r.event_id and t.id = r.id
      join jobs j on j.tenant_id = t.tenant_id and j.id = t.job_id
    where r.tenant_id = ${ctx.tenantId} and r.event_id = ${ctx.event.id} and r.status in ('queued', 'running')`.execute(ctx.db)
  const [active] = rows
  if (!active) return
  if (!active.failed) {
    throw conflict(`The rehearsal ${active.id} is still running, and only one can run at a time — wait for it`, {
      fix: { tool: 'get_flow_rehearsal', arguments: { rehearsalId: active.id }, here: true },
    })
  }
  await changeStateOfRows(eventDb(ctx), REHEARSAL_STATES, 'failed')
    .set({ finished_at: sql<Date>`lanyard_now()` })
    .where('id', '=', active.id)
    .execute()
}

interface RehearsalQuery {
  rehearsalId?: string | undefined
  flowSlug?: string | undefined
  people: 'none' | 'failed' | 'all'
  limit?: number | undefined
  cursor?: string | undefined
}

/** Reads the result or progress of a rehearsal (a simulated run of a registration flow with test participants). */
export async function getRehearsal(ctx: EventContext, { rehearsalId, flowSlug, people: wanted, ...page }: RehearsalQuery) {
  verifyCursor(ctx, page)
  const row = await getRehearsalRow(ctx, rehearsalId, flowSlug)
  const run = await eventDb(ctx).selectFrom('test_runs').select(['job_id', 'total']).where('id', '=', row.id).executeTakeFirstOrThrow()
  const { status } = await getJob(ctx, { jobId: run.job_id!, name: rehearseFlowJob.name, eventId: ctx.event.id })
  const people = await listRehearsedParticipants(ctx, row.id)
  const shown =
    wanted === 'none'
      ? []
      : wanted === 'all'
        ? people
        : people.filter(({ outcome, result }) => outcome === 'failed' || result.findings.length > 0)
  const money = (minor: number) => toMoney(minor, row.currency)
  const isActive = row.status === 'queued' || row.status === 'running'
  const { report } = row
  return {
    rehearsalId: row.id,
    status: isActive && status === 'failed' ? ('failed' as const) : row.status,
    progress: { done: people.length, total: run.total },
    flowSlug: row.flow_slug,
    source: row.source,
    draftRevision: row.draft_revision,
    seed: row.seed,
    stale: await isStale(ctx, row),
    ...(report ? { ...report, totals: { orders: report.totals.orders, amount: money(report.totals.amount) } } : {}),
    ...(await limitLists(
      ctx,
      page,
      {
        unreached: report?.coverage.unreached ?? [],
        findings: report?.findings ?? [],
        wronglyAccepted: report?.negative.wronglyAccepted ?? [],
        people: shown.map(({ index, outcome, total, result: { goal, tags, answers, pages } }) => ({
          index,
          goal,
          tags,
          answers,
          pages,
          outcome,
          total: money(total),
        })),
      },
      { pin: `${row.id}.${people.length}`, report },
    )),
  }
}

type Lists = Pick<RehearsalReportData, 'findings'> & {
  unreached: RehearsalReportData['coverage']['unreached']
  wronglyAccepted: RehearsalReportData['negative']['wronglyAccepted']
}

/** Returns one page of a result that has several lists. The pages go through the lists one after the other. */
async function limitLists<Person>(
  ctx: EventContext,
  page: { limit?: number | undefined; cursor?: string | undefined },
  lists: Lists & { people: Person[] },
  { pin, report }: { pin: string; report: RehearsalReportData | null },
) {
  const rows = Object.entries(lists).flatMap(([list, items]: [string, readonly unknown[]]) => items.map((item) => ({ list, item })))
  const { start, items, nextCursor, truncated } = await paginateBySize(ctx, page, {
    rows,
    shape: (row) => row,
    pin,
    moved: 'is older than the newest test participant of this rehearsal; leave it out to start from page one',
  })
  const of = <Name extends keyof typeof lists>(name: Name) =>
    items.flatMap(({ list, item }) => (list === name ? [item] : [])) as (typeof lists)[Name]
  return {
    ...(report
      ? {
          coverage: { ...report.coverage, unreached: of('unreached') },
          findings: of('findings'),
          negative: { ...report.negative, wronglyAccepted: of('wronglyAccepted') },
        }
      : {}),
    people: of('people'),
    nextCursor,
    ...(truncated
      ? {
          truncated,
          note: `Shown up to row ${start + items.length} of ${rows.length} of unreached, findings, wronglyAccepted and people: pass nextCursor as cursor for the rest.`,
        }
      : {}),
  }
}

async function getRehearsalRow(ctx: EventContext, rehearsalId: string | undefined, flowSlug: string | undefined) {
  let query = eventDb(ctx).selectFrom('rehearsals').selectAll()
  if (rehearsalId !== undefined) query = query.where('id', '=', rehearsalId)
  if (flowSlug !== undefined) query = query.where('flow_slug', '=', flowSlug)
  const row = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst()
  if (!row) {
    const of = flowSlug === undefined ? 'here' : `of ${flowSlug}`
    throw notFound(
      rehearsalId === undefined ? `No rehearsal ${of} yet — start one with rehearse_flow` : `No rehearsal ${rehearsalId} ${of}`,
    )
  }
  return row
}

/** Whether the registration flow was changed after it was rehearsed, so that the result of the rehearsal is outdated. */
async function isStale(ctx: EventContext, row: { source: string; flow_slug: string; flow_hash: string }): Promise<boolean> {
  const now = await readConfigBySelector(ctx, 'draft')
  const flow = now.config.flows.find(({ slug }) => slug === row.flow_slug)
  return !flow || hashFlowConfiguration(now, flow) !== row.flow_hash
}
