import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { toOneLine, count, list, money, object, oneOf, text, untrustedText } from '../../../kernel/args.ts'
import type { Tables } from '../../../kernel/columns.ts'
import type { EventContext, ResultImage } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { getJob } from '../../../kernel/jobs.ts'
import { toMoney } from '../../../kernel/money.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { formatInstant } from '../../../kernel/time.ts'
import type { ExhibitorQueryContext } from '../context.ts'
import { renderFloorPlan } from '../drawing/picture.ts'
import { toDrawnFloorPlan } from '../drawing/floor-plan-drawing.ts'
import { listBooths } from '../floor/booths.ts'
import { BOOTH_ASSIGNMENT_METHODS } from './problem.ts'
import { proposeAssignmentsJob } from './propose.ts'
import type { StoredProposal } from './stored.ts'

export type ProposalRow = Selectable<Tables['assignment_proposals']>

const Reasons = toOneLine(list(object({ part: text(), points: z.number() })), 'part, points')

export const PROPOSAL_RESULT_FIELDS = {
  proposalId: text(),
  status: oneOf(['queued', 'running', 'done', 'failed']),
  jobId: text().optional(),
  progress: toOneLine(object({ done: count(), total: count().optional() }), 'done, total').optional(),
  method: oneOf(BOOTH_ASSIGNMENT_METHODS),
  assigned: toOneLine(
    list(
      object({
        application: text(),
        company: untrustedText(),
        points: z.number(),
        boothNumbers: list(text()),
        score: z.number(),
        rank: count(1).optional(),
        reasons: Reasons.optional(),
      }),
    ),
    'application, company, points, boothNumbers[], score, rank, reasons[] (part, points)',
  ),
  unassigned: toOneLine(
    list(
      object({
        application: text(),
        company: untrustedText(),
        reason: text(),
        bestRefused: list(object({ booth: text(), why: text() })),
      }),
    ),
    'application, company, reason, bestRefused[] (booth, why)',
  ),
  stats: toOneLine(
    object({
      assigned: count(),
      unassigned: count(),
      firstChoicePercent: z.number(),
      topThreePercent: z.number(),
      net: z.number(),
      revenue: money(),
      competitorViolations: count(),
      score: z.number(),
    }),
    'assigned, firstChoicePercent, topThreePercent, net, revenue, competitorViolations, score',
  ).optional(),
  expiresAt: text(),
  appliedAt: text().optional(),
  note: text().optional(),
}

/**
 * Maximum number of rows shown, so that a large proposal fits into a result. The console and list_booth_applications show the remaining
 * rows.
 */
const MAX_SHOWN = 100
/** Maximum number of rows shown with the reasons for their score, so that a large proposal of booths fits into a result. */
const MAX_WITH_REASONS = 25

export async function getProposal(ctx: ExhibitorQueryContext, proposalId: string): Promise<ProposalRow> {
  const row = await eventDb(ctx)
    .selectFrom('assignment_proposals')
    .selectAll()
    .where('id', '=', proposalId)
    .where('expires_at', '>', sql<Date>`lanyard_now()`)
    .executeTakeFirst()
  if (!row)
    throw notFound(`No proposal ${proposalId} at this event. Make one with propose_booth_assignments; proposals are kept for 30 days`)
  return row
}

/** Returns a proposal (which company gets which booths), or the progress of its calculation. */
export async function showProposal(ctx: EventContext, proposalId: string) {
  const row = await getProposal(ctx, proposalId)
  const head = {
    proposalId,
    method: row.input.method,
    expiresAt: formatInstant(row.expires_at),
    ...(row.applied_at === null ? {} : { appliedAt: formatInstant(row.applied_at) }),
  }
  if (row.result === null) {
    const job = await getJob(ctx, { jobId: row.job_id!, name: proposeAssignmentsJob.name, eventId: ctx.event.id })
    const { done, total } = job.progress
    return {
      ...head,
      status: job.status === 'done' ? ('running' as const) : job.status,
      jobId: row.job_id!,
      progress: { done, ...(total === null ? {} : { total }) },
      assigned: [],
      unassigned: [],
      note: job.status === 'failed' ? 'The calculation failed. Propose again.' : 'Call again with this proposalId to see the result.',
    }
  }
  const names = await readNames(ctx, row.result)
  return { ...head, status: 'done' as const, ...toResult(ctx, row.result, names) }
}

function toResult(ctx: EventContext, { assigned, unassigned, stats }: StoredProposal, names: ReadonlyMap<string, string>) {
  const { revenue, ...figures } = stats
  const isCut = assigned.length > MAX_SHOWN || unassigned.length > MAX_SHOWN
  return {
    assigned: assigned.slice(0, MAX_SHOWN).map(({ applicationNumber, companyId, points, boothNumbers, score, rank, reasons }, index) => ({
      application: applicationNumber,
      company: names.get(companyId) ?? '',
      points,
      boothNumbers,
      score,
      ...(rank === null ? {} : { rank }),
      ...(index < MAX_WITH_REASONS ? { reasons } : {}),
    })),
    unassigned: unassigned.slice(0, MAX_SHOWN).map(({ applicationNumber, companyId, reason, bestRefused }, index) => ({
      application: applicationNumber,
      company: names.get(companyId) ?? '',
      reason,
      bestRefused: index < MAX_WITH_REASONS ? bestRefused : [],
    })),
    stats: { assigned: assigned.length, unassigned: unassigned.length, ...figures, revenue: toMoney(revenue, ctx.event.currency) },
    ...(isCut ? { note: `The first ${MAX_SHOWN} rows of each list are shown; applying uses all.` } : {}),
  }
}

async function readNames(ctx: EventContext, { assigned, unassigned }: StoredProposal): Promise<Map<string, string>> {
  const ids = [...assigned, ...unassigned].map(({ companyId }) => companyId)
  const rows = await eventDb(ctx)
    .selectFrom('companies')
    .select(['id', 'name'])
    .where('id', '=', sql<string>`any(${ids})`)
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

const MAX_PICTURES = 3

/** Draws the floor plans with the companies on their proposed booths. Drawing is slow, so it is done before the transaction. */
export async function drawBoothProposal(ctx: EventContext, result: StoredProposal | null): Promise<ResultImage[]> {
  if (result === null) return []
  const names = await readNames(ctx, result)
  const proposal = new Map(
    result.assigned.flatMap(({ boothIds, companyId }) =>
      boothIds.map((boothId): [string, string] => [boothId, names.get(companyId) ?? '']),
    ),
  )
  const plans = await eventDb(ctx).selectFrom('floor_plans').selectAll().where('status', '=', 'published').orderBy('id').execute()
  const pictures: ResultImage[] = []
  for (const plan of plans) {
    if (pictures.length === MAX_PICTURES) break
    const booths = await listBooths(ctx, plan.id)
    if (booths.some(({ id }) => proposal.has(id))) pictures.push(await renderFloorPlan(toDrawnFloorPlan(plan, booths, { proposal })))
  }
  return pictures
}
