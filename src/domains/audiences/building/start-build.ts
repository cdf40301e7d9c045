import { type Selectable, sql } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import type { Tables } from '../../../kernel/columns.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { conflict } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { enqueueJob, getJob } from '../../../kernel/jobs.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import type { PrefetchContext } from '../../../kernel/tool.ts'
import { buildFeatureVectorsSql } from '../features/read-vectors.ts'
import { type ProfileBuildOptions, type ProfileBuildRequest, toProfileBuildOptions } from '../options.ts'
import { AUDIENCE_BUILD_STATES } from '../states.ts'
import { buildProfilesJob, listUnmatchedRuleWarnings } from './build-job.ts'
import { CLUSTERING_VERSION, prepareProfileBuild } from './prepare.ts'
import { type FeatureStatistics, countFeatureLevels, readFeaturePatterns } from './stage.ts'

type BuildRow = Selectable<Tables['audience_builds']>

/** A preview of the data that a build of audience profiles would read. */
export interface ProfileBuildPreview {
  population: number
  features: Omit<FeatureStatistics, 'isPersonal'>[]
  patterns: number
  warnings: string[]
}

/** For a dry run, reads the data from which the profiles would be built. A real call reads the data in its background job. */
export async function previewProfileBuild(
  ctx: PrefetchContext<EventContext>,
  request: ProfileBuildRequest,
): Promise<ProfileBuildPreview | null> {
  if (!ctx.isDryRun) return null
  const options = toProfileBuildOptions(request)
  const { event, features, weights, rules } = await prepareProfileBuild(ctx, options)
  const source = sql`(${buildFeatureVectorsSql(ctx, event, features, rules)})`
  const measured = await countFeatureLevels(ctx, source, features, weights, rules.length)
  const { total } = await readFeaturePatterns(ctx, source, measured.features, 1)
  const names = options.rules.map(({ name }) => name)
  return {
    population: measured.population,
    features: measured.features.map(({ isPersonal: _hides, ...feature }) => feature),
    patterns: total,
    warnings: listUnmatchedRuleWarnings(names, measured),
  }
}

/** Starts the background job that calculates the audience profiles. Only one such build can be active at an event. */
export async function startProfileBuild(
  ctx: EventContext,
  request: ProfileBuildRequest,
): Promise<{ jobId: string; buildId: string; status: 'queued' }> {
  const options = toProfileBuildOptions(request)
  await prepareProfileBuild(ctx, options)
  return storeAndQueueProfileBuild(ctx, options)
}

/** Stores a build of audience profiles, whose options were checked, and enqueues its background job. */
export async function storeAndQueueProfileBuild(
  ctx: EventContext,
  options: ProfileBuildOptions,
): Promise<{ jobId: string; buildId: string; status: 'queued' }> {
  await failAbandonedBuild(ctx)
  const id = newId()
  const inserted = await ctx.db
    .insertInto('audience_builds')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      options: JSON.stringify(options),
      algorithm_version: CLUSTERING_VERSION,
    })
    .onConflict((c) =>
      c
        .columns(['tenant_id', 'event_id'])
        // The states are written as literals, because the predicate of a partial index does not match parameters.
        .where(sql<boolean>`status in ('queued', 'running')`)
        .doNothing(),
    )
    .returning('id')
    .executeTakeFirst()
  if (!inserted) {
    const active = await findActiveProfileBuild(ctx)
    throw conflict(`The build ${active?.id ?? ''} of audience profiles is still running. Wait until it has finished.`, {
      fix: { say: 'get_audience_profile shows the profiles once the build is done' },
    })
  }
  const { jobId, status } = await enqueueJob(ctx, buildProfilesJob, { buildId: id }, { eventId: ctx.event.id })
  await eventDb(ctx).updateTable('audience_builds').set({ job_id: jobId }).where('id', '=', id).execute()
  const { rules, ...rest } = options
  recordChange(ctx, { kind: 'audienceBuild', id, after: { ...rest, rules: rules.map(({ name }) => name) } })
  return { jobId, buildId: id, status }
}

export const findActiveProfileBuild = (ctx: EventContext): Promise<BuildRow | undefined> =>
  eventDb(ctx).selectFrom('audience_builds').selectAll().where('status', 'in', ['queued', 'running']).executeTakeFirst()

/**
 * Marks a build of audience profiles as failed if its background job was given up or cancelled, because an active build blocks new builds.
 */
async function failAbandonedBuild(ctx: EventContext): Promise<void> {
  const active = await findActiveProfileBuild(ctx)
  if (!active?.job_id) return
  const { status } = await getJob(ctx, { jobId: active.job_id, name: buildProfilesJob.name, eventId: ctx.event.id })
  if (status !== 'failed') return
  await changeRecordState(ctx, AUDIENCE_BUILD_STATES, active, 'failed', {
    columns: { error: 'The calculation was stopped', finished_at: sql`lanyard_now()` },
  })
}
