import { insertPeople, runProfileBuild } from '../../support/audience-people.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { event } from './registration.ts'

/** Ends the build of an earlier example, because one can be active at an event. */
async function endActiveBuild({ world, home }: Stage): Promise<void> {
  const { rows } = await world.database.pool.query<{ job_id: string }>(
    `select job_id from audience_builds where tenant_id = $1 and event_id = $2 and status in ('queued', 'running')`,
    [home.tenantId, home.eventId],
  )
  for (const { job_id } of rows) await runProfileBuild(world, home, job_id)
}

/** Builds profiles of a few people, who stay one group. */
async function withProfiles(stage: Stage) {
  await endActiveBuild(stage)
  await insertPeople(stage.world, stage.home, [{ spend: 'low' }, { spend: 'high' }, { origin: 'abroad' }, { origin: null }])
  const { jobId } = await stage.admin.call('rebuild_audience_profiles', event(stage))
  await runProfileBuild(stage.world, stage.home, jobId)
  return event(stage)
}

async function withoutActiveBuild(stage: Stage) {
  await endActiveBuild(stage)
  return event(stage)
}

export const AUDIENCES_EXAMPLES: Examples = {
  get_audience_profile: [async (stage) => ({ ...(await withProfiles(stage)), profile: 'p1', includeMembers: true })],
  rebuild_audience_profiles: [
    withoutActiveBuild,
    async (stage) => ({
      ...(await withoutActiveBuild(stage)),
      rules: [{ name: 'VIP', filter: { field: 'tags', op: 'contains', value: 'vip' } }],
      useFields: [],
      weights: { spend: 2, origin: 0.5 },
      k: 3,
      minSize: 20,
    }),
  ],
}
