import { rehearseFlowJob } from '../../../src/domains/rehearsals/rehearse.ts'
import type { Job } from '../../../src/kernel/jobs.ts'
import { createJobRunner } from '../../../src/surfaces/worker/run-jobs.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'

const event = ({ home }: Stage) => ({ eventCode: home.eventCode })

const SLUG = 'to-rehearse'

/** An event may have only one active test run, so the current test run is completed first. */
async function finishTestRun({ world, home }: Stage): Promise<void> {
  const { rows } = await world.database.pool.query<{ job_id: string }>(
    `select t.job_id from rehearsals r join test_runs t on t.tenant_id = r.tenant_id and t.event_id = r.event_id and t.id = r.id
     where r.event_id = $1 and r.status in ('queued', 'running')`,
    [home.eventId],
  )
  for (const { job_id: jobId } of rows) await createJobRunner(world.services)(rehearseFlowJob as Job, { tenantId: home.tenantId, jobId })
}

/** Questions that no test participant can reach, so that the result of a test run has several rows. */
const HIDDEN_QUESTIONS = ['jobTitle', 'department', 'city'].map((property) => ({
  id: property.toLowerCase(),
  type: 'field',
  binding: `@participant.${property}`,
  showWhen: { all: ['a', 'b'].map((value) => ({ binding: '@participant.company', op: 'equals', value })) },
}))

/** Creates a small registration flow with the stage's word. The flow opens later, so that it does not block publishing. */
async function flowToRehearse(stage: Stage): Promise<string> {
  await finishTestRun(stage)
  const flow = {
    name: stage.text(),
    opensAt: '2027-03-01T00:00:00.000Z',
    pages: [
      { code: 'who', title: stage.text(), widgets: [{ id: 'name', type: 'name' }, ...HIDDEN_QUESTIONS] },
      { code: 'end', title: stage.text(), widgets: [{ id: 'end', type: 'confirmation', body: `<p>${stage.text()}</p>` }] },
    ],
  }
  const edit = (op: string) => ({ ...event(stage), operations: [{ op, path: `/flows/${SLUG}`, valueJson: JSON.stringify(flow) }] })
  const { isError } = await stage.admin.answer('config_set', edit('insert'))
  if (isError) await stage.admin.call('config_set', edit('set'))
  return SLUG
}

async function finishedTestRun(stage: Stage): Promise<string> {
  const { rehearsalId } = await stage.admin.call('rehearse_flow', { ...event(stage), flowSlug: await flowToRehearse(stage) })
  await finishTestRun(stage)
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
    async (stage) => ({ ...event(stage), rehearsalId: await finishedTestRun(stage), people: 'all' }),
    async (stage) => {
      await finishedTestRun(stage)
      return { ...event(stage), flowSlug: SLUG, people: 'all' }
    },
  ],
}
