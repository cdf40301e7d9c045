import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { bytesOf } from '../../kernel/bytes.ts'
import type { EventContext } from '../../kernel/context.ts'
import { conflict, invalidArguments, notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { enqueueJob, getJob } from '../../kernel/jobs.ts'
import { toMoney } from '../../kernel/money.ts'
import { type Configuration, readConfig } from '../configuration/read.ts'
import { getFlow } from '../registration/scene.ts'
import { lockEvent } from '../tenancy/lock-event.ts'
import { flowHash, openRehearsal, peopleOf, rehearseFlow } from './rehearse.ts'
import type { RehearsalOptions } from './report-shape.ts'
import type {} from './tables.ts'

interface Wish {
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

/** Plans who is to go through a flow and begins with it. */
export async function startRehearsal(ctx: EventContext, configuration: Configuration, wish: Wish) {
  await lockEvent(ctx)
  await refuseSecond(ctx)
  const flow = getFlow(configuration, wish.flowSlug)
  const options: RehearsalOptions = {
    maxPeople: wish.maxPeople,
    negative: wish.negative,
    locales: localesFor(configuration, wish.locales),
    asOf: playedAt(configuration, wish.asOf, flow.opensAt),
    keepTestData: wish.keepTestData,
    withDirectory: wish.withDirectory,
  }
  const id = newId()
  const { plan } = await openRehearsal(ctx, configuration, { runId: id, flowSlug: flow.slug, seed: wish.seed, options })
  const { jobId } = await enqueueJob(ctx, rehearseFlow, { rehearsalId: id }, { eventId: ctx.event.id })
  const at = { tenant_id: ctx.tenantId, event_id: ctx.event.id, id }
  // What was asked for is kept with the rehearsal itself.
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
      flow_hash: flowHash(configuration, flow),
      seed: wish.seed,
      options: JSON.stringify(options),
      created_by: ctx.actor.id,
    })
    .execute()
  recordChange(ctx, { kind: 'rehearsal', id, after: { flowSlug: flow.slug, draftRevision, seed: wish.seed } })
  return { jobId, rehearsalId: id, status: 'queued' as const, plannedPeople: plan.people.length, plannedGoals: plan.goals.length }
}

function localesFor({ facts }: Configuration, asked: readonly string[] | undefined): readonly string[] {
  const enabled = [facts.locale, ...facts.locales.filter((locale) => locale !== facts.locale)]
  const unknown = asked?.find((locale) => !enabled.includes(locale))
  if (unknown !== undefined)
    throw invalidArguments([{ path: 'locales', message: `${unknown} is not enabled here; there are ${enabled.join(', ')}` }])
  if (asked) return asked
  return enabled.length > 1 ? enabled : []
}

/** A flow that opens later is played as on the day it opens. */
function playedAt({ facts }: Configuration, asked: string | undefined, opensAt: string | null): string {
  if (asked !== undefined) return new Date(asked).toISOString()
  const opens = opensAt === null ? facts.now : new Date(opensAt)
  return (opens > facts.now ? opens : facts.now).toISOString()
}

/** One whose job was given up will never end: it is in nobody's way. */
async function refuseSecond(ctx: EventContext): Promise<void> {
  const { rows } = await sql<{ id: string; failed: boolean }>`
    select r.id, j.status = 'failed' as failed from rehearsals r
      join test_runs t on t.tenant_id = r.tenant_id and t.event_id = r.event_id and t.id = r.id
      join jobs j on j.tenant_id = t.tenant_id and j.id = t.job_id
    where r.tenant_id = ${ctx.tenantId} and r.event_id = ${ctx.event.id} and r.status in ('queued', 'running')`.execute(ctx.db)
  const [active] = rows
  if (!active) return
  if (!active.failed) {
    throw conflict(`The rehearsal ${active.id} is still running here, and one runs at a time — wait for it`, {
      fix: { tool: 'get_flow_rehearsal', arguments: { rehearsalId: active.id }, here: true },
    })
  }
  await ctx.db
    .updateTable('rehearsals')
    .set({ status: 'failed', finished_at: sql<Date>`lanyard_now()` })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', active.id)
    .execute()
}

interface Named {
  rehearsalId?: string | undefined
  flowSlug?: string | undefined
  people: 'none' | 'failed' | 'all'
}

/** As much of the people as assistants can take in. */
const MAX_BYTES = 60_000

/** How a rehearsal went, or how far it is. */
export async function getRehearsal(ctx: EventContext, { rehearsalId, flowSlug, people: wanted }: Named) {
  const row = await findRow(ctx, rehearsalId, flowSlug)
  const run = await ctx.db
    .selectFrom('test_runs')
    .select(['job_id', 'total'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', row.id)
    .executeTakeFirstOrThrow()
  const { status } = await getJob(ctx, { jobId: run.job_id!, name: rehearseFlow.name, eventId: ctx.event.id })
  const people = await peopleOf(ctx, row.id)
  const shown =
    wanted === 'none'
      ? []
      : wanted === 'all'
        ? people
        : people.filter(({ outcome, told }) => outcome === 'failed' || told.findings.length > 0)
  const money = (minor: number) => toMoney(minor, ctx.event.currency)
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
    ...fittingPeople(
      shown.map(({ index, outcome, total, told: { goal, tags, answers, pages } }) => ({
        index,
        goal,
        tags,
        answers,
        pages,
        outcome,
        total: money(total),
      })),
    ),
  }
}

function fittingPeople<T>(people: readonly T[]): { people: T[]; truncated?: true; note?: string } {
  let bytes = 0
  const kept = people.filter((person) => (bytes += bytesOf(person) + 1) <= MAX_BYTES)
  if (kept.length === people.length) return { people: kept }
  return { people: kept, truncated: true, note: `Shows ${kept.length} of ${people.length} people.` }
}

async function findRow(ctx: EventContext, rehearsalId: string | undefined, flowSlug: string | undefined) {
  let query = ctx.db.selectFrom('rehearsals').selectAll().where('tenant_id', '=', ctx.tenantId).where('event_id', '=', ctx.event.id)
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

/** Whether the flow is another now than when it was rehearsed. */
async function isStale(ctx: EventContext, row: { source: string; flow_slug: string; flow_hash: string }): Promise<boolean> {
  const now = await readConfig(ctx, 'draft')
  const flow = now.config.flows.find(({ slug }) => slug === row.flow_slug)
  return !flow || flowHash(now, flow) !== row.flow_hash
}
