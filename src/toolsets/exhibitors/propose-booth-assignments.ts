import { z } from 'zod'
import { toOneLine, flag, id, list, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { applicationNumberSchema } from '../../domains/exhibitors/applications/application-shapes.ts'
import { COMPETITOR_DISTANCE_RULES, BOOTH_ASSIGNMENT_METHODS, PLACEMENT_SCORE_PARTS } from '../../domains/exhibitors/proposals/problem.ts'
import { calculateBoothProposal, type BoothProposalRequest, storeProposal } from '../../domains/exhibitors/proposals/propose.ts'
import { drawBoothProposal, getProposal, PROPOSAL_RESULT_FIELDS, showProposal } from '../../domains/exhibitors/proposals/show.ts'

const PLACEABLE = ['submitted', 'under_review', 'approved', 'waitlisted'] as const
const weight = () => z.number().min(0).max(100).optional()
const Weights = object(
  Object.fromEntries(PLACEMENT_SCORE_PARTS.map((part) => [part, weight()])) as Record<
    (typeof PLACEMENT_SCORE_PARTS)[number],
    ReturnType<typeof weight>
  >,
)

export default eventTool({
  name: 'propose_booth_assignments',
  title: 'Propose booth assignments',
  description:
    'Suggest which applicant should get which stand: draft a placement by priority points (space draw) or balanced, respecting wishes and a buffer between rivals. Changes no booth: apply it with manage_booth_application. Not for a single booth (manage_booths). Returns who goes where with scores, who got none and why, and a picture.',
  effect: 'change',
  permission: 'exhibitors.write',
  input: {
    proposalId: id('assignmentProposal').optional(),
    floorPlanCodes: list(text(63), 20).optional(),
    method: oneOf(BOOTH_ASSIGNMENT_METHODS).optional(),
    statuses: list(oneOf(PLACEABLE), PLACEABLE.length).min(1).optional(),
    applicationNumbers: list(applicationNumberSchema(), 4000).min(1).optional(),
    keepHeld: flag().optional(),
    competitors: oneOf(COMPETITOR_DISTANCE_RULES).optional(),
    competitorDistance: z.number().min(0).max(1000).optional(),
    allowMerge: flag().optional(),
    weights: toOneLine(Weights, PLACEMENT_SCORE_PARTS.join(', ')).optional(),
    minScore: z.number().optional(),
  },
  output: PROPOSAL_RESULT_FIELDS,
  readsOnly: ({ proposalId }) => proposalId !== undefined,
  findArgumentErrors: ({ proposalId, eventCode: _event, clientCode: _client, ...others }) =>
    proposalId === undefined
      ? []
      : Object.keys(others)
          .filter((name) => others[name] !== undefined)
          .map((path) => ({ path, message: 'is not accepted together with proposalId, which shows an existing proposal' })),
  prefetch: async (ctx, { proposalId, ...request }) => {
    const calculated = proposalId === undefined ? await calculateBoothProposal(ctx, request as BoothProposalRequest) : null
    const { result } = calculated ?? (await getProposal(ctx, proposalId!))
    return { calculated, pictures: await drawBoothProposal(ctx, result) }
  },
  run: async (ctx, { proposalId }, { calculated, pictures }) => {
    ctx.pictures.push(...pictures)
    return showProposal(ctx, proposalId ?? (await storeProposal(ctx, calculated!)).proposalId)
  },
})
