import { z } from 'zod'
import { id } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { defineJob } from '../../kernel/jobs.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { DirectoryFactsByConnection } from '../configuration/flow/collected-answers.ts'
import { markParticipantsOfTestRun } from '../registration/remove-test-participants.ts'
import { type RegistrationContext, getFlow, loadEventSnapshot, type EventSnapshot } from '../registration/event-snapshot.ts'
import { toSessionChoiceAnswers, toSessionAnswerKey } from '../sessions/context.ts'
import { listScheduledSessions } from '../sessions/program.ts'
import { type TestParticipant, planTestParticipants } from './cast.ts'
import { readDirectoryTagsAndPolicies } from './connections.ts'
import { registerTestParticipant } from './register.ts'
import type { TestRunFailure } from './run-options.ts'

/** The number of test participants that are created per transaction. */
const PEOPLE_PER_BATCH = 10

/**
 * The job that creates the participants of a large test run, each with a test registration. After a restart it continues after the last
 * committed batch.
 */
export const createTestRegistrationsJob = defineJob({
  name: 'test-registrations',
  scope: 'event',
  exclusivePerEvent: true,
  input: z.object({ runId: id() }),
  async run(job, { runId }) {
    const opened = await job.step((ctx) => loadTestRun(ctx, runId))
    for (let done = 0; opened && done < opened.cast.length;) {
      const reached = await job.step((ctx) => createTestParticipants(ctx, runId, opened, PEOPLE_PER_BATCH))
      if (reached === null) break
      await job.progress((done = reached), opened.cast.length)
    }
    return { runId }
  },
})

interface OpenedRun {
  snapshot: EventSnapshot
  connections: DirectoryFactsByConnection
  withPayments: boolean
  cast: readonly TestParticipant[]
}

const selectRun = (ctx: Pick<RegistrationContext, 'db' | 'tenantId' | 'event'>, runId: string) =>
  eventDb(ctx).selectFrom('test_runs').selectAll().where('id', '=', runId)

/** Lists the flows that test participants can use. Guest flows are excluded, because guests register with their host. */
export const listFlowsForTestParticipants = ({ config }: EventSnapshot) =>
  config.flows.filter(({ retired, kind }) => !retired && kind !== 'guest')

/** Reads a test run and plans its participants from the current draft configuration. Null if the run was deleted. */
export async function loadTestRun(ctx: EventContext, runId: string): Promise<OpenedRun | null> {
  const row = await selectRun(ctx, runId).executeTakeFirst()
  if (!row) return null
  const { flowSlug, useDraft, withPayments, ...asked } = row.options
  const snapshot = await loadEventSnapshot(ctx, { test: { useDraft } })
  const connections = await readDirectoryTagsAndPolicies(ctx)
  const flows = flowSlug === null ? listFlowsForTestParticipants(snapshot) : [getFlow(snapshot, flowSlug)]
  const { config, timezone, at } = snapshot
  const known = await chooseSession(ctx, at)
  return { snapshot, connections, withPayments, cast: planTestParticipants({ ...asked, config, flows, timezone, at, connections, known }) }
}

/** Returns an answer to required questions about conference sessions: the first session that needs no product. */
async function chooseSession(ctx: RegistrationContext, at: Date): Promise<Record<string, unknown>> {
  const open = (await listScheduledSessions(ctx)).find(({ productCode, startsAt }) => productCode === null && startsAt > at)
  return open ? { [toSessionAnswerKey('')]: toSessionChoiceAnswers([open.id]) } : {}
}

/**
 * Creates the next participants of a test run. Returns the number of participants processed so far, or null if the run was deleted
 * meanwhile.
 */
export async function createTestParticipants(
  ctx: EventContext,
  runId: string,
  { cast, ...stage }: OpenedRun,
  most: number,
): Promise<number | null> {
  const row = await selectRun(ctx, runId).forUpdate().executeTakeFirst()
  if (!row) return null
  const made: string[] = []
  const failures = row.failures
  const next = cast.slice(row.done, row.done + most)
  for (const member of next) {
    const registered = await registerTestParticipant(ctx, stage, member)
    if ('id' in registered) made.push(registered.id)
    else addFailure(failures, { flowSlug: member.flow.slug, ...registered.problem, count: 1 })
  }
  await markParticipantsOfTestRun(ctx, runId, made)
  const done = row.done + next.length
  await eventDb(ctx)
    .updateTable('test_runs')
    .set({ done, failures: JSON.stringify(failures) })
    .where('id', '=', runId)
    .execute()
  return done
}

function addFailure(failures: TestRunFailure[], failure: TestRunFailure): void {
  const keyOf = ({ flowSlug, page, binding, message }: TestRunFailure) => JSON.stringify([flowSlug, page, binding, message])
  const known = failures.find((other) => keyOf(other) === keyOf(failure))
  if (known) known.count += 1
  else failures.push(failure)
}
