import { rehearseFlow } from '../../../src/domains/rehearsals/rehearse.ts'
import type { Job } from '../../../src/kernel/jobs.ts'
import { jobRunner } from '../../../src/surfaces/worker/run-jobs.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'

const event = ({ home }: Stage) => ({ eventCode: home.eventCode })

const SLUG = 'to-rehearse'

/** Runs what is under way to its end: one rehearsal at a time. */
async function settle({ world, home }: Stage): Promise<void> {
  const { rows } = await world.database.pool.query<{ job_id: string }>(
    `select t.job_id from rehearsals r join test_runs t on t.tenant_id = r.tenant_id and t.event_id = r.event_id and t.id = r.id
     where r.event_id = $1 and r.status in ('queued', 'running')`,
    [home.eventId],
  )
  for (const { job_id: jobId } of rows) await jobRunner(world.road)(rehearseFlow as Job, { tenantId: home.tenantId, jobId })
}

/** A small flow in the stage's own words; it opens later, so that it keeps nobody from publishing. */
async function flowToRehearse(stage: Stage): Promise<string> {
  await settle(stage)
  const flow = {
    name: stage.text(),
    opensAt: '2027-03-01T00:00:00.000Z',
    pages: [
      { code: 'who', title: stage.text(), widgets: [{ id: 'name', type: 'name' }] },
      { code: 'end', title: stage.text(), widgets: [{ id: 'end', type: 'confirmation', body: `<p>${stage.text()}</p>` }] },
    ],
  }
  const edit = (op: string) => ({ ...event(stage), operations: [{ op, path: `/flows/${SLUG}`, valueJson: JSON.stringify(flow) }] })
  const { isError } = await stage.admin.answer('config_set', edit('insert'))
  if (isError) await stage.admin.call('config_set', edit('set'))
  return SLUG
}

async function rehearsed(stage: Stage): Promise<string> {
  const { rehearsalId } = await stage.admin.call('rehearse_flow', { ...event(stage), flowSlug: await flowToRehearse(stage) })
  await settle(stage)
  return rehearsalId
}

export const REHEARSAL_EXAMPLES: Examples = {
  rehearse_flow: [
    async (stage) => ({ ...event(stage), flowSlug: await flowToRehearse(stage) }),
    async (stage) => ({
      ...event(stage),
      flowSlug: await flowToRehearse(stage),
      maxPeople: 2,
      seed: 5,
      negative: false,
      keepTestData: true,
    }),
  ],
  get_flow_rehearsal: [
    async (stage) => ({ ...event(stage), rehearsalId: await rehearsed(stage), people: 'all' }),
    async (stage) => {
      await rehearsed(stage)
      return { ...event(stage), flowSlug: SLUG }
    },
  ],
}
