import { sql } from 'kysely'
import { eventDb, type EventScope } from '../../kernel/scoped-db.ts'
import { buildProfileEligibilitySql } from './features/read-vectors.ts'
import { type ProfileBuildOptions, toProfileBuildOptions } from './options.ts'

const STALE_DAYS = 7
/** Audience profiles are stale if the number of participants differs by more than a tenth from the number when they were calculated. */
const STALE_DIVISOR = 10

export interface ProfileFreshness {
  stale: boolean
  /** The number of people without a profile, because they registered after the profiles were calculated. */
  unassigned: number
}

/** Compares the audience profiles in use with the current participants. Returns null if there are no profiles. */
export async function readProfileFreshness(ctx: EventScope): Promise<ProfileFreshness | null> {
  const { rows } = await sql<{ built: number | null; old: boolean | null; people: number; unassigned: number }>`
    select b.population as built, lanyard_now() - (
        select max(c.as_of) from audience_builds c where c.tenant_id = ${ctx.tenantId} and c.event_id = ${ctx.event.id} and (c.served or c.status = 'unchanged')) > make_interval(days => ${STALE_DAYS}) as old,
      n.people, n.unassigned
    from audience_builds b cross join lateral (
      select count(*)::int as people, (count(*) filter (where m.participant_id is null))::int as unassigned from participants p
        left join audience_members m on m.tenant_id = p.tenant_id and m.event_id = p.event_id and m.participant_id = p.id and m.profile_code is not null
      where ${buildProfileEligibilitySql(ctx)}) n
    where b.tenant_id = ${ctx.tenantId} and b.event_id = ${ctx.event.id} and b.served`.execute(ctx.db)
  const [row] = rows
  if (!row) return null
  const built = row.built ?? 0
  return { stale: row.old === true || Math.abs(row.people - built) * STALE_DIVISOR > built, unassigned: row.unassigned }
}

/** Finds the options of the latest build of audience profiles, whether it succeeded or failed. */
export async function findLatestProfileBuildOptions(ctx: EventScope): Promise<ProfileBuildOptions> {
  const latest = await eventDb(ctx)
    .selectFrom('audience_builds')
    .select('options')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return latest?.options ?? toProfileBuildOptions({})
}
