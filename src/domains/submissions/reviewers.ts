import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { runTaskCooperatively } from '../../kernel/cooperative.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { invalidArguments, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { findCompanyDomain } from '../../kernel/free-mail.ts'
import { recordChange } from '../../kernel/audit.ts'
import { splitIntoInsertBatches } from '../../kernel/insert-batches.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { hasRoleAtEvent, listPeopleWithPermission } from '../access/event-people.ts'
import { requireTrack } from '../sessions/speaker-list.ts'
import { assignReviewers, type SubmissionNeedingReviewers } from './assign-reviewers.ts'
import { SUBMISSION_STATES } from './states.ts'
import { lockSubmissions, readSubmissionConfig } from './submissions.ts'
import type { SubmissionRow } from './tables.ts'

interface ReviewerPerson {
  userId: string
  name: string
  email: string
  /** The companies that the reviewer works for, as entered in their registration or speaker record. */
  companies: ReadonlySet<string>
}

const foldCompany = (company: string) => company.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()

/** Lists the reviewers, who are the users with permission to change the programme. */
async function listReviewers(ctx: EventContext, ids?: readonly string[]): Promise<ReviewerPerson[]> {
  const people = (await listPeopleWithPermission(ctx, 'sessions.write')).filter(({ userId }) => ids?.includes(userId) ?? true)
  const unknown = ids?.filter((id) => people.every(({ userId }) => userId !== id)) ?? []
  for (const id of unknown)
    if (!(await hasRoleAtEvent(ctx, id))) throw notFound(`No user ${id} at this event. Use list_event_staff to list users with their ids.`)
  if (unknown.length > 0)
    throw invalidArguments(
      unknown.map((id) => ({
        path: 'reviewerIds',
        message: `${id} cannot review: reviewers need the sessions.write permission at this event`,
      })),
    )
  const emails = people.map(({ email }) => foldEmailCase(email))
  const { rows } = await sql<{ email: string; company: string }>`
    select email_norm as email, company from speakers where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id}
      and email_norm = any(${emails}) and company is not null
    union all
    select email_norm, company from participants where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id}
      and email_norm = any(${emails}) and company is not null`.execute(ctx.db)
  return people.map((person) => ({
    ...person,
    companies: new Set(rows.filter(({ email }) => email === foldEmailCase(person.email)).map(({ company }) => foldCompany(company))),
  }))
}

interface Author {
  submissionId: string
  email: string
  company: string | null
}

/** Returns the conflict of interest of a reviewer with a submission; null if there is none. */
function findConflict(reviewer: ReviewerPerson, authors: readonly Author[]): string | null {
  const domain = findCompanyDomain(reviewer.email)
  for (const { email, company } of authors) {
    if (foldEmailCase(email) === foldEmailCase(reviewer.email)) return 'the reviewer is a speaker of it'
    if (company !== null && reviewer.companies.has(foldCompany(company))) return 'a speaker works at the same company'
    if (domain !== null && findCompanyDomain(email) === domain) return 'a speaker has an address at the same domain'
  }
  return null
}

async function listAuthors(ctx: EventContext, submissionIds: readonly string[]): Promise<Map<string, Author[]>> {
  const { rows } = await sql<Author>`
    select x.submission_id as "submissionId", p.email, p.company from submission_speakers x
    join speakers p on p.tenant_id = x.tenant_id and p.event_id = x.event_id and p.id = x.speaker_id
    where x.tenant_id = ${ctx.tenantId} and x.event_id = ${ctx.event.id} and x.submission_id = any(${submissionIds})`.execute(ctx.db)
  return Map.groupBy(rows, ({ submissionId }) => submissionId)
}

/** Throws if the user has a conflict of interest with the submission. */
export async function refuseConflictOfInterest(ctx: EventContext, row: SubmissionRow): Promise<void> {
  const [reviewer] = await listReviewers(ctx, [ctx.actor.id])
  const conflict = findConflict(reviewer!, (await listAuthors(ctx, [row.id])).get(row.id) ?? [])
  if (conflict !== null) throw preconditionFailed(`You cannot review ${row.number}: ${conflict}. File the review with recused instead.`)
}

interface AssignRequest {
  numbers?: readonly string[] | undefined
  trackCode?: string | undefined
  reviewerIds?: readonly string[] | undefined
  perSubmission?: number | undefined
}

/**
 * Assigns reviewers to submissions that have fewer than wanted. Existing assignments stay. If a track and reviewers are given, the track is
 * added to the tracks of these reviewers.
 */
export async function assignReviewersToSubmissions(ctx: EventContext, { numbers, trackCode, reviewerIds, perSubmission }: AssignRequest) {
  if ((numbers === undefined) === (trackCode === undefined))
    throw invalidArguments(['numbers', 'trackCode'].map((path) => ({ path, message: 'pass either numbers or trackCode' })))
  if (trackCode !== undefined) await requireTrack(ctx, trackCode)
  const { config } = await readSubmissionConfig(ctx)
  const wanted = perSubmission ?? config.sessions.reviewsPerSubmission
  const reviewers = await listReviewers(ctx, reviewerIds)
  if (trackCode !== undefined && reviewerIds) await addTracks(ctx, trackCode, reviewerIds)
  const rows = await lockSubmissions(ctx, numbers ?? (await listNumbersOfTrack(ctx, trackCode!)))
  const closed = rows.filter(({ status }) => status !== 'submitted' && status !== 'under_review')
  if (closed.length > 0)
    throw preconditionFailed(
      `Cannot assign reviewers to ${closed.map(({ number, status }) => `${number} (${status})`).join(', ')}: only submitted and under_review submissions are reviewed.`,
    )
  const { pairs, unassignable } = await solve(ctx, rows, reviewers, wanted)
  await savePairs(ctx, rows, pairs)
  const loads = new Map(reviewers.map(({ userId, name }) => [userId, { reviewerId: userId, name, load: 0 }]))
  for (const { reviewerId, count } of await readLoads(ctx)) if (loads.has(reviewerId)) loads.get(reviewerId)!.load = count
  const numberOf = new Map(rows.map(({ id, number }) => [id, number]))
  return { assigned: pairs.length, load: [...loads.values()], unassignable: unassignable.map((id) => numberOf.get(id)!) }
}

