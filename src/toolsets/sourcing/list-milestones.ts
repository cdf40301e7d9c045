import { count, day, id, list, oneOf, pageArguments, pageResult } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import {
  AmountsAtRiskShape,
  listMilestones,
  MilestoneCountsShape,
  MilestoneShape,
} from '../../domains/supplier-contracts/milestone-list.ts'
import { MILESTONE_STATES } from '../../domains/supplier-contracts/states.ts'

export default eventTool({
  name: 'list_milestones',
  title: 'Upcoming deadlines and critical dates',
  description:
    'List contract deadlines with hotels, such as those coming up in the next weeks (critical-date schedule): deposits, cut-off, attrition, cancellation, final bill; due or missed, amounts at risk. To make them use generate_milestones. Returns milestones, counts and atRisk.',
  effect: 'read',
  toleratesLag: true,
  permission: 'sourcing.read',
  input: {
    contractId: id('contract').optional(),
    status: list(oneOf(MILESTONE_STATES.all), MILESTONE_STATES.all.length).optional(),
    from: day().optional(),
    until: day().optional(),
    ...pageArguments,
  },
  output: {
    milestones: list(MilestoneShape),
    counts: MilestoneCountsShape,
    total: count(),
    atRisk: AmountsAtRiskShape,
    ...pageResult,
  },
  run: listMilestones,
})
