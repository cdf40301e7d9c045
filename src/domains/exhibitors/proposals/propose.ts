import { z } from 'zod'
import { id } from '../../../kernel/args.ts'
import { recordChange } from '../../../kernel/audit.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { runTaskCooperatively, type CooperativeTask } from '../../../kernel/cooperative.ts'
import { newId } from '../../../kernel/ids.ts'
import { defineJob, enqueueJob } from '../../../kernel/jobs.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { type ExhibitorContext, readLiveOrTestConfiguration } from '../context.ts'
import type { BoothAssignmentRules, AssignmentSolution, PlacementScoreWeights } from './problem.ts'
import { listFloorPlansForProposal, type AssignmentProblemData, readAssignmentProblem } from './read-problem.ts'
import { solveAssignment } from './solve.ts'
import type { StoredProposal, StoredProposalInput } from './stored.ts'

export interface BoothProposalRequest extends Partial<
  Pick<BoothAssignmentRules, 'method' | 'competitors' | 'competitorDistance' | 'allowMerge' | 'minScore'>
> {
  floorPlanCodes?: readonly string[] | undefined
  statuses?: readonly string[] | undefined
  applicationNumbers?: readonly string[] | undefined
  keepHeld?: boolean | undefined
  weights?: Partial<PlacementScoreWeights> | undefined
}

/** A booth proposal that was calculated within the time limit of a call, or that a job has to calculate. */
export interface CalculatedProposal {
  input: StoredProposalInput
  planRevisions: Record<string, number>
  /** The calculated proposal; null if the time limit was exceeded. */
  result: StoredProposal | null
}

/** Time limit for calculating a proposal within a call. If it is exceeded, a background job calculates the proposal. */
export const PROPOSAL_CALL_TIME_LIMIT_MS = 15_000

const EQUAL_WEIGHTS: PlacementScoreWeights = { size: 1, choice: 1, zone: 1, type: 1, lastYear: 1, near: 1, quality: 1, competitor: 1 }

/** Calculates a proposal (which application gets which booth) outside of a transaction, for at most `limitMs`. */
export async function calculateBoothProposal(
  ctx: ExhibitorContext,
  request: BoothProposalRequest,
  limitMs = PROPOSAL_CALL_TIME_LIMIT_MS,
): Promise<CalculatedProposal> {
  const input = await completeInput(ctx, request)
  const data = await readAssignmentProblem(ctx, input)
  const solution = await runTaskCooperatively(stopAfter(solveAssignment(data.problem), limitMs))
  return { input, planRevisions: toPlanRevisions(data), result: solution && toStored(data, solution) }
}

const toPlanRevisions = ({ plans }: AssignmentProblemData) => Object.fromEntries(plans.map((plan) => [plan.id, plan.revision]))

async function completeInput(ctx: ExhibitorContext, request: BoothProposalRequest): Promise<StoredProposalInput> {
  const { config } = await readLiveOrTestConfiguration(ctx, false)
  const plans = await listFloorPlansForProposal(ctx, request.floorPlanCodes)
  return {
    floorPlanIds: plans.map((plan) => plan.id),
    method: request.method ?? 'points',
    statuses: [...(request.statuses ?? ['approved'])],
    applicationNumbers: request.applicationNumbers ? request.applicationNumbers.map((number) => number.toUpperCase()) : null,
    keepHeld: request.keepHeld ?? true,
    competitors: request.competitors ?? 'hard',
    competitorDistance: request.competitorDistance ?? config.exhibitorConfig.competitorDistance,
    allowMerge: request.allowMerge ?? true,
    weights: { ...EQUAL_WEIGHTS, ...request.weights },
    minScore: request.minScore ?? 0,
  }
}

/** Runs a task, and returns null if it takes longer than the time limit. */
function* stopAfter<T>(task: CooperativeTask<T>, limitMs: number): CooperativeTask<T | null> {
  const end = performance.now() + limitMs
  for (;;) {
    const step = task.next()
    if (step.done) return step.value
    if (performance.now() > end) return null
    yield
  }
}

