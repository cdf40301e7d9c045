import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { type FieldError, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { enqueueJob, getJob, type JobState } from '../../kernel/jobs.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { getFlow, loadEventSnapshot } from '../registration/event-snapshot.ts'
import { removeTestParticipants } from '../registration/remove-test-participants.ts'
import { PARTICIPANT_STATUSES, type ParticipantStatus } from '../registration/tables.ts'
import { createTestParticipants, createTestRegistrationsJob, listFlowsForTestParticipants, loadTestRun } from './create-people.ts'
import type { TestRunFailure, TestRunOptions } from './run-options.ts'

interface TestRunRequest extends Omit<TestRunOptions, 'count' | 'flowSlug'> {
  count?: number | undefined
  flowSlug?: string | undefined
  clear?: true | undefined
  runId?: string | undefined
}

/** Maximum number of participants of a test run that completes within the call. */
const MAX_SYNCHRONOUS_PEOPLE = 50

export function checkTestRunArguments(sent: Record<string, unknown>): FieldError[] {
  const ways = ['count', 'clear', 'runId'].filter((name) => sent[name] !== undefined)
  if (ways.length === 0) return [{ path: 'count', message: 'pass count (how many people to create), clear: true, or a runId' }]
  if (sent['count'] === undefined) {
    const [way] = ways
    return Object.keys(sent)
      .filter((name) => OPTIONS.has(name) || (name !== way && ways.includes(name)))
      .map((path) => ({ path, message: `is not allowed with ${way}` }))
  }
  const mix = Object.values((sent['mix'] ?? {}) as object)
  const hasNoShare = mix.length === PARTICIPANT_STATUSES.length && mix.every((share) => share === 0)
  return [
    ...ways.filter((name) => name !== 'count').map((path) => ({ path, message: 'is only allowed alone, without count' })),
    ...(hasNoShare ? [{ path: 'mix', message: 'at least one share must be above 0' }] : []),
  ]
}

const OPTIONS = new Set(['flowSlug', 'seed', 'mix', 'withPayments', 'withGuests', 'useDraft'])

interface TestRun {
  runId: string
  status: JobState['status']
  created: { byStatus: Record<ParticipantStatus, number> }
  failures: TestRunFailure[]
  jobId?: string
  progress?: JobState['progress']
  error?: string
}

/** Creates test registrations, reads a test run, or deletes all test runs. */
export async function createTestRegistrations(
  ctx: EventContext,
  { count, clear, runId, flowSlug, ...options }: TestRunRequest,
): Promise<TestRun | { removed: number }> {
  if (clear) return { removed: await clearRuns(ctx) }
  if (runId !== undefined) return readRun(ctx, runId)
  const asked: TestRunOptions = { ...options, count: count!, flowSlug: flowSlug ?? null }
  await requireFlow(ctx, asked)
  const id = newId()
  const job =
    asked.count > MAX_SYNCHRONOUS_PEOPLE
      ? await enqueueJob(ctx, createTestRegistrationsJob, { runId: id }, { eventId: ctx.event.id })
      : null
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
  if (!job) await createTestParticipants(ctx, id, (await loadTestRun(ctx, id))!, asked.count)
  return readRun(ctx, id)
}

async function requireFlow(ctx: EventContext, { flowSlug, useDraft }: TestRunOptions): Promise<void> {
  const snapshot = await loadEventSnapshot(ctx, { test: { useDraft } })
  if (flowSlug !== null) getFlow(snapshot, flowSlug)
  else if (listFlowsForTestParticipants(snapshot).length === 0) {
    throw preconditionFailed('The event has no registration flow yet. Create one first.', {
      fix: { tool: 'get_setup_tasks', arguments: { section: 'flow' }, here: true },
    })
  }
}

async function readRun(ctx: EventContext, runId: string): Promise<TestRun> {
  const row = await eventDb(ctx)
    .selectFrom('test_runs')
    .selectAll()
    .where('kind', '=', 'registrations')
    .where('id', '=', runId)
    .executeTakeFirst()
  if (!row) throw notFound(`No run ${runId} of test registrations at this event; it may have been cleared`)
  const made = await eventDb(ctx)
    .selectFrom('participants')
    .select(['status', sql<number>`count(*)::int`.as('count')])
    .where('test_run_id', '=', runId)
    // Guests do not count towards the requested number of participants.
    .where('host_id', 'is', null)
    .groupBy('status')
    .execute()
  const counts = new Map(made.map(({ status, count }) => [status, count]))
  const byStatus = Object.fromEntries(PARTICIPANT_STATUSES.map((status) => [status, counts.get(status) ?? 0])) as Record<
    ParticipantStatus,
    number
  >
  const summary = { runId, created: { byStatus }, failures: row.failures }
  if (row.job_id === null) return { ...summary, status: 'done' }
  const { jobId, status, error } = await getJob(ctx, { jobId: row.job_id, name: createTestRegistrationsJob.name, eventId: ctx.event.id })
  const isDone = row.done === row.total
  return {
    ...summary,
    jobId,
    status: isDone ? 'done' : status === 'done' ? 'running' : status,
    progress: { done: row.done, total: row.total },
    ...(error === null ? {} : { error }),
  }
}

/** Deletes all test runs and their participants. A running job detects that its run was deleted and ends. */
async function clearRuns(ctx: EventContext): Promise<number> {
  const runs = await eventDb(ctx).selectFrom('test_runs').select('id').where('kind', '=', 'registrations').forUpdate().execute()
  const ids = runs.map(({ id }) => id)
  const removed = await removeTestParticipants(ctx, ids)
  if (ids.length > 0) {
    await eventDb(ctx).deleteFrom('test_runs').where('id', 'in', ids).execute()
    recordChange(ctx, { kind: 'testRun', id: ids[0]!, after: { cleared: ids.length, removed } })
  }
  return removed
}
