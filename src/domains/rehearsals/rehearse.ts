import { sql } from 'kysely'
import { z } from 'zod'
import { id } from '../../kernel/args.ts'
import { digestOf } from '../../kernel/canonical.ts'
import type { EventContext } from '../../kernel/context.ts'
import { defineJob } from '../../kernel/jobs.ts'
import { type Person, type Plan, planPeople } from '../configuration/flow/solver.ts'
import { type Configuration, readConfig } from '../configuration/read.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { removeTestPeople } from '../registration/remove-test-people.ts'
import { getFlow, openScene } from '../registration/scene.ts'
import { connectionFacts } from './connections.ts'
import { tryMistakes } from './negative.ts'
import { askDirectories } from './live-directory.ts'
import type { RehearsalFinding, RehearsalOptions } from './report-shape.ts'
import { reportOf } from './report.ts'
import type {} from './tables.ts'
import { type Rehearsing, tryPerson } from './try-person.ts'

/** Takes the planned people through a flow, one after the other; stopped, it goes on with the next. */
export const rehearseFlow = defineJob({
  name: 'flow-rehearsal',
  scope: 'event',
  oneAtATime: true,
  input: z.object({ rehearsalId: id() }),
  async run(job, { rehearsalId }) {
    const begun = await job.step((ctx) => begin(ctx, rehearsalId))
    if (!begun) return { rehearsalId }
    const { opened, done } = begun
    const { people } = opened.plan
    for (const planned of people.slice(done)) {
      const { rehearsing, person, findings } = isLive(opened)
        ? await askDirectories(job, opened.rehearsing, planned, begun.seed)
        : { rehearsing: opened.rehearsing, person: planned, findings: [] }
      await job.step((ctx) => rehearsePerson(ctx, rehearsing, person, findings))
      await job.progress(person.index + 1, people.length)
    }
    await job.step((ctx) => conclude(ctx, opened))
    return { rehearsalId }
  },
})

export interface OpenedRehearsal {
  rehearsing: Rehearsing
  plan: Plan
  options: RehearsalOptions
}

const isLive = ({ options }: Pick<OpenedRehearsal, 'options'>) => options.withDirectory === 'live'

interface Asked {
  runId: string
  flowSlug: string
  seed: number
  options: RehearsalOptions
}

/** The flow as it is, and who is to go through it. */
export async function openRehearsal(
  ctx: EventContext,
  configuration: Configuration,
  { runId, flowSlug, seed, options }: Asked,
): Promise<OpenedRehearsal> {
  const { config, versionId } = configuration
  const scene = { ...(await openScene(ctx, { test: { useDraft: true, at: new Date(options.asOf) } })), config, versionId }
  const flow = getFlow(scene, flowSlug)
  const connections = await connectionFacts(ctx)
  const { timezone, at: now } = scene
  const plan = planPeople(config, flow, { timezone, now, connections, seed, maxPeople: options.maxPeople, locales: options.locales })
  return { rehearsing: { runId, scene, flow, connections, goals: plan.goals }, plan, options }
}

/** Of all that decides how a flow goes. */
export const flowHash = (
  { config: { products, customFields, policies, taxes, tags, emails } }: Pick<Configuration, 'config'>,
  flow: Flow,
): string => digestOf({ flow, products, customFields, policies, taxes, tags, emails }).toString('hex')

const rehearsalRow = (ctx: EventContext, rehearsalId: string) =>
  ctx.db
    .selectFrom('rehearsals')
    .selectAll()
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', rehearsalId)

const update = (ctx: EventContext, rehearsalId: string) =>
  ctx.db.updateTable('rehearsals').where('tenant_id', '=', ctx.tenantId).where('event_id', '=', ctx.event.id).where('id', '=', rehearsalId)

const ended = sql<Date>`lanyard_now()`

/** Null where there is nothing left to do: it ended, or the flow became another while it was rehearsed. */
async function begin(ctx: EventContext, rehearsalId: string): Promise<{ opened: OpenedRehearsal; done: number; seed: number } | null> {
  const row = await rehearsalRow(ctx, rehearsalId).executeTakeFirst()
  if (row?.status !== 'queued' && row?.status !== 'running') return null
  const configuration = await readConfig(ctx, row.source)
  const flow = configuration.config.flows.find(({ slug }) => slug === row.flow_slug)
  if (!flow || flowHash(configuration, flow) !== row.flow_hash) {
    await update(ctx, rehearsalId).set({ status: 'cancelled', finished_at: ended }).execute()
    await removeTestPeople(ctx, [rehearsalId])
    return null
  }
  const opened = await openRehearsal(ctx, configuration, {
    runId: rehearsalId,
    flowSlug: row.flow_slug,
    seed: row.seed,
    options: row.options,
  })
  const people = await peopleOf(ctx, rehearsalId)
  await update(ctx, rehearsalId).set({ status: 'running' }).execute()
  return { opened, done: people.length, seed: row.seed }
}

export const peopleOf = (ctx: EventContext, rehearsalId: string) =>
  ctx.db
    .selectFrom('rehearsal_people')
    .select(['index', 'outcome', 'total', 'elapsed_ms', 'told'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('rehearsal_id', '=', rehearsalId)
    .orderBy('index')
    .execute()

async function rehearsePerson(
  ctx: EventContext,
  rehearsing: Rehearsing,
  person: Person,
  findings: readonly RehearsalFinding[],
): Promise<void> {
  const since = performance.now()
  const { outcome, total, told } = await tryPerson(ctx, rehearsing, person)
  await ctx.db
    .insertInto('rehearsal_people')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      rehearsal_id: rehearsing.runId,
      index: person.index,
      outcome,
      total,
      elapsed_ms: Math.round(performance.now() - since),
      told: JSON.stringify({ ...told, findings: [...findings, ...told.findings] }),
    })
    .execute()
}

async function conclude(ctx: EventContext, { rehearsing, plan, options }: OpenedRehearsal): Promise<void> {
  const { runId, flow } = rehearsing
  const negative = options.negative ? await tryMistakes(ctx, rehearsing, plan.people) : { tried: 0, refused: 0, wronglyAccepted: [] }
  // What a real directory did not say was not tried.
  const report = reportOf(flow, plan, await peopleOf(ctx, runId), negative, isLive({ options }) ? 'notTried' : 'failed')
  if (!options.keepTestData) await removeTestPeople(ctx, [runId])
  await update(ctx, runId)
    .set({ status: 'done', report: JSON.stringify(report), finished_at: ended })
    .execute()
}
