import { count, id, list } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { MAX_MILESTONES, MilestoneShape } from '../../domains/supplier-contracts/milestone-list.ts'
import { generateMilestones } from '../../domains/supplier-contracts/milestones.ts'

export default eventTool({
  name: 'generate_milestones',
  title: 'Extract deadlines and key dates from a contract',
  description:
    'Derive the list of due dates (calendar of obligations) from the terms of a contract or agreement: deadlines such as deposits, cut-off, insurance and cancellation. Repeat after dates moved: done ones stay. To read them use list_milestones. Returns counts and milestones.',
  effect: 'change',
  permission: 'sourcing.write',
  idempotent: true,
  keyed: true,
  dryRun: true,
  input: { contractId: id('contract') },
  output: {
    created: count(),
    updated: count(),
    kept: count(),
    removed: count(),
    milestones: list(MilestoneShape, MAX_MILESTONES),
  },
  run: generateMilestones,
})
