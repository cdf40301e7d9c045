import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertPeople, runProfileBuild, WORKED_PEOPLE } from '../../../../test/support/audience-people.ts'
import { runRecurringTask } from '../../../../test/support/room-deadlines.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../../../../test/support/sales-scenario.ts'
import { newId } from '../../../kernel/ids.ts'
import { rebuildStaleProfiles } from '../nightly.ts'

const choices = Array.from({ length: 150 }, (_, n) => ({ code: `c${n}`, name: `Choice ${n}` }))
const SECTIONS = {
  ...WORKED_EXAMPLE,
  customFields: ['one', 'two'].map((code) => ({ code, name: code, responseType: 'choice', choices, personal: false })),
}

let scenario: SalesScenario
const start = (args: object = {}) => scenario.call('rebuild_audience_profiles', { ...args })
const read = () => scenario.call('get_audience_profile')
const run = (jobId: string) => runProfileBuild(scenario.world, scenario.event, jobId)
const query = async (text: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(text, values)).rows

function useScenario() {
  beforeAll(async () => {
    scenario = await openSalesScenario(SECTIONS)
    await insertPeople(scenario.world, scenario.event, WORKED_PEOPLE)
  })
  afterAll(() => scenario.world.end())
}

describe('rebuild_audience_profiles', () => {
  useScenario()
  const sizes = async () => (await read()).profiles.map(({ size }: { size: number }) => size)

  it('rejects a build of audience profiles while another build is active', async () => {
    const { jobId, buildId } = await start()
    const refused = await scenario.refused('rebuild_audience_profiles')
    expect(refused).toMatchObject({ code: 'conflict' })
    expect(refused.message).toContain(buildId)
    await run(jobId)
    expect(await sizes()).toEqual([20, 17, 13])
  })

  it('keeps the old profiles if a build is killed while it writes, and finishes the build in the next attempt', async () => {
    const before = await read()
    const members = await query('select participant_id, profile_code from audience_members order by 1')
    const { jobId, buildId } = await start({ k: 2 })
    await query(`create function fail_writing() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$`)
    await query('create trigger killed before insert on audience_profiles execute function fail_writing()')
    await expect(run(jobId)).rejects.toThrow('killed')
    const during = await read()
    expect(during.profiles).toEqual(before.profiles)
    expect(during.build).toMatchObject({ id: before.build.id, status: 'running', progress: { total: 9 } })
    expect(await query('select participant_id, profile_code from audience_members where profile_code is not null order by 1')).toEqual(
      members,
    )
    await query('drop trigger killed on audience_profiles')
    await run(jobId)
    expect(await sizes()).toEqual([30, 20])
    expect((await read()).build).toMatchObject({ id: buildId, status: 'done' })
    expect(await query('select distinct build_id from audience_members')).toEqual([{ build_id: buildId }])
  })

  it('allows a new build of audience profiles after the job of the last build failed permanently', async () => {
    const { jobId } = await start({ k: 4 })
    await query(`update jobs set status = 'failed', error = 'given up' where id = $1`, [jobId])
    expect((await read()).build).toMatchObject({ status: 'failed', error: 'given up' })
    const next = await start({ k: 3 })
    await run(next.jobId)
    expect(await sizes()).toEqual([20, 17, 13])
  })

  it('marks a build of audience profiles as failed, with the reason, if one of its fields became sensitive in the meantime', async () => {
    const { jobId } = await start({ useFields: ['one'] })
    await scenario.publish({ customFields: SECTIONS.customFields.map((field) => ({ ...field, sensitive: true })) })
    await run(jobId)
    const { build } = await read()
    expect(build).toMatchObject({ status: 'failed' })
    expect(build.error).toContain('one is sensitive')
    expect(await sizes()).toEqual([20, 17, 13])
    await scenario.publish({ customFields: SECTIONS.customFields })
  })
})

describe('rebuildStaleProfiles', () => {
  useScenario()
  const builds = async () => (await query('select count(*)::int as builds from audience_builds'))[0].builds
  const runNext = async () => {
    const [{ job_id }] = await query(`select job_id from audience_builds where status = 'queued'`)
    await run(job_id)
  }

  it('starts no nightly rebuild for an event without audience profiles', async () => {
    await scenario.world.clock.stopAt('2026-04-11T03:00:00Z')
    await runRecurringTask(scenario.world, rebuildStaleProfiles)
    expect(await builds()).toBe(0)
  })

  it('starts no nightly rebuild while the audience profiles are up to date', async () => {
    await run((await start({ k: 2 })).jobId)
    await scenario.world.clock.stopAt('2026-04-12T03:00:00Z')
    await runRecurringTask(scenario.world, rebuildStaleProfiles)
    expect(await builds()).toBe(1)
    expect((await read()).build).toMatchObject({ stale: false })
  })

  it('rebuilds audience profiles at 02:30 in the time zone of the event if more than a tenth of the participants are new', async () => {
    await insertPeople(
      scenario.world,
      scenario.event,
      Array.from({ length: 5 }, () => ({ spend: 'low' as const })),
    )
    expect((await read()).build).toMatchObject({ stale: false, unassigned: 5 })
    await insertPeople(scenario.world, scenario.event, [{ spend: 'low' }])
    expect((await read()).build).toMatchObject({ stale: true, unassigned: 6 })
    // 02:29 in Paris, one minute before the nightly rebuild.
    await scenario.world.clock.stopAt('2026-04-13T00:29:00Z')
    await runRecurringTask(scenario.world, rebuildStaleProfiles)
    expect(await builds()).toBe(1)
    await scenario.world.clock.stopAt('2026-04-13T00:31:00Z')
    await runRecurringTask(scenario.world, rebuildStaleProfiles)
    await runRecurringTask(scenario.world, rebuildStaleProfiles)
    expect(await builds()).toBe(2)
    await runNext()
    expect(await read()).toMatchObject({ build: { population: 56, stale: false, unassigned: 0 }, profiles: [{}, {}] })
  })

  it('rebuilds audience profiles after seven days with the options of the latest build, and ends that build as unchanged', async () => {
    await scenario.world.clock.stopAt('2026-04-20T00:40:00Z')
    expect((await read()).build).toMatchObject({ stale: true })
    await runRecurringTask(scenario.world, rebuildStaleProfiles)
    expect(await builds()).toBe(3)
    await runNext()
    expect((await read()).build).toMatchObject({ status: 'unchanged', stale: false })
    await scenario.world.clock.stopAt('2026-04-21T00:40:00Z')
    await runRecurringTask(scenario.world, rebuildStaleProfiles)
    expect(await builds()).toBe(3)
  })

  it('starts no nightly rebuild of audience profiles for an archived event', async () => {
    await scenario.world.clock.stopAt('2026-05-20T00:40:00Z')
    await query(`update events set status = 'archived' where id = $1`, [scenario.event.eventId])
    await runRecurringTask(scenario.world, rebuildStaleProfiles)
    expect(await builds()).toBe(3)
  })
})

