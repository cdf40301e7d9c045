import { type Selectable, sql } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import type { EventContext } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { getJob } from '../../kernel/jobs.ts'
import { decryptCursor, readPage } from '../../kernel/page.ts'
import { eventDb, joinRowsOfSameEvent } from '../../kernel/scoped-db.ts'
import { formatInstant } from '../../kernel/time.ts'
import { buildProfilesJob } from './building/build-job.ts'
import { compareProfiles, toSharePercent } from './building/describe-profiles.ts'
import { readProfileFreshness } from './freshness.ts'
import type { AudienceBuildStatus } from './states.ts'

interface ProfileQuery {
  /** The code or name of an audience profile (a group of similar participants). */
  profile?: string | undefined
  includeMembers?: boolean | undefined
  /** The code or name of a second audience profile to compare with. */
  compare?: string | undefined
  limit: number
  cursor?: string | undefined
}

type BuildRow = Selectable<Tables['audience_builds']>
type ProfileRow = Selectable<Tables['audience_profiles']>

const NO_BUILD = 'This event has no audience profiles yet — start rebuild_audience_profiles'

/** Returns all audience profiles of an event, or one profile with its members, or a comparison of two. */
export async function getAudienceProfiles(ctx: EventContext, query: ProfileQuery) {
  if (query.cursor !== undefined) decryptCursor(ctx, query.cursor)
  const build = await getBuild(ctx)
  const rows = await listProfileRows(ctx, build.id)
  const one = query.profile === undefined ? null : getProfile(rows, query.profile)
  const other = query.compare === undefined ? null : getProfile(rows, query.compare)
  const shown = rows.filter((row) => one === null || row === one || row === other)
  const members = query.includeMembers && one ? await listMembers(ctx, build.id, one.code, query) : null
  return {
    build,
    profiles: shown.map((row) => ({
      ...toProfile(row, build.population),
      ...(members && row === one ? { members: members.items } : {}),
    })),
    ...(one && other ? { difference: await describeDifference(ctx, build.id, one, other) } : {}),
    nextCursor: members?.nextCursor ?? null,
    ...(members?.truncated ? { truncated: members.truncated, note: members.note } : {}),
  }
}

const listProfileRows = (ctx: EventContext, buildId: string): Promise<ProfileRow[]> =>
  eventDb(ctx)
    .selectFrom('audience_profiles')
    .selectAll()
    .where('build_id', '=', buildId)
    .orderBy(sql`substr(code, 2)::int`)
    .execute()

function getProfile(rows: readonly ProfileRow[], named: string): ProfileRow {
  const wanted = named.trim().toLowerCase()
  const found = rows.find(({ code, name }) => code === wanted || name.toLowerCase() === wanted)
  if (found) return found
  const listed = rows.map(({ code, name }) => `${code} (${name})`).join(', ')
  throw notFound(`No audience profile ${JSON.stringify(named.slice(0, 80))} — there are ${listed}`)
}

interface LatestState {
  status: AudienceBuildStatus
  progress?: { done: number; total: number | null }
  error?: string
}

/**
 * Finds the build of the visible audience profiles, and the state of the latest build, which may be running or may have changed nothing.
 */
async function findBuilds(ctx: EventContext): Promise<{ served: BuildRow | null; latest: BuildRow | null; state: LatestState }> {
  const builds = await eventDb(ctx)
    .selectFrom('audience_builds')
    .selectAll()
    .where((eb) => eb.or([eb('served', '=', true), eb('status', '<>', 'done')]))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  const served = builds.find((build) => build.served) ?? null
  const latest = builds[0] ?? null
  return { served, latest, state: latest && latest !== served ? await describeState(ctx, latest) : { status: 'done' } }
}

async function getBuild(ctx: EventContext) {
  const { served, latest, state } = await findBuilds(ctx)
  if (!served) throw notFound(describeMissing(latest, state))
  return describeBuild(ctx, served, state)
}

