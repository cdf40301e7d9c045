import { z } from 'zod'
import { id } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { defineJob } from '../../kernel/jobs.ts'
import type { Connections } from '../configuration/flow/collects.ts'
import { keepAsTest } from '../registration/remove-test-people.ts'
import { type AtEvent, getFlow, openScene, type Scene } from '../registration/scene.ts'
import { asAnswers, sessionBinding } from '../sessions/at-event.ts'
import { programOf } from '../sessions/program.ts'
import { type CastMember, castOf } from './cast.ts'
import { connectionFacts } from './connections.ts'
import { registerMember } from './register.ts'
import type { Failure } from './run-options.ts'
import type {} from './tables.ts'

/** So many in one transaction. */
const BATCH = 10

/** Makes the people of a large run; stopped, it goes on with the next. */
export const makeTestRegistrations = defineJob({
  name: 'test-registrations',
  scope: 'event',
  oneAtATime: true,
  input: z.object({ runId: id() }),
  async run(job, { runId }) {
    const opened = await job.step((ctx) => openRun(ctx, runId))
    for (let done = 0; opened && done < opened.cast.length;) {
      const reached = await job.step((ctx) => makePeople(ctx, runId, opened, BATCH))
      if (reached === null) break
      await job.progress((done = reached), opened.cast.length)
    }
    return { runId }
  },
})

interface OpenedRun {
  scene: Scene
  connections: Connections
  withPayments: boolean
  cast: readonly CastMember[]
}

const runRow = (ctx: Pick<AtEvent, 'db' | 'tenantId' | 'event'>, runId: string) =>
  ctx.db
    .selectFrom('test_runs')
    .selectAll()
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', runId)

/** Guests come with somebody, never by themselves. */
export const openFlows = ({ config }: Scene) => config.flows.filter(({ retired, kind }) => !retired && kind !== 'guest')

/** Who is to be made, by the draft as it is now; null for a run that was cleared. */
export async function openRun(ctx: EventContext, runId: string): Promise<OpenedRun | null> {
  const row = await runRow(ctx, runId).executeTakeFirst()
  if (!row) return null
  const { flowSlug, useDraft, withPayments, ...asked } = row.options
  const scene = await openScene(ctx, { test: { useDraft } })
  const connections = await connectionFacts(ctx)
  const flows = flowSlug === null ? openFlows(scene) : [getFlow(scene, flowSlug)]
  const { config, timezone, at } = scene
  const known = await sessionToHear(ctx, at)
  return { scene, connections, withPayments, cast: castOf({ ...asked, config, flows, timezone, at, connections, known }) }
}

/** What somebody hears where a session has to be chosen: the first that anybody may. */
async function sessionToHear(ctx: AtEvent, at: Date): Promise<Record<string, unknown>> {
  const open = (await programOf(ctx)).find(({ productCode, startsAt }) => productCode === null && startsAt > at)
  return open ? { [sessionBinding('')]: asAnswers([open.id]) } : {}
}

/** The next people of a run. Returns how many were dealt with so far; null for a run that was cleared meanwhile. */
export async function makePeople(ctx: EventContext, runId: string, { cast, ...stage }: OpenedRun, most: number): Promise<number | null> {
  const row = await runRow(ctx, runId).forUpdate().executeTakeFirst()
  if (!row) return null
  const made: string[] = []
  const failures = row.failures
  const next = cast.slice(row.done, row.done + most)
  for (const member of next) {
    const registered = await registerMember(ctx, stage, member)
    if ('id' in registered) made.push(registered.id)
    else note(failures, { flowSlug: member.flow.slug, ...registered.fault, count: 1 })
  }
  await keepAsTest(ctx, runId, made)
  const done = row.done + next.length
  await ctx.db
    .updateTable('test_runs')
    .set({ done, failures: JSON.stringify(failures) })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', runId)
    .execute()
  return done
}

function note(failures: Failure[], failure: Failure): void {
  const keyOf = ({ flowSlug, page, binding, message }: Failure) => JSON.stringify([flowSlug, page, binding, message])
  const known = failures.find((other) => keyOf(other) === keyOf(failure))
  if (known) known.count += 1
  else failures.push(failure)
}