describe('rebuild_audience_profiles with more than 20,000 answer patterns', () => {
  useScenario()

  it('clusters only the 20,000 most frequent answer patterns, and assigns every other participant to the nearest profile', async () => {
    const { tenantId, eventId } = scenario.event
    // The participants have 22,500 (150 × 150) different pairs of answers, more than are clustered.
    await scenario.world.database.transact(async (db) => {
      await sql`set local session_replication_role = replica`.execute(db)
      await sql`
        insert into participants (tenant_id, event_id, id, status, first_name, last_name, email, flow_slug, country, confirmation_number, completed_at,
          custom_field_responses)
        select ${tenantId}, ${eventId}, lpad(to_hex(n), 24, '0'), 'complete', 'Many', n::text, n || '@many.example', 'attendee',
          case when n % 2 = 0 then 'FR' else 'US' end, 'M' || n, timestamptz '2026-08-20', jsonb_build_object('one', 'c' || n % 150, 'two', 'c' || n / 150)
        from generate_series(0, 22499) n`.execute(db)
      await sql`analyze participants`.execute(db)
    })
    const { jobId } = await start({ useFields: ['one', 'two'], k: 2 })
    await run(jobId)
    const { build, profiles } = await read()
    expect(build.population).toBe(22_550)
    const [{ patterns }] = await query('select patterns from audience_builds where served')
    expect(patterns).toBeGreaterThan(20_000)
    expect(profiles.reduce((sum: number, { size }: { size: number }) => sum + size, 0)).toBe(22_550)
    const [members] = await query(
      'select count(*)::int as all, count(profile_code)::int as assigned, count(distinct participant_id)::int as people from audience_members',
    )
    expect(members).toEqual({ all: 22_550, assigned: 22_550, people: 22_550 })
    const counted = await query('select profile_code as code, count(*)::int as size from audience_members group by 1 order by 1')
    expect(counted).toEqual(profiles.map(({ code, size }: { code: string; size: number }) => ({ code, size })))
  })
})

describe('the NPS of an audience profile', () => {
  useScenario()
  const nps = async () => (await read()).profiles.map(({ behaviour }: { behaviour: { nps: number | null } }) => behaviour.nps)

  /** Stores a complete response of a member of the profile to a question of the type NPS. */
  async function answer(profile: string, value: number, isPersonal = false): Promise<void> {
    const { tenantId, eventId } = scenario.event
    const [member] = await query(
      `select participant_id from audience_members m where profile_code = $1 and not exists (
         select from survey_responses r where r.participant_id = m.participant_id) order by 1 limit 1`,
      [profile],
    )
    const [inviteId, responseId] = [newId(), newId()]
    const person = [tenantId, eventId, member.participant_id]
    await query(
      `insert into survey_invites (tenant_id, event_id, id, survey_code, participant_id, token_hash) values ($1, $2, $4, 'after', $3, sha256(convert_to($4, 'UTF8')))`,
      [...person, inviteId],
    )
    await query(
      `insert into survey_responses (tenant_id, event_id, id, survey_code, is_anonymous, participant_id, invite_id, status, started_at, completed_at, locale,
         created_at, updated_at)
       select $1, $2, $4, 'after', false, $3, $5, 'complete', t, t, 'en', t, t from (select lanyard_now() as t) now`,
      [...person, responseId, inviteId],
    )
    await query(
      `insert into survey_answers (tenant_id, event_id, response_id, question_code, type, is_personal, nps) values ($1, $2, $3, 'recommend', 'nps', $5, $4)`,
      [tenantId, eventId, responseId, value, isPersonal],
    )
  }

  it('shows the NPS of an audience profile with at least five answers, and treats new answers as changed data', async () => {
    await run((await start()).jobId)
    expect(await nps()).toEqual([null, null, null])
    for (const value of [10, 9, 8, 3]) await answer('p1', value)
    for (const value of [10, 9, 8, 3, 6]) await answer('p2', value)
    await run((await start()).jobId)
    expect((await read()).build).toMatchObject({ status: 'done' })
    expect(await nps()).toEqual([null, 0, null])
    // Answers to a question that asks for personal data are left out.
    await answer('p1', 10, true)
    await run((await start()).jobId)
    expect(await nps()).toEqual([null, 0, null])
    await answer('p1', 10)
    await run((await start()).jobId)
    expect(await nps()).toEqual([40, 0, null])
  })
})