async function describeBuild(ctx: EventContext, served: BuildRow, state: LatestState) {
  const { stale, unassigned } = (await readProfileFreshness(ctx))!
  return {
    id: served.id,
    ...state,
    asOf: formatInstant(served.as_of!),
    algorithmVersion: served.algorithm_version,
    population: served.population!,
    k: served.k!,
    silhouette: served.silhouette === null ? null : Math.round(served.silhouette * 1000) / 1000,
    stale,
    unassigned,
    dropped: served.features.filter(({ used }) => !used).map(({ name, topShare }) => ({ feature: name, topShare })),
    ...(served.warnings.length > 0 ? { warnings: served.warnings } : {}),
  }
}

/**
 * Reads all audience profiles for the console, with display texts of their traits. Before the first profiles exist, returns the state of
 * the job that builds them.
 */
export async function readAudiencePage(ctx: EventContext) {
  const { served, latest, state } = await findBuilds(ctx)
  if (!served) return { build: null, state: latest ? state : null, profiles: [] }
  const build = await describeBuild(ctx, served, state)
  const rows = await listProfileRows(ctx, served.id)
  return { build, state, profiles: rows.map((row) => ({ ...toProfile(row, build.population), traits: row.traits })) }
}

function describeMissing(latest: BuildRow | null, { status, error }: LatestState): string {
  if (!latest) return NO_BUILD
  if (status === 'failed') return `The first build failed${error ? `: ${error}` : ''} — start rebuild_audience_profiles`
  return `The first build ${latest.id} is ${status} — call again when it is done`
}

async function describeState(ctx: EventContext, build: BuildRow): Promise<LatestState> {
  const { status, error, job_id } = build
  if (status !== 'queued' && status !== 'running') return { status, ...(error === null ? {} : { error }) }
  const job = await getJob(ctx, { jobId: job_id!, name: buildProfilesJob.name, eventId: ctx.event.id })
  if (job.status === 'failed') return { status: 'failed' as const, ...(job.error === null ? {} : { error: job.error }) }
  return { status, progress: job.progress }
}

const toProfile = ({ code, name, rule, size, traits, behaviour, products }: ProfileRow, population: number) => ({
  code,
  name,
  ...(rule === null ? {} : { rule }),
  size,
  share: toSharePercent(size, population),
  traits: traits.map(({ label: _words, ...trait }) => trait),
  behaviour,
  products,
})

/** Lists the participants in an audience profile, those most similar to the profile first. */
function listMembers(ctx: EventContext, buildId: string, code: string, { limit, cursor }: ProfileQuery) {
  const distance = sql<number>`coalesce(round(audience_members.distance * 100), 0)::int`
  const rows = eventDb(ctx)
    .selectFrom('audience_members')
    .innerJoin('participants', (join) => joinRowsOfSameEvent(join, 'participants.id', 'audience_members.participant_id'))
    .select([
      'participants.id',
      'participants.first_name',
      'participants.last_name',
      'participants.company',
      'audience_members.distance',
      distance.as('order'),
    ])
    .where('audience_members.build_id', '=', buildId)
    .where('audience_members.profile_code', '=', code)
  return readPage(
    ctx,
    { limit, cursor },
    {
      rows,
      order: [
        { by: distance, type: 'integer', of: (row) => row.order },
        { by: sql`audience_members.participant_id`, type: 'text', of: (row) => row.id },
      ],
      shape: (row) => ({
        id: row.id,
        name: [row.first_name, row.last_name].filter(Boolean).join(' ') || null,
        company: row.company,
        distance: row.distance,
      }),
    },
  )
}

async function describeDifference(ctx: EventContext, buildId: string, one: ProfileRow, other: ProfileRow) {
  const { features } = await eventDb(ctx)
    .selectFrom('audience_builds')
    .select('features')
    .where('id', '=', buildId)
    .executeTakeFirstOrThrow()
  const toGroup = ({ size, levels }: ProfileRow) => ({ size, counts: levels })
  return compareProfiles(
    toGroup(one),
    toGroup(other),
    features.filter(({ used }) => used),
  )
}
