import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../kernel/columns.ts'
import type { EventScope } from '../../../kernel/scoped-db.ts'
import type { FeatureLevelPattern } from '../clustering/k-modes.ts'
import type { EventDataForProfiles } from '../features/compiled-event.ts'
import type { ProfileFeature } from '../features/feature-list.ts'
import { type ProfileRuleConditions, buildFeatureVectorsSql } from '../features/read-vectors.ts'

/** Maximum number of patterns (combinations of feature levels) that are clustered. All others then join the nearest cluster. */
export const MAX_CLUSTERED_FEATURE_PATTERNS = 20_000
/** A feature whose most frequent level has more than this percentage of people does not distinguish people, and is not used. */
const MAX_TOP_PERCENT = 97

export interface FeatureStatistics {
  name: string
  /** The number of different levels of the feature. */
  levels: number
  /** The percentage of people with the most common level of the feature. */
  topShare: number
  used: boolean
  /** Whether this feature of the clustering contains personal answers, so that fewer than five people with one value are not shown. */
  isPersonal?: true
}

/**
 * SQL of a relation with the columns `rule` and `levels`: either the participants stored for a build, or a subquery that reads them from
 * the event.
 */
export type FeatureVectorSourceSql = RawBuilder<unknown>

export type ProfileBuildScope = EventScope & { db: Db }

/** SQL condition: the feature vector (alias `v`) was stored for this calculation (build) of the audience profiles. */
export const buildFeatureVectorCondition = ({ tenantId, event }: EventScope, buildId: string): RawBuilder<unknown> =>
  sql`v.tenant_id = ${tenantId} and v.event_id = ${event.id} and v.build_id = ${buildId}`

/** SQL: the feature vectors that were stored for one calculation (build) of the audience profiles. */
export const buildStoredFeatureVectorsSql = (ctx: EventScope, buildId: string): FeatureVectorSourceSql =>
  sql`(select v.rule, v.levels from audience_vectors v where ${buildFeatureVectorCondition(ctx, buildId)})`

/** Stores the feature vector of each profiled participant. The profiles are then calculated from these vectors. */
export async function storeFeatureVectors(
  ctx: ProfileBuildScope,
  buildId: string,
  { event, features, rules }: { event: EventDataForProfiles; features: readonly ProfileFeature[]; rules: ProfileRuleConditions },
): Promise<void> {
  await sql`
    insert into audience_vectors (tenant_id, event_id, build_id, participant_id, rule, levels, net, lead_days, leads, attended, products)
    select ${ctx.tenantId}, ${ctx.event.id}, ${buildId}, v.participant_id, v.rule, v.levels, v.net, v.lead_days, v.leads, v.attended, v.products
    from (${buildFeatureVectorsSql(ctx, event, features, rules)}) v`.execute(ctx.db)
}

export interface PopulationStatistics {
  population: number
  features: FeatureStatistics[]
  /** For each profile rule, the number of people who match it and no earlier rule. */
  ruleSizes: number[]
}

/** Counts the people at each level (value) of every feature, and decides which features are used. */
export async function countFeatureLevels(
  { db }: ProfileBuildScope,
  source: FeatureVectorSourceSql,
  features: readonly ProfileFeature[],
  weights: readonly number[],
  rules: number,
): Promise<PopulationStatistics> {
  const { rows } = await sql<{ rule: number | null; position: number | null; levels: number; people: number }>`
    with patterns as materialized (select v.rule, v.levels, count(*)::int as people from ${source} v group by 1, 2),
    counted as (
      select u.position, u.level, sum(p.people)::int as people from patterns p cross join unnest(p.levels) with ordinality u(level, position) group by 1, 2)
    select null::int as rule, position::int, count(*)::int as levels, max(people)::int as people from counted group by 2
    union all
    select coalesce(rule, 0), null, 0, sum(people)::int from patterns group by 1`.execute(db)
  const sizes = new Map(rows.filter(({ rule }) => rule !== null).map(({ rule, people }) => [rule!, people]))
  const population = [...sizes.values()].reduce((sum, people) => sum + people, 0)
  const measured = new Map(rows.filter(({ position }) => position !== null).map((row) => [row.position!, row]))
  return {
    population,
    features: features.map(({ name, isPersonal }, index) => {
      const { levels = 0, people = 0 } = measured.get(index + 1) ?? {}
      return {
        name,
        levels,
        topShare: population === 0 ? 0 : Math.round((1000 * people) / population) / 10,
        used: weights[index]! > 0 && levels > 1 && people * 100 <= population * MAX_TOP_PERCENT,
        ...(isPersonal ? { isPersonal } : {}),
      }
    }),
    ruleSizes: Array.from({ length: rules }, (_, index) => sizes.get(index + 1) ?? 0),
  }
}

