import { sql } from 'kysely'
import { z } from 'zod'
import { id } from '../../../kernel/args.ts'
import { hashCanonicalJson } from '../../../kernel/canonical.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { runTaskCooperatively } from '../../../kernel/cooperative.ts'
import { AppError } from '../../../kernel/errors.ts'
import { defineJob, type JobRunContext } from '../../../kernel/jobs.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import { chooseClusters, MAX_CLUSTERS } from '../clustering/choose-clusters.ts'
import { type FeatureLevelPattern, runKModes, toFeatureLevelNames, toPatternTable } from '../clustering/k-modes.ts'
import type { ProfileFeature } from '../features/feature-list.ts'
import type { ProfileBuildOptions } from '../options.ts'
import { AUDIENCE_BUILD_STATES } from '../states.ts'
import { CLUSTERING_VERSION, prepareProfileBuild } from './prepare.ts'
import { type ClusteringResult, publishProfiles } from './publish-profiles.ts'
import {
  hashProfileBuildData,
  type PopulationStatistics,
  countFeatureLevels,
  readFeaturePatterns,
  buildStoredFeatureVectorsSql,
  storeFeatureVectors,
} from './stage.ts'

/** Progress stages of building profiles: reading, clustering (one stage for each number of clusters, starting with 2), and writing. */
const STAGES = MAX_CLUSTERS + 1

/** Statements over a million participants need a longer timeout than the statements of tool calls. */
const STEP_TIMEOUT_MS = 120_000
/** Memory for sorting and hashing. With the usual 4 MB, rows of a million participants would be written to temporary files. */
const STEP_MEMORY = '64MB'

/** Calculates the audience profiles of an event. The current profiles stay visible until the new ones replace them in one transaction. */
export const buildProfilesJob = defineJob({
  name: 'audience-profiles',
  scope: 'event',
  exclusivePerEvent: true,
  input: z.object({ buildId: id() }),
  run: (job, { buildId }) => runBuild(job, buildId),
})

async function runBuild(job: JobRunContext<'event'>, buildId: string): Promise<{ buildId: string; status: string }> {
  const options = await job.step((ctx) => openBuild(ctx, buildId))
  if (options === null) return { buildId, status: 'ended' }
  await job.progress(0, STAGES)
  let staged: StagedBuild
  try {
    staged = await job.step((ctx) => stageBuild(ctx, buildId, options))
  } catch (error) {
    // A field from which profiles should be built was removed or became sensitive, so a retry cannot succeed.
    if (!(error instanceof AppError)) throw error
    await job.step((ctx) => failBuild(ctx, buildId, error))
    return { buildId, status: 'failed' }
  }
  await job.progress(1, STAGES)
  if (staged.served !== null) {
    await job.step((ctx) => endUnchanged(ctx, buildId, staged))
    await job.progress(STAGES, STAGES)
    return { buildId: staged.served, status: 'unchanged' }
  }
  const found = await cluster(job, staged, options)
  await job.step((ctx) => finishBuild(ctx, { buildId, options, staged, found }))
  await job.progress(STAGES, STAGES)
  return { buildId, status: 'done' }
}

const selectBuild = (ctx: EventContext, buildId: string) => eventDb(ctx).selectFrom('audience_builds').selectAll().where('id', '=', buildId)

/**
 * Marks a build of audience profiles as running. Returns null if the build has ended. A build that is already running was interrupted, and
 * starts again.
 */
async function openBuild(ctx: EventContext, buildId: string): Promise<ProfileBuildOptions | null> {
  const build = await selectBuild(ctx, buildId).executeTakeFirst()
  if (!build || AUDIENCE_BUILD_STATES.terminal.includes(build.status)) return null
  if (build.status === 'queued')
    await changeRecordState(ctx, AUDIENCE_BUILD_STATES, build, 'running', { columns: { started_at: sql`lanyard_now()` } })
  return build.options
}

interface StagedBuild extends PopulationStatistics {
  asOf: Date
  /** All features that audience profiles consist of, with their labels at the time when the participants were read. */
  described: ProfileFeature[]
  /** The weights of the features that the clustering uses. */
  weights: number[]
  patterns: FeatureLevelPattern[]
  totalPatterns: number
  inputHash: string
  /** The id of the build whose profiles are visible now, if they were made from the same data and options; otherwise null. */
  served: string | null
}

/**
 * Prepares the transaction for statements over all participants. Nested loops are avoided, because the planner has no statistics of rows
 * that were just written, and would compare each of a million rows with each other.
 */
async function allowLongStatements({ db }: EventContext): Promise<void> {
  await sql`set local statement_timeout = ${sql.lit(STEP_TIMEOUT_MS)}`.execute(db)
  await sql`set local enable_nestloop = off`.execute(db)
  await sql`set local work_mem = ${sql.lit(STEP_MEMORY)}`.execute(db)
}

/** Deletes the participants' feature vectors, which are needed only while profiles are built, also those left by failed builds. */
const removeVectors = (ctx: EventContext) => eventDb(ctx).deleteFrom('audience_vectors').execute()

