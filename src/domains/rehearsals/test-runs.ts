import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { type FieldError, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { enqueueJob, getJob, type JobState } from '../../kernel/jobs.ts'
import { getFlow, openScene } from '../registration/scene.ts'
import { removeTestPeople } from '../registration/remove-test-people.ts'
import { PARTICIPANT_STATUSES, type ParticipantStatus } from '../registration/tables.ts'
import { makePeople, makeTestRegistrations, openFlows, openRun } from './make-run.ts'
import type { Failure, RunOptions } from './run-options.ts'
import type {} from './tables.ts'

interface Request extends Omit<RunOptions, 'count' | 'flowSlug'> {
  count?: number | undefined
  flowSlug?: string | undefined
  clear?: true | undefined
  runId?: string | undefined
}

/** Up to so many are made within the call. */
const AT_ONCE = 50

export function faultsOfRun(sent: Record<string, unknown>): FieldError[] {
  const ways = ['count', 'clear', 'runId'].filter((name) => sent[name] !== undefined)
  if (ways.length === 0) return [{ path: 'count', message: 'say how many people to make; or pass clear: true, or a runId' }]
  if (sent['count'] === undefined) {
    const [way] = ways
    return Object.keys(sent)
      .filter((name) => OPTIONS.has(name) || (name !== way && ways.includes(name)))
      .map((path) => ({ path, message: `is not taken with ${way}` }))
  }
  const mix = Object.values((sent['mix'] ?? {}) as object)
  const nobody = mix.length === PARTICIPANT_STATUSES.length && mix.every((share) => share === 0)
  return [
    ...ways.filter((name) => name !== 'count').map((path) => ({ path, message: 'is passed alone, without count' })),
    ...(nobody ? [{ path: 'mix', message: 'at least one share must be above 0' }] : []),
  ]
}

const OPTIONS = new Set(['flowSlug', 'seed', 'mix', 'withPayments', 'withGuests', 'useDraft'])

interface Run {
  runId: string
  status: JobState['status']
  created: { byStatus: Record<ParticipantStatus, number> }
  failures: Failure[]
  jobId?: string
  progress?: JobState['progress']
  error?: string
}

/** Makes people up and registers them, tells of a run, or clears them all away. */
export async function createTestRegistrations(
  ctx: EventContext,
  { count, clear, runId, flowSlug, ...options }: Request,
): Promise<Run | { removed: number }> {
  if (clear) return { removed: await clearRuns(ctx) }
  if (runId !== undefined) return readRun(ctx, runId)
  const asked: RunOptions = { ...options, count: count!, flowSlug: flowSlug ?? null }
  await refuseWithoutFlows(ctx, asked)
  const id = newId()
  const job = asked.count > AT_ONCE ? await enqueueJob(ctx, makeTestRegistrations, { runId: id }, { eventId: ctx.event.id }) : null
  await ctx.db
    .insertInto('test_runs')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      kind: 'registrations',
      job_id: job?.jobId ?? null,
      options: JSON.stringify(asked),
      total: asked.count,
      failures: '[]',
    })
    .execute()
  recordChange(ctx, { kind: 'testRun', id, after: { count: asked.count, flowSlug: asked.flowSlug, seed: asked.seed } })
  if (!job) await makePeople(ctx, id, (await openRun(ctx, id))!, asked.count)
  return readRun(ctx, id)
}

async function refuseWithoutFlows(ctx: EventContext, { flowSlug, useDraft }: RunOptions): Promise<void> {
  const scene = await openScene(ctx, { test: { useDraft } })
  if (flowSlug !== null) getFlow(scene, flowSlug)
  else if (openFlows(scene).length === 0) {
    throw preconditionFailed('There is no flow to register by yet: make one first', {
      fix: { tool: 'get_setup_tasks', arguments: { section: 'flow' }, here: true },
    })
  }
}

async function readRun(ctx: EventContext, runId: string): Promise<Run> {
  const row = await ctx.db
    .selectFrom('test_runs')
    .selectAll()
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('kind', '=', 'registrations')
    .where('id', '=', runId)
    .executeTakeFirst()
  if (!row) throw notFound(`No run ${runId} of test registrations here; one that was cleared is gone`)
  const made = await ctx.db
    .selectFrom('participants')
    .select(['status', sql<number>`count(*)::int`.as('count')])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('test_run_id', '=', runId)
    // Guests come with somebody, and are not what was asked for.
    .where('host_id', 'is', null)
    .groupBy('status')
    .execute()
  const counts = new Map(made.map(({ status, count }) => [status, count]))
  const byStatus = Object.fromEntries(PARTICIPANT_STATUSES.map((status) => [status, counts.get(status) ?? 0])) as Record<
    ParticipantStatus,
    number
  >
  const told = { runId, created: { byStatus }, failures: row.failures }
  if (row.job_id === null) return { ...told, status: 'done' }
  const { jobId, status, error } = await getJob(ctx, { jobId: row.job_id, name: makeTestRegistrations.name, eventId: ctx.event.id })
  const isDone = row.done === row.total
  return {
    ...told,
    jobId,
    status: isDone ? 'done' : status === 'done' ? 'running' : status,
    progress: { done: row.done, total: row.total },
    ...(error === null ? {} : { error }),
  }
}

/** Whatever runs made, and the runs: one that is still at it finds that it is gone, and ends. */
async function clearRuns(ctx: EventContext): Promise<number> {
  const runs = await ctx.db
    .selectFrom('test_runs')
    .select('id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('kind', '=', 'registrations')
    .forUpdate()
    .execute()
  const ids = runs.map(({ id }) => id)
  const removed = await removeTestPeople(ctx, ids)
  if (ids.length > 0) {
    await ctx.db
      .deleteFrom('test_runs')
      .where('tenant_id', '=', ctx.tenantId)
      .where('event_id', '=', ctx.event.id)
      .where('id', 'in', ids)
      .execute()
    recordChange(ctx, { kind: 'testRun', id: ids[0]!, after: { cleared: ids.length, removed } })
  }
  return removed
}