const toPercent = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10)

function toStored(
  { booths, problem }: AssignmentProblemData,
  { placed, unplaced, competitorViolations, score }: AssignmentSolution,
): StoredProposal {
  const byId = new Map(booths.map((booth) => [booth.row.id, booth]))
  const given = placed.flatMap((one) => one.booths.map((booth) => byId.get(booth.id)!))
  const choosing = problem.applicants.filter(({ wanted }) => wanted.boothNumbers.length > 0).length
  const within = (rank: number) => placed.filter((one) => one.rank !== null && one.rank <= rank).length
  return {
    assigned: placed.map(({ applicant, booths: own, score: points, rank, reasons }) => ({
      applicationNumber: applicant.number,
      companyId: applicant.companyId,
      points: applicant.points,
      boothIds: own.map((booth) => booth.id),
      boothNumbers: own.map((booth) => booth.number),
      score: points,
      rank,
      reasons,
    })),
    unassigned: unplaced.map(({ applicant, reason, bestRefused }) => ({
      applicationNumber: applicant.number,
      companyId: applicant.companyId,
      reason,
      bestRefused,
    })),
    boothRevisions: Object.fromEntries(given.map(({ row }) => [row.id, row.revision])),
    stats: {
      firstChoicePercent: toPercent(within(1), choosing),
      topThreePercent: toPercent(within(3), choosing),
      net: Math.round(given.reduce((sum, { figures }) => sum + figures.area, 0) * 10_000) / 10_000,
      revenue: given.reduce((sum, { price }) => sum + price.net, 0),
      competitorViolations,
      score,
    },
  }
}

/** Stores a calculated booth proposal, or starts the job that calculates it. */
export async function storeProposal(ctx: EventContext, { input, planRevisions, result }: CalculatedProposal) {
  const proposalId = newId()
  const job = result === null ? await enqueueJob(ctx, proposeAssignmentsJob, { proposalId }, { eventId: ctx.event.id }) : null
  await ctx.db
    .insertInto('assignment_proposals')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: proposalId,
      plan_revisions: JSON.stringify(planRevisions),
      input: JSON.stringify(input),
      result: result && JSON.stringify(result),
      job_id: job?.jobId ?? null,
      by: ctx.actor.name,
    })
    .execute()
  recordChange(ctx, {
    kind: 'assignmentProposal',
    id: proposalId,
    after: { method: input.method, assigned: result?.assigned.length ?? null },
  })
  return { proposalId, jobId: job?.jobId ?? null }
}

/** The job reports three steps as its progress: the data is read, the proposal is calculated, and it is stored. */
const JOB_STAGES = 3

/** Calculates a booth proposal in a background job, if it takes too long for a call. */
export const proposeAssignmentsJob = defineJob({
  name: 'booth-assignments',
  scope: 'event',
  input: z.object({ proposalId: id() }),
  async run(job, { proposalId }): Promise<{ assigned: number }> {
    const data = await job.step(async (ctx) => {
      const { input } = await eventDb(ctx)
        .selectFrom('assignment_proposals')
        .select('input')
        .where('id', '=', proposalId)
        .executeTakeFirstOrThrow()
      return readAssignmentProblem(ctx, input)
    })
    await job.progress(1, JOB_STAGES)
    const result = toStored(data, await runTaskCooperatively(solveAssignment(data.problem)))
    await job.progress(2, JOB_STAGES)
    await job.step((ctx) =>
      eventDb(ctx)
        .updateTable('assignment_proposals')
        .set({ result: JSON.stringify(result), plan_revisions: JSON.stringify(toPlanRevisions(data)) })
        .where('id', '=', proposalId)
        .where('applied_at', 'is', null)
        .execute(),
    )
    await job.progress(JOB_STAGES, JOB_STAGES)
    return { assigned: result.assigned.length }
  },
})
