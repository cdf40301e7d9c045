import { type RawBuilder, sql } from 'kysely'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { toMoney } from '../../../kernel/money.ts'
import { computeNetPromoterScore } from '../../surveys/figures/question-figures.ts'
import type { ProfileFeature } from '../features/feature-list.ts'
import {
  ALL_PARTICIPANTS_PROFILE_NAME,
  type ProfileBehaviour,
  type FeatureLevelCounts,
  listTraits,
  makeNamesUnique,
  MIN_PEOPLE_PER_SHOWN_GROUP,
  buildProfileName,
  type ProfileProductShare,
  computeLift,
  findMostFrequentFeatureLevels,
  toSharePercent,
} from './describe-profiles.ts'
import { type ProfileBuildScope, type FeatureStatistics, buildFeatureVectorCondition, buildNpsAnswersSql } from './stage.ts'

/** The result of the clustering: for each cluster its mode (the most frequent level of each used feature), as names of levels. */
export interface ClusteringResult {
  /** The mode of each cluster. If all people are in one cluster, there is only one mode. */
  modes: readonly (readonly string[])[]
  /** The weight of each used feature in the distance between a person and a mode, in hundredths. */
  weights: readonly number[]
}

export interface ProfileBuildResult {
  buildId: string
  features: readonly ProfileFeature[]
  measured: readonly FeatureStatistics[]
  /** The names of the profile rules that the organizer defined. */
  rules: readonly string[]
  found: ClusteringResult
  currency: string
}

const MAX_PRODUCTS = 5

/** Whether enough people are in a profile for its figures, traits and products to be shown. */
const isShown = ({ size }: { size: number }): boolean => size >= MIN_PEOPLE_PER_SHOWN_GROUP

/** Replaces the audience profiles that organizers see with those of a finished build, which has already stored who belongs to each. */
export async function publishProfiles(ctx: ProfileBuildScope, build: ProfileBuildResult): Promise<{ profiles: number }> {
  const groups = await countGroups(ctx, build)
  const all = addUp(groups)
  const sorted = groups.toSorted((a, b) => b.size - a.size || a.order - b.order)
  const describable = build.features.filter((_, index) => build.measured[index]!.used)
  const described = sorted.map((group, index) => {
    const traits = isShown(group) ? listTraits(group, all, describable) : []
    const isWhole = group.rule === null && build.found.modes.length === 1
    const name = group.rule ?? (isWhole ? ALL_PARTICIPANTS_PROFILE_NAME : buildProfileName(traits))
    return { ...group, code: `p${index + 1}`, traits, name }
  })
  const names = makeNamesUnique(described.map(({ name }) => name))
  await removeOlderBuilds(ctx, build.buildId)
  await assignMembers(ctx, build, new Map(described.map(({ order, code }) => [order, code])))
  const behaviour = await readBehaviour(ctx, build)
  const products = await readProducts(
    ctx,
    build.buildId,
    new Map(described.filter(isShown).map(({ code, size }) => [code, size])),
    all.size,
  )
  for (const [index, { code, rule, size, counts, traits }] of described.entries())
    await ctx.db
      .insertInto('audience_profiles')
      .values({
        tenant_id: ctx.tenantId,
        event_id: ctx.event.id,
        build_id: build.buildId,
        code,
        name: names[index]!,
        rule,
        size,
        mode: JSON.stringify(findMostFrequentFeatureLevels(counts, build.measured)),
        levels: JSON.stringify(counts),
        traits: JSON.stringify(traits),
        behaviour: JSON.stringify(behaviour.get(code)),
        products: JSON.stringify(products.get(code) ?? []),
      })
      .execute()
  return { profiles: described.length }
}

interface Group {
  /** The position of a profile in the list: profiles of rules come first, then profiles of clusters. */
  order: number
  rule: string | null
  size: number
  counts: FeatureLevelCounts
}

