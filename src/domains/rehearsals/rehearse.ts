import { sql } from 'kysely'
import { z } from 'zod'
import { id } from '../../kernel/args.ts'
import { hashCanonicalJson } from '../../kernel/canonical.ts'
import type { EventContext } from '../../kernel/context.ts'
import { defineJob } from '../../kernel/jobs.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { type PlannedTestParticipant, type TestRunPlan, planTestRunParticipants } from '../configuration/flow/plan.ts'
import { type Configuration, readConfigBySelector } from '../configuration/read.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { removeTestParticipants } from '../registration/remove-test-participants.ts'
import { getFlow, loadEventSnapshot } from '../registration/event-snapshot.ts'
import { readDirectoryTagsAndPolicies } from './connections.ts'
import { countRejectedInvalidAnswers } from './invalid-answers.ts'
import { queryDirectoriesForPerson } from './live-directory.ts'
import type { RehearsalFinding, RehearsalOptions } from './report-shape.ts'
import { buildRehearsalReport } from './report.ts'
import { type RehearsalContext, rehearseParticipant } from './try-person.ts'
import { changeStateOfRows } from '../../kernel/states.ts'
import { REHEARSAL_STATES } from './states.ts'

/** Runs the planned test participants through a flow one by one. After a restart it continues after the last committed participant. */
export const rehearseFlowJob = defineJob({
  name: 'flow-rehearsal',
  scope: 'event',
  exclusivePerEvent: true,
  input: z.object({ rehearsalId: id() }),
  async run(job, { rehearsalId }) {
    const begun = await job.step((ctx) => beginRehearsal(ctx, rehearsalId))
    if (!begun) return { rehearsalId }
    const { opened, done } = begun
    const { people } = opened.plan
    for (const planned of people.slice(done)) {
      const { rehearsing, person, findings } = isLive(opened)
        ? await queryDirectoriesForPerson(job, opened.rehearsing, planned, begun.seed)
        : { rehearsing: opened.rehearsing, person: planned, findings: [] }
      await job.step((ctx) => rehearsePerson(ctx, rehearsing, person, findings))
      await job.progress(person.index + 1, people.length)
    }
    await job.step((ctx) => finishRehearsal(ctx, opened))
    return { rehearsalId }
  },
})

export interface LoadedRehearsal {
  rehearsing: RehearsalContext
  plan: TestRunPlan
  options: RehearsalOptions
}

const isLive = ({ options }: Pick<LoadedRehearsal, 'options'>) => options.withDirectory === 'live'

interface RehearsalSettings {
  runId: string
  flowSlug: string
  seed: number
  options: RehearsalOptions
}

/** Loads the current flow and the planned test participants. */
export async function loadRehearsal(
  ctx: EventContext,
  configuration: Configuration,
  { runId, flowSlug, seed, options }: RehearsalSettings,
): Promise<LoadedRehearsal> {
  const { config, versionId } = configuration
  const snapshot = { ...(await loadEventSnapshot(ctx, { test: { useDraft: true, at: new Date(options.asOf) } })), config, versionId }
  const flow = getFlow(snapshot, flowSlug)
  const connections = await readDirectoryTagsAndPolicies(ctx)
  const { timezone, at: now } = snapshot
  const plan = planTestRunParticipants(config, flow, {
    timezone,
    now,
    connections,
    seed,
    maxPeople: options.maxPeople,
    locales: options.locales,
  })
  return { rehearsing: { runId, snapshot, flow, connections, goals: plan.goals }, plan, options }
}

/** Hashes all configuration that affects how a flow runs, to detect changes since a rehearsal. */
export const hashFlowConfiguration = (
  { config: { products, customFields, policies, taxes, tags, emails } }: Pick<Configuration, 'config'>,
  flow: Flow,
): string => hashCanonicalJson({ flow, products, customFields, policies, taxes, tags, emails }).toString('hex')

const selectRehearsal = (ctx: EventContext, rehearsalId: string) =>
  eventDb(ctx).selectFrom('rehearsals').selectAll().where('id', '=', rehearsalId)

const moveRehearsal = (ctx: EventContext, rehearsalId: string, to: (typeof REHEARSAL_STATES.all)[number]) =>
  changeStateOfRows(eventDb(ctx), REHEARSAL_STATES, to).where('id', '=', rehearsalId)

const ended = sql<Date>`lanyard_now()`

/** Starts or resumes a rehearsal. Returns null if the rehearsal has ended, or if the flow changed, which cancels the rehearsal. */
async function beginRehearsal(
  ctx: EventContext,
  rehearsalId: string,
): Promise<{ opened: LoadedRehearsal; done: number; seed: number } | null> {
  const row = await selectRehearsal(ctx, rehearsalId).executeTakeFirst()
  if (row?.status !== 'queued' && row?.status !== 'running') return null
  const configuration = await readConfigBySelector(ctx, row.source)
  const flow = configuration.config.flows.find(({ slug }) => slug === row.flow_slug)
  if (!flow || hashFlowConfiguration(configuration, flow) !== row.flow_hash) {
    await moveRehearsal(ctx, rehearsalId, 'cancelled').set({ finished_at: ended }).execute()
    await removeTestParticipants(ctx, [rehearsalId])
    return null
  }
  const opened = await loadRehearsal(ctx, configuration, {
    runId: rehearsalId,
    flowSlug: row.flow_slug,
    seed: row.seed,
    options: row.options,
  })
  const people = await listRehearsedParticipants(ctx, rehearsalId)
  await moveRehearsal(ctx, rehearsalId, 'running').execute()
  return { opened, done: people.length, seed: row.seed }
}

export const listRehearsedParticipants = (ctx: EventContext, rehearsalId: string) =>
  eventDb(ctx)
    .selectFrom('rehearsal_people')
    .select(['index', 'outcome', 'total', 'elapsed_ms', 'told as result'])
    .where('rehearsal_id', '=', rehearsalId)
    .orderBy('index')
    .execute()

async function rehearsePerson(
  ctx: EventContext,
  rehearsing: RehearsalContext,
  person: PlannedTestParticipant,
  findings: readonly RehearsalFinding[],
): Promise<void> {
  const since = performance.now()
  const { outcome, total, result } = await rehearseParticipant(ctx, rehearsing, person)
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
      told: JSON.stringify({ ...result, findings: [...findings, ...result.findings] }),
    })
    .execute()
}

async function finishRehearsal(ctx: EventContext, { rehearsing, plan, options }: LoadedRehearsal): Promise<void> {
  const { runId, flow } = rehearsing
  const negative = options.negative
    ? await countRejectedInvalidAnswers(ctx, rehearsing, plan.people)
    : { tried: 0, refused: 0, wronglyAccepted: [] }
  // With real member directories, some planned outcomes of lookups may not have occurred.
  const report = buildRehearsalReport(
    flow,
    plan,
    await listRehearsedParticipants(ctx, runId),
    negative,
    isLive({ options }) ? 'notTried' : 'failed',
  )
  if (!options.keepTestData) await removeTestParticipants(ctx, [runId])
  await moveRehearsal(ctx, runId, 'done')
    .set({ report: JSON.stringify(report), finished_at: ended })
    .execute()
}