/** SQL: the levels (values) in a feature vector for the features that are used, in the order of `features`. */
export const buildUsedFeatureLevelsSql = (features: readonly FeatureStatistics[], alias: string): RawBuilder<string[]> => {
  const used = features.flatMap((feature, index) => (feature.used ? [sql`${sql.ref(`${alias}.levels`)}[${sql.lit(index + 1)}]`] : []))
  return sql`array[${sql.join(used)}]::text[]`
}

/**
 * Reads the patterns (combinations of feature levels) of people who match no rule, the most frequent first, and the number of all patterns.
 */
export async function readFeaturePatterns(
  { db }: ProfileBuildScope,
  source: FeatureVectorSourceSql,
  features: readonly FeatureStatistics[],
  limit = MAX_CLUSTERED_FEATURE_PATTERNS,
): Promise<{ patterns: FeatureLevelPattern[]; total: number }> {
  const { rows } = await sql<FeatureLevelPattern & { total: number }>`
    select g.levels, g.people, count(*) over ()::int as total from (
      select ${buildUsedFeatureLevelsSql(features, 'v')} as levels, count(*)::int as people from ${source} v where v.rule is null group by 1) g
    order by g.people desc, g.levels collate "C" limit ${limit}`.execute(db)
  return { patterns: rows.map(({ levels, people }) => ({ levels, people })), total: rows[0]?.total ?? 0 }
}

/** SQL: the answers of participants to questions of the type NPS that do not ask for personal data. */
export const buildNpsAnswersSql = ({ tenantId, event }: EventScope): RawBuilder<unknown> => sql`
  select r.participant_id, a.question_code, a.nps from survey_answers a
    join survey_responses r on r.tenant_id = a.tenant_id and r.event_id = a.event_id and r.id = a.response_id
  where a.tenant_id = ${tenantId} and a.event_id = ${event.id} and a.nps is not null and not a.is_personal and r.status = 'complete' and r.participant_id is not null
    and not r.is_test_data`

/** Computes a digest of the data from which profiles are made. The order of the rows does not affect the digest. */
export async function hashProfileBuildData(ctx: ProfileBuildScope, buildId: string): Promise<string> {
  const row = sql`concat_ws('|', v.participant_id, coalesce(v.rule, 0), array_to_string(v.levels, ','), v.net, coalesce(v.lead_days, -1), v.leads, v.attended,
    array_to_string(v.products, ','))`
  const answer = sql`concat_ws('|', n.participant_id, n.question_code, n.nps)`
  const { rows } = await sql<{ digest: string }>`
    select concat_ws('-', (select concat_ws('-', count(*), sum(hashtextextended(${answer}, 0)::numeric)) from (${buildNpsAnswersSql(ctx)}) n), count(*), coalesce(sum(hashtextextended(${row}, 0)::numeric), 0), coalesce(sum(hashtextextended(${row}, 1)::numeric), 0)) as digest
    from audience_vectors v where ${buildFeatureVectorCondition(ctx, buildId)}`.execute(ctx.db)
  return rows[0]!.digest
}
