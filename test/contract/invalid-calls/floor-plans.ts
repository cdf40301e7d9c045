import { type InvalidCall, wrongName, wrongValue, missingArgument } from './calls.ts'

export const FLOOR_PLANS_CALLS: readonly InvalidCall[] = [
  wrongValue('list_floor_plans', 'status', 'live', 'published', ['draft', 'published', 'archived']),
  wrongName('list_floor_plans', 'query', 'search', 'hall'),
  missingArgument('manage_floor_plans', 'units', ['create'], { example: 1 }),
  wrongValue('manage_floor_plans', 'units', 'metres', 'm', ['m', 'ft'], { example: 1 }),
  wrongName('manage_floor_plans', 'planCode', 'floorPlanCode', undefined, { example: 6 }),
]
