import { z } from 'zod'
import { toOneLine, code, count, id, list, object, pageArguments, pageResult, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import {
  analyzePlacement,
  CompetitorPair,
  PlacementFairness,
  RatedBoothShape,
} from '../../domains/exhibitors/placement/analyze-placement.ts'

const weight = () => z.number().min(0, 'at least 0').max(1, 'at most 1').optional()

export default eventTool({
  name: 'analyze_placement',
  title: 'Analyze booth placement',
  description:
    'See which booths (stands) get the most foot traffic and which are poor spots: a heat map of exposure, dead corners or zones, rivals too close together, and whether loyal exhibitors with priority points got good places (fairness). Not for year on year (use analyze_growth). Returns quality per booth, pairs, zones, a picture.',
  effect: 'read',
  permission: 'exhibitors.read',
  input: {
    floorPlanCode: code().optional(),
    proposalId: id('assignmentProposal').optional(),
    weights: toOneLine(
      object({ exposure: weight(), proximity: weight(), openSides: weight() }).refine(
        (given) => (given.exposure ?? 0.5) + (given.proximity ?? 0.3) + (given.openSides ?? 0.2) > 0,
        'at least one weight above 0',
      ),
      'exposure, proximity, openSides: 0..1',
    ).optional(),
    ...pageArguments,
  },
  output: {
    booths: toOneLine(list(RatedBoothShape), 'number, company, quality, exposure, distanceToEntrance, openSides'),
    total: count(),
    competitorPairs: list(CompetitorPair),
    deadZones: list(list(text())),
    fairness: PlacementFairness,
    ...pageResult,
  },
  run: analyzePlacement,
})
