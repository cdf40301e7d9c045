import { sql } from 'kysely'
import type { RecurringTask } from '../../kernel/recurring.ts'
import { storeAndQueueProfileBuild, findActiveProfileBuild } from './building/start-build.ts'
import { findLatestProfileBuildOptions, readProfileFreshness } from './freshness.ts'

const REBUILD_AT = '02:30'

/**
 * Rebuilds stale profiles of published events once a night, at 02:30 in the time zone of the event, with the options of the latest rebuild.
 * Events without profiles are skipped.
 */
export const rebuildStaleProfiles: RecurringTask = {
  name: 'audience-profiles',
  schedule: { everySeconds: 600 },
  async run({ transact, commitEach }) {
    const due = await transact(async (db) => {
      const { rows } = await sql<{ tenantId: number; eventId: string; buildId: string; today: string }>`
        select b.tenant_id as "tenantId", b.event_id as "eventId", b.id as "buildId", l.today
        from audience_builds b
        join events e on e.tenant_id = b.tenant_id and e.id = b.event_id and e.status = 'published'
        cross join lateral (select (lanyard_now() at time zone e.timezone)::date as today, (lanyard_now() at time zone e.timezone)::time as clock) l
        where b.served and l.clock >= ${REBUILD_AT}::time and (b.checked_on is null or b.checked_on < l.today)
        order by 1, 2 /* reads the rows of all tenants */`.execute(db)
      return rows
    })
    await commitEach(due, async (ctx, { tenantId, eventId, buildId, today }) => {
      const { rows } = await sql`
        update audience_builds set checked_on = ${today} where tenant_id = ${tenantId} and event_id = ${eventId} and id = ${buildId} and served
          and (checked_on is null or checked_on < ${today}::date) returning id`.execute(ctx.db)
      if (rows.length === 0 || (await findActiveProfileBuild(ctx))) return
      const { stale } = (await readProfileFreshness(ctx))!
      if (stale) await storeAndQueueProfileBuild(ctx, await findLatestProfileBuildOptions(ctx))
    })
  },
}
