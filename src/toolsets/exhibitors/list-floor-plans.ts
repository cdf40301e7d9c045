import { list, oneOf, pageArguments, pageResult, searchArgument, totalResult } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { FloorPlanSummary, FloorPlanTotals, listFloorPlans } from '../../domains/exhibitors/plans/list-plans.ts'
import { FLOOR_PLAN_STATES } from '../../domains/exhibitors/states.ts'

export default eventTool({
  name: 'list_floor_plans',
  title: 'List floor plans',
  description:
    'List the halls of an exhibition, their layouts and the space left: gross and net area, net/gross, and how many booths (stands) are sold, held, blocked and still free in each hall and taken together. Not for single booths (use list_booths) or drawing (use manage_floor_plans). Returns plans and totals.',
  effect: 'read',
  toleratesLag: true,
  permission: 'exhibitors.read',
  input: { status: oneOf(FLOOR_PLAN_STATES.all).optional(), search: searchArgument().optional(), ...pageArguments },
  output: { floorPlans: list(FloorPlanSummary), totals: FloorPlanTotals, ...totalResult, ...pageResult },
  run: listFloorPlans,
})