/** SQL: the number of the cluster (from 1) whose mode is nearest to the feature levels in `g`, and the distance. The first one on a tie. */
function selectNearest({ found, measured }: ProfileBuildResult): RawBuilder<unknown> {
  const positions = measured.flatMap(({ used }, index) => (used ? [index + 1] : []))
  const distances = found.modes.map((mode) => {
    const terms = positions.map(
      (position, index) =>
        sql`case when g.levels[${sql.lit(position)}] = ${mode[index]!} then 0 else ${sql.lit(found.weights[index]!)} end`,
    )
    return sql`(${sql.join([sql`0`, ...terms], sql` + `)})`
  })
  return sql`select d.distances[d.cluster] as distance, d.cluster from (
    select n.distances, array_position(n.distances, (select min(x) from unnest(n.distances) x)) as cluster
    from (select array[${sql.join(distances)}]::int[] as distances) n) d`
}

/**
 * SQL: each pattern of a build with its rule or its nearest mode. Rules are numbered from 1, and clusters continue after them. Without
 * `offset 0` the planner would compute the distances again for each member instead of once for each pattern.
 */
const selectAssigned = (ctx: ProfileBuildScope, build: ProfileBuildResult): RawBuilder<unknown> => sql`
  select g.rule, g.levels, g.people, coalesce(g.rule, ${build.rules.length}::int + n.cluster) as group_number, n.distance
  from (select v.rule, v.levels, count(*)::int as people from audience_vectors v where ${buildFeatureVectorCondition(ctx, build.buildId)} group by 1, 2) g
    cross join lateral (${selectNearest(build)} offset 0) n`

async function countGroups(ctx: ProfileBuildScope, build: ProfileBuildResult): Promise<Group[]> {
  const { rows } = await sql<{ group: number; position: number; level: string; people: number }>`
    select a.group_number as "group", u.position::int as position, u.level, sum(a.people)::int as people
    from (${selectAssigned(ctx, build)}) a cross join unnest(a.levels) with ordinality u(level, position)
    group by 1, 2, 3 order by 1, 2, 3`.execute(ctx.db)
  const groups = new Map<number, Group>()
  for (const { group: order, position, level, people } of rows) {
    const group = groups.get(order) ?? { order, rule: build.rules[order - 1] ?? null, size: 0, counts: {} }
    groups.set(order, group)
    if (position === 1) group.size += people
    const { name } = build.features[position - 1]!
    ;(group.counts[name] ??= {})[level] = people
  }
  return [...groups.values()]
}

function addUp(groups: readonly Group[]): { size: number; counts: FeatureLevelCounts } {
  const counts: FeatureLevelCounts = {}
  for (const group of groups)
    for (const [feature, levels] of Object.entries(group.counts)) {
      const sums = (counts[feature] ??= {})
      for (const [level, people] of Object.entries(levels)) sums[level] = (sums[level] ?? 0) + people
    }
  return { size: groups.reduce((sum, { size }) => sum + size, 0), counts }
}

async function removeOlderBuilds(ctx: ProfileBuildScope, buildId: string): Promise<void> {
  await eventDb(ctx).deleteFrom('audience_members').execute()
  await eventDb(ctx).deleteFrom('audience_profiles').where('build_id', '<>', buildId).execute()
  await eventDb(ctx).updateTable('audience_builds').set({ served: false }).where('served', '=', true).execute()
}

async function assignMembers(ctx: ProfileBuildScope, build: ProfileBuildResult, codes: ReadonlyMap<number, string>): Promise<void> {
  const groups = build.rules.length + build.found.modes.length
  const byNumber = Array.from({ length: groups }, (_, index) => codes.get(index + 1) ?? null)
  await sql`
    insert into audience_members (tenant_id, event_id, build_id, participant_id, profile_code, distance)
    select v.tenant_id, v.event_id, v.build_id, v.participant_id, (${byNumber}::text[])[a.group_number], case when a.rule is null then a.distance / 100.0 end
    from audience_vectors v join (${selectAssigned(ctx, build)}) a on v.levels = a.levels and coalesce(v.rule, 0) = coalesce(a.rule, 0)
    where ${buildFeatureVectorCondition(ctx, build.buildId)} order by v.participant_id`.execute(ctx.db)
}

