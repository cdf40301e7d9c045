import { toOneLine, code, count, list, oneOf, pageArguments, pageResult } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import {
  analyzeGrowth,
  ComparedEventShape,
  UnsoldAndRequestedSpace,
  TotalsByGrowthClass,
  GrowthSummary,
  OrganizationGrowthShape,
  RetentionPercentages,
} from '../../domains/exhibitors/growth/analyze-growth.ts'

export default eventTool({
  name: 'analyze_growth',
  title: 'Analyze exhibitor growth',
  description:
    "Compare this year's exhibitors with last year's or another event: who is new, came back, left (churn, lost names), took more or less space; retention and net space (NSF) growth year on year, revenue, space left. Not for spots on the floor (use analyze_placement). Returns totals, classes and companies, largest loss first.",
  effect: 'read',
  toleratesLag: true,
  permission: 'exhibitors.read',
  input: {
    compareEventCode: code().optional(),
    asOf: oneOf(['days_out', 'final']).default('final'),
    zoneCode: code().optional(),
    category: code().optional(),
    ...pageArguments,
  },
  output: {
    comparedWith: ComparedEventShape,
    summary: GrowthSummary,
    classes: TotalsByGrowthClass,
    retention: RetentionPercentages,
    organizations: toOneLine(list(OrganizationGrowthShape), 'name, class, last, now, change'),
    total: count(),
    capacity: UnsoldAndRequestedSpace,
    ...pageResult,
  },
  run: analyzeGrowth,
})