async function stageBuild(ctx: EventContext, buildId: string, options: ProfileBuildOptions): Promise<StagedBuild> {
  await allowLongStatements(ctx)
  await removeVectors(ctx)
  const prepared = await prepareProfileBuild(ctx, options)
  await storeFeatureVectors(ctx, buildId, prepared)
  // Updates the planner statistics, so that later statements are planned for the new number of rows.
  await sql`analyze audience_vectors`.execute(ctx.db)
  const source = buildStoredFeatureVectorsSql(ctx, buildId)
  const measured = await countFeatureLevels(ctx, source, prepared.features, prepared.weights, options.rules.length)
  const { patterns, total } = await readFeaturePatterns(ctx, source, measured.features)
  const data = await hashProfileBuildData(ctx, buildId)
  const inputHash = hashCanonicalJson({ algorithm: CLUSTERING_VERSION, options, features: measured.features, data }).toString('hex')
  const served = await eventDb(ctx).selectFrom('audience_builds').select(['id', 'input_hash']).where('served', '=', true).executeTakeFirst()
  return {
    ...measured,
    asOf: prepared.event.now,
    described: prepared.features,
    weights: prepared.weights.filter((_, index) => measured.features[index]!.used),
    patterns,
    totalPatterns: total,
    inputHash,
    served: served?.input_hash === inputHash ? served.id : null,
  }
}

interface FoundClusters extends ClusteringResult {
  k: number
  silhouette: number | null
}

async function cluster(
  job: JobRunContext<'event'>,
  { patterns, weights }: StagedBuild,
  { k, minSize }: ProfileBuildOptions,
): Promise<FoundClusters> {
  const table = toPatternTable(patterns, weights)
  let tried = 1
  // A failed progress report is ignored, because the next report replaces it.
  const report = () => void job.progress(Math.min(++tried, STAGES - 1), STAGES).catch(() => {})
  const chosen = await runTaskCooperatively(chooseClusters(table, { k: k ?? undefined, minSize: minSize ?? undefined }, report))
  const clusters = chosen?.clusters ?? (await runTaskCooperatively(runKModes(table, table.count === 0 ? [] : [0])))
  const modes = table.count === 0 ? [[]] : clusters.modes.map((mode) => toFeatureLevelNames(table, mode))
  return { modes, weights: table.weights, k: chosen?.k ?? Math.min(1, table.count), silhouette: chosen?.silhouette ?? null }
}

/** Ends a build of audience profiles as `unchanged`, because the visible profiles were made from the same data and options. */
async function endUnchanged(ctx: EventContext, buildId: string, { asOf, inputHash, population, features }: StagedBuild): Promise<void> {
  const build = await selectBuild(ctx, buildId).executeTakeFirst()
  if (build?.status !== 'running') return
  await removeVectors(ctx)
  await changeRecordState(ctx, AUDIENCE_BUILD_STATES, build, 'unchanged', {
    columns: { as_of: asOf, input_hash: inputHash, population, features: JSON.stringify(features), finished_at: sql`lanyard_now()` },
  })
}

async function failBuild(ctx: EventContext, buildId: string, { message }: AppError): Promise<void> {
  const build = await selectBuild(ctx, buildId).executeTakeFirst()
  if (build?.status !== 'running') return
  await changeRecordState(ctx, AUDIENCE_BUILD_STATES, build, 'failed', { columns: { error: message, finished_at: sql`lanyard_now()` } })
}

async function finishBuild(
  ctx: EventContext,
  { buildId, options, staged, found }: { buildId: string; options: ProfileBuildOptions; staged: StagedBuild; found: FoundClusters },
): Promise<void> {
  await allowLongStatements(ctx)
  const build = await selectBuild(ctx, buildId).executeTakeFirst()
  if (build?.status !== 'running') return
  const rules = options.rules.map(({ name }) => name)
  const { profiles } = await publishProfiles(ctx, {
    buildId,
    features: staged.described,
    measured: staged.features,
    rules,
    found,
    currency: ctx.event.currency,
  })
  await removeVectors(ctx)
  await changeRecordState(ctx, AUDIENCE_BUILD_STATES, build, 'done', {
    columns: {
      served: true,
      as_of: staged.asOf,
      population: staged.population,
      patterns: staged.totalPatterns,
      k: found.k,
      silhouette: found.silhouette,
      features: JSON.stringify(staged.features),
      warnings: listUnmatchedRuleWarnings(rules, staged),
      input_hash: staged.inputHash,
      finished_at: sql`lanyard_now()`,
    },
    audited: { population: staged.population, profiles },
  })
}

/**
 * Warns about profile rules of the organizer that match no participant. They are not errors, because matching people may still register.
 */
export const listUnmatchedRuleWarnings = (rules: readonly string[], { ruleSizes }: Pick<PopulationStatistics, 'ruleSizes'>): string[] =>
  rules
    .filter((_, index) => ruleSizes[index] === 0)
    .map((name) => `The rule ${name} has no participants: none match it, or all match an earlier rule.`)