async function addTracks(ctx: EventContext, trackCode: string, reviewerIds: readonly string[]): Promise<void> {
  const at = { tenant_id: ctx.tenantId, event_id: ctx.event.id, track_code: trackCode }
  if (reviewerIds.length === 0) return
  await ctx.db
    .insertInto('reviewer_tracks')
    .values([...new Set(reviewerIds)].map((reviewerId) => ({ ...at, reviewer_id: reviewerId })))
    .onConflict((c) => c.doNothing())
    .execute()
}

async function listNumbersOfTrack(ctx: EventContext, trackCode: string): Promise<string[]> {
  const rows = await eventDb(ctx)
    .selectFrom('submissions')
    .select('number')
    .where('status', 'in', ['submitted', 'under_review'])
    .where(sql<string>`coalesce(decided_track_code, track_code)`, '=', trackCode)
    .execute()
  return rows.map(({ number }) => number)
}

/** Counts the submissions that each reviewer is assigned to, with and without a filed review. */
async function readLoads(ctx: EventContext): Promise<{ reviewerId: string; count: number }[]> {
  return eventDb(ctx)
    .selectFrom('submission_reviewers')
    .select(['reviewer_id as reviewerId', sql<number>`count(*)::int`.as('count')])
    .groupBy('reviewer_id')
    .execute()
}

async function solve(ctx: EventContext, rows: readonly SubmissionRow[], reviewers: readonly ReviewerPerson[], wanted: number) {
  const ids = rows.map(({ id }) => id)
  const authors = await listAuthors(ctx, ids)
  const { rows: taken } = await sql<{ submissionId: string; reviewerId: string; recused: boolean }>`
    select a.submission_id as "submissionId", a.reviewer_id as "reviewerId", coalesce(r.recused, false) as recused
    from submission_reviewers a
    left join submission_reviews r on r.tenant_id = a.tenant_id and r.event_id = a.event_id and r.submission_id = a.submission_id
      and r.reviewer_id = a.reviewer_id
    where a.tenant_id = ${ctx.tenantId} and a.event_id = ${ctx.event.id} and a.submission_id = any(${ids})`.execute(ctx.db)
  const takenBy = Map.groupBy(taken, ({ submissionId }) => submissionId)
  const tasks = rows.map((row): SubmissionNeedingReviewers => {
    const known = takenBy.get(row.id) ?? []
    const conflicted = reviewers.filter((reviewer) => findConflict(reviewer, authors.get(row.id) ?? []) !== null)
    return {
      id: row.id,
      // A recused reviewer does not count, so that another reviewer is assigned.
      wanted: Math.max(0, wanted - known.filter(({ recused }) => !recused).length),
      trackCode: row.decided_track_code ?? row.track_code,
      excluded: new Set([...known.map(({ reviewerId }) => reviewerId), ...conflicted.map(({ userId }) => userId)]),
    }
  })
  const tracks = await eventDb(ctx).selectFrom('reviewer_tracks').select(['reviewer_id', 'track_code']).execute()
  const loads = new Map((await readLoads(ctx)).map(({ reviewerId, count }) => [reviewerId, count]))
  const people = reviewers.map(({ userId }) => ({
    id: userId,
    tracks: new Set(tracks.filter(({ reviewer_id }) => reviewer_id === userId).map(({ track_code }) => track_code)),
    load: loads.get(userId) ?? 0,
  }))
  return runTaskCooperatively(assignReviewers(tasks, people))
}

async function savePairs(
  ctx: EventContext,
  rows: readonly SubmissionRow[],
  pairs: readonly { submissionId: string; reviewerId: string }[],
): Promise<void> {
  const at = { tenant_id: ctx.tenantId, event_id: ctx.event.id }
  const values = pairs.map(({ submissionId, reviewerId }) => ({ ...at, submission_id: submissionId, reviewer_id: reviewerId }))
  for (const batch of splitIntoInsertBatches(values))
    await ctx.db
      .insertInto('submission_reviewers')
      .values(batch)
      .onConflict((c) => c.doNothing())
      .execute()
  const byId = Map.groupBy(pairs, ({ submissionId }) => submissionId)
  for (const row of rows) {
    const assigned = byId.get(row.id)?.map(({ reviewerId }) => reviewerId)
    if (!assigned) continue
    if (row.status === 'submitted')
      await changeRecordState(ctx, SUBMISSION_STATES, row, 'under_review', { audited: { reviewers: assigned } })
    else recordChange(ctx, { kind: 'submission', id: row.id, after: { reviewers: assigned } })
  }
}