/** SQL: the participants in the new audience profiles (alias `m`), each with their feature vector (`v`). */
const selectMembers = (ctx: ProfileBuildScope, buildId: string): RawBuilder<unknown> =>
  sql`audience_members m join audience_vectors v on ${buildFeatureVectorCondition(ctx, buildId)} and m.tenant_id = v.tenant_id and m.event_id = v.event_id
      and m.participant_id = v.participant_id`

async function readBehaviour(ctx: ProfileBuildScope, { buildId, currency }: ProfileBuildResult): Promise<Map<string, ProfileBehaviour>> {
  const { rows } = await sql<Record<'people' | 'net' | 'attended' | 'leads' | 'dated', number> & { code: string; median: number | null }>`
    select m.profile_code as code, count(*)::int as people, round(avg(v.net))::float8 as net, (count(*) filter (where v.attended))::int as attended,
      sum(v.leads)::int as leads, count(v.lead_days)::int as dated, percentile_cont(0.5) within group (order by v.lead_days) as median
    from ${selectMembers(ctx, buildId)} group by 1`.execute(ctx.db)
  const recommendations = await readRecommendations(ctx)
  return new Map(
    rows.map(({ code, people, net, attended, leads, dated, median }) => {
      const isLarge = isShown({ size: people })
      return [
        code,
        {
          averageNet: isLarge ? toMoney(net, currency) : null,
          showRate: isLarge ? toSharePercent(attended, people) : null,
          nps: toShownNps(recommendations.get(code)),
          leadsPerHead: isLarge ? Math.round((100 * leads) / people) / 100 : null,
          medianLeadDays: dated >= MIN_PEOPLE_PER_SHOWN_GROUP ? median : null,
        },
      ]
    }),
  )
}

/** Counts the answers to NPS questions by audience profile and value, in complete survey responses that are not anonymous. */
async function readRecommendations(ctx: ProfileBuildScope): Promise<Map<string, Map<string, number>>> {
  const { rows } = await sql<{ profile: string; value: string; answers: number }>`
    select m.profile_code as profile, a.nps::text as value, count(*)::int as answers
    from (${buildNpsAnswersSql(ctx)}) a join audience_members m
      on m.tenant_id = ${ctx.tenantId} and m.event_id = ${ctx.event.id} and m.participant_id = a.participant_id
    group by 1, 2`.execute(ctx.db)
  const counts = new Map<string, Map<string, number>>()
  for (const { profile, value, answers } of rows) counts.set(profile, (counts.get(profile) ?? new Map()).set(value, answers))
  return counts
}

function toShownNps(counts: ReadonlyMap<string, number> | undefined): number | null {
  const answers = counts ? [...counts.values()].reduce((sum, one) => sum + one, 0) : 0
  return counts && answers >= MIN_PEOPLE_PER_SHOWN_GROUP ? computeNetPromoterScore(counts).nps : null
}

/** Reads the most common products of the people in the audience profiles with the given sizes. */
async function readProducts(
  ctx: ProfileBuildScope,
  buildId: string,
  sizes: ReadonlyMap<string, number>,
  population: number,
): Promise<Map<string, ProfileProductShare[]>> {
  const { rows } = await sql<{ profile: string; code: string; people: number; everywhere: number }>`
    select m.profile_code as profile, b.code, count(*)::int as people, (sum(count(*)) over (partition by b.code))::int as everywhere
    from ${selectMembers(ctx, buildId)} cross join unnest(v.products) b(code)
    group by 1, 2 order by 1, 3 desc, 2`.execute(ctx.db)
  const products = new Map<string, ProfileProductShare[]>()
  for (const { profile, code, people, everywhere } of rows) {
    const size = sizes.get(profile)
    if (size === undefined) continue
    const listed = products.get(profile) ?? []
    products.set(profile, listed)
    if (listed.length < MAX_PRODUCTS)
      listed.push({ code, share: toSharePercent(people, size), lift: computeLift(people, size, everywhere, population) })
  }
  return products
}
