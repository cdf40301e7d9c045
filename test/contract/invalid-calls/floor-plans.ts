import { type InvalidCall, named, valued, without } from './calls.ts'

export const FLOOR_PLANS_CALLS: readonly InvalidCall[] = [
  valued('list_floor_plans', 'status', 'live', 'published', ['draft', 'published', 'archived']),
  named('list_floor_plans', 'query', 'search', 'hall'),
  without('manage_floor_plans', 'units', ['create'], { example: 1 }),
  valued('manage_floor_plans', 'units', 'metres', 'm', ['m', 'ft'], { example: 1 }),
  named('manage_floor_plans', 'planCode', 'floorPlanCode', undefined, { example: 6 }),
]
