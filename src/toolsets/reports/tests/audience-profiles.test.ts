import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertPeople, runProfileBuild, WORKED_PEOPLE } from '../../../../test/support/audience-people.ts'
import { openSalesScenario, type SalesScenario } from '../../../../test/support/sales-scenario.ts'

type Arguments = Record<string, unknown>

describe("audience profiles of the specification's example", () => {
  let scenario: SalesScenario
  let people: string[]
  const start = (args: Arguments = {}) => scenario.call('rebuild_audience_profiles', args)
  const read = (args: Arguments = {}) => scenario.call('get_audience_profile', args)
  const rebuild = async (args: Arguments = {}) => {
    const started = await start(args)
    await runProfileBuild(scenario.world, scenario.event, started.jobId)
    return started
  }
  const query = async (text: string) => (await scenario.world.database.pool.query<any>(text)).rows

  beforeAll(async () => {
    scenario = await openSalesScenario()
    people = await insertPeople(scenario.world, scenario.event, WORKED_PEOPLE)
  })
  afterAll(() => scenario.world.end())

  it('refuses to return audience profiles before they were first built', async () => {
    const refused = await scenario.refused('get_audience_profile')
    expect(refused).toMatchObject({ code: 'not_found' })
    expect(refused.message).toContain('start rebuild_audience_profiles')
  })

  it('counts in a dry run the people whom a build of audience profiles would include, and stores nothing', async () => {
    const preview = await start({ dryRun: true })
    expect(preview).toMatchObject({ population: 50, patterns: 9 })
    expect(preview.features.filter(({ used }: { used: boolean }) => used)).toEqual([
      { name: 'newness', levels: 2, topShare: 56, used: true },
      { name: 'origin', levels: 3, topShare: 68, used: true },
      { name: 'leadTime', levels: 4, topShare: 42, used: true },
      { name: 'spend', levels: 4, topShare: 40, used: true },
    ])
    expect(await query('select from audience_builds')).toEqual([])
    expect(await query('select from audience_members')).toEqual([])
  })

  it('builds three profiles of 20, 17 and 13 people with the traits and names of the specification', async () => {
    const { jobId, buildId, status } = await start()
    expect(status).toBe('queued')
    const early = await scenario.refused('get_audience_profile')
    expect(early.message).toBe(`The first build ${buildId} is queued — call again when it is done`)
    await runProfileBuild(scenario.world, scenario.event, jobId)
    const { build, profiles } = await read()
    expect(build).toMatchObject({ id: buildId, status: 'done', population: 50, k: 3, silhouette: 0.805, stale: false, unassigned: 0 })
    expect(build.dropped.map(({ feature }: { feature: string }) => feature)).toEqual(
      'seniority function channel stay extras sessions engagement networking presence'.split(' '),
    )
    const shown = profiles.map(({ code, name, size, share, traits }: any) => ({ code, name, size, share, traits: traits.slice(0, 2) }))
    expect(shown).toEqual([
      {
        code: 'p1',
        name: 'High spend, returning',
        size: 20,
        share: 40,
        traits: [
          { feature: 'spend', level: 'high', share: 100, overall: 40, lift: 2.5 },
          { feature: 'newness', level: 'returning', share: 100, overall: 44, lift: 2.27 },
        ],
      },
      {
        code: 'p2',
        name: 'Last-week booking, no spend',
        size: 17,
        share: 34,
        traits: [
          { feature: 'leadTime', level: '0-7', share: 100, overall: 42, lift: 2.38 },
          { feature: 'spend', level: 'zero', share: 52.9, overall: 18, lift: 2.94 },
        ],
      },
      {
        code: 'p3',
        name: 'From abroad, medium spend',
        size: 13,
        share: 26,
        traits: [
          { feature: 'origin', level: 'abroad', share: 100, overall: 26, lift: 3.85 },
          { feature: 'spend', level: 'mid', share: 76.9, overall: 20, lift: 3.85 },
        ],
      },
    ])
    const [{ mode }] = await query(`select mode from audience_profiles where code = 'p2'`)
    expect(mode).toEqual({ newness: 'first', origin: 'home', leadTime: '0-7', spend: 'zero' })
  })

  it('lists every trait in which an audience profile differs by at least ten points, largest difference first', async () => {
    const { profiles } = await read()
    const [p1, p2, p3] = profiles.map(({ traits }: any) =>
      traits.map(({ level, share, overall }: any) => [level, share, overall].join(' ')),
    )
    expect(p1).toEqual(['high 100 40', 'returning 100 44', 'over90 65 26', 'home 85 68', '31-90 35 14'].toSorted(byDifference))
    expect(p2).toEqual(['0-7 100 42', 'zero 52.9 18', 'first 88.2 56', 'home 100 68', 'low 47.1 22'].toSorted(byDifference))
    expect(p3).toEqual(['abroad 100 26', 'mid 76.9 20', '8-30 69.2 18', 'first 100 56'].toSorted(byDifference))
  })

  it('describes the behaviour of each audience profile', async () => {
    const { profiles } = await read()
    const money = (amount: string) => ({ amount, currency: 'EUR' })
    expect(profiles.map(({ behaviour }: any) => behaviour)).toEqual([
      { averageNet: money('300.00'), showRate: 0, nps: null, leadsPerHead: 0, medianLeadDays: 120 },
      { averageNet: money('47.06'), showRate: 0, nps: null, leadsPerHead: 0, medianLeadDays: 3 },
      { averageNet: money('176.92'), showRate: 0, nps: null, leadsPerHead: 0, medianLeadDays: 20 },
    ])
    expect(profiles.map(({ products }: any) => products)).toEqual([
      [{ code: 'pass', share: 100, lift: 1.22 }],
      [{ code: 'pass', share: 47.1, lift: 0.57 }],
      [{ code: 'pass', share: 100, lift: 1.22 }],
    ])
  })

  it('lists the members of an audience profile in pages, the most typical members first', async () => {
    const first = await read({ profile: 'p2', includeMembers: true, limit: 10 })
    expect(first.profiles).toHaveLength(1)
    expect(first.profiles[0].members).toHaveLength(10)
    const second = await read({ profile: 'p2', includeMembers: true, limit: 10, cursor: first.nextCursor })
    const members = [...first.profiles[0].members, ...second.profiles[0].members]
    expect(second.nextCursor).toBeNull()
    expect(new Set(members.map(({ id }) => id)).size).toBe(17)
    // Seven people match the profile's most frequent values exactly; eight spend more, and two are returning.
    expect(members.map(({ distance }) => distance)).toEqual([...Array(7).fill(0), ...Array(10).fill(1)])
    expect(members[0]).toEqual({ id: expect.any(String), name: expect.stringContaining('Paula Profiled'), distance: 0 })
  })

  it('finds an audience profile by name, and compares it with another profile', async () => {
    const { profiles, difference } = await read({ profile: 'high spend, RETURNING', compare: 'p3' })
    expect(profiles.map(({ code }: any) => code)).toEqual(['p1', 'p3'])
    expect(difference.slice(0, 3)).toEqual(
      [
        { feature: 'newness', level: 'returning', share: 100, other: 0, points: 100 },
        { feature: 'newness', level: 'first', share: 0, other: 100, points: -100 },
        { feature: 'origin', level: 'abroad', share: 0, other: 100, points: -100 },
      ].toSorted((a, b) => (a.feature + a.level < b.feature + b.level ? -1 : 1)),
    )
  })

  it('refuses an unknown audience profile and lists the known ones, and refuses to list members of all profiles', async () => {
    const unknown = await scenario.refused('get_audience_profile', { profile: 'p9' })
    expect(unknown).toMatchObject({ code: 'not_found' })
    expect(unknown.message).toContain('p1 (High spend, returning), p2 (Last-week booking, no spend), p3 (From abroad, medium spend)')
    expect(await scenario.refused('get_audience_profile', { includeMembers: true })).toMatchObject({ code: 'invalid_arguments' })
  })

  it('returns profile sizes that match the counts of query_data', async () => {
    const { rows } = await scenario.call('query_data', { entity: 'participant', groupBy: ['audienceProfile'], aggregates: ['count'] })
    const counted = rows.map((row: any) => [row.audienceProfile, row.count])
    expect(Object.fromEntries(counted)).toMatchObject({ p1: 20, p2: 17, p3: 13 })
  })

  it('does not rewrite audience profiles in a second build of the same data', async () => {
    const before = await query('select * from audience_members order by participant_id')
    const { build: first } = await read()
    const { buildId, jobId } = await rebuild()
    const { build } = await read()
    expect(build).toMatchObject({ id: first.id, status: 'unchanged', asOf: first.asOf })
    expect(await query('select * from audience_members order by participant_id')).toEqual(before)
    const [job] = await query(`select result from jobs where id = '${jobId}'`)
    expect(job.result).toEqual({ buildId: first.id, status: 'unchanged' })
    expect(buildId).not.toBe(first.id)
  })

  it('does not change audience profiles when test registrations are added', async () => {
    const { profiles } = await read()
    await insertPeople(
      scenario.world,
      scenario.event,
      Array.from({ length: 3 }, () => ({ isTestData: true, spend: 'high' as const })),
    )
    await rebuild()
    const after = await read()
    expect(after).toMatchObject({ profiles, build: { status: 'unchanged', population: 50 } })
  })

  it('creates an audience profile for each rule, and does not cluster fewer than 50 other people', async () => {
    await scenario.world.database.pool.query(`update participants set tags = '{vip}' where id = any($1)`, [people.slice(0, 12)])
    const rules = [{ name: 'VIP', filter: { field: 'tags', op: 'contains', value: 'vip' } }]
    expect(await start({ rules, dryRun: true })).toMatchObject({ population: 50, warnings: [] })
    await rebuild({ rules })
    const { build, profiles } = await read()
    expect(build).toMatchObject({ population: 50, k: 1, silhouette: null, status: 'done' })
    expect(profiles.map(({ code, name, rule, size }: any) => ({ code, name, rule, size }))).toEqual([
      { code: 'p1', name: 'All participants', rule: undefined, size: 38 },
      { code: 'p2', name: 'VIP', rule: 'VIP', size: 12 },
    ])
    const members = await query(`select profile_code, count(*)::int as people from audience_members group by 1 order by 1`)
    expect(members).toEqual([
      { profile_code: 'p1', people: 38 },
      { profile_code: 'p2', people: 12 },
    ])
  })

  it('assigns a participant to the first matching profile rule, and warns about a rule without matches', async () => {
    const is = (field: string, value: string) => ({ field, op: 'equals', value })
    const rules = [
      { name: 'Nowhere', filter: is('flowSlug', 'none-such') },
      { name: 'French', filter: is('country', 'FR') },
      { name: 'VIP', filter: { all: [{ field: 'tags', op: 'contains', value: 'vip' }] } },
    ]
    await rebuild({ rules })
    const { build, profiles } = await read()
    expect(build.warnings).toEqual(
      ['Nowhere', 'VIP'].map((name) => `The rule ${name} has no participants: none match it, or all match an earlier rule.`),
    )
    expect(profiles.map(({ name, size }: any) => [name, size])).toEqual([
      ['French', 34],
      ['All participants', 16],
    ])
  })

  it('shows no traits and products of an audience profile of fewer than five people', async () => {
    const rules = (size: number) => {
      const one = people.slice(-5, -5 + size || undefined).map((id) => ({ field: 'id', op: 'equals', value: id }))
      return [{ name: 'Few', filter: { any: one } }]
    }
    for (const size of [1, 4, 5]) {
      await rebuild({ rules: rules(size) })
      const [few] = (await read({ profile: 'Few', compare: 'All participants' })).profiles.filter(({ name }: any) => name === 'Few')
      expect([few.size, few.traits.length > 0]).toEqual([size, size === 5])
    }
  })

  it('builds audience profiles with a given number of groups and given weights', async () => {
    await rebuild({ k: 2 })
    expect((await read()).profiles.map(({ size }: any) => size)).toEqual([30, 20])
    await rebuild({ weights: { newness: 5, origin: 0, leadTime: 0, spend: 0 } })
    const { build, profiles } = await read()
    expect(build.dropped.map(({ feature }: any) => feature)).toContain('origin')
    expect(profiles.map(({ name, size }: any) => [name, size])).toEqual([
      ['First-time', 28],
      ['Returning', 22],
    ])
  })

  it('builds audience profiles once for several concurrent calls', async () => {
    const args = { eventCode: scenario.event.eventCode, k: 4 }
    const answers = await Promise.all(Array.from({ length: 6 }, () => scenario.olga.answer('rebuild_audience_profiles', args)))
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(1)
    const [active] = await query(`select job_id from audience_builds where status = 'queued'`)
    await runProfileBuild(scenario.world, scenario.event, active.job_id)
    expect((await read()).build).toMatchObject({ k: 4, status: 'done' })
  })

  it('refuses to build profiles with unknown features, unknown fields or sensitive fields', async () => {
    const refusal = async (args: Arguments) => (await scenario.refused('rebuild_audience_profiles', args)).message
    expect(await refusal({ weights: { newnes: 2 } })).toContain('did you mean newness?')
    expect(await refusal({ useFields: ['no-such'] })).toContain('no choice field "no-such"')
    const dietary = { name: 'Vegan', filter: { field: 'dietary', op: 'equals', value: 'vegan' } }
    expect(await refusal({ rules: [dietary] })).toContain('dietary is sensitive, and sensitive fields are never used')
    expect(await refusal({ rules: [{ name: 'Wrong', filter: { field: 'nothing', op: 'isSet' } }] })).toContain(
      'participant has no field "nothing"',
    )
    expect(await query(`select from audience_builds where status in ('queued', 'running')`)).toEqual([])
  })
})

const byDifference = (a: string, b: string) => {
  const points = (text: string) => Number(text.split(' ')[1]) - Number(text.split(' ')[2])
  return points(b) - points(a)
}
