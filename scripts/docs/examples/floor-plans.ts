import { type Examples, SUMMIT_SCOPE } from './example.ts'

export const FLOOR_PLANS_EXAMPLES: Examples = {
  list_floor_plans: () => ({ ...SUMMIT_SCOPE }),
  manage_floor_plans: () => ({ ...SUMMIT_SCOPE, action: 'get', floorPlanCode: 'river-hall', include: ['outline', 'pois'] }),
}
