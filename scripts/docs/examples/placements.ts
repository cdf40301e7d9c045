import { type Examples, SUMMIT_SCOPE } from './example.ts'

export const PLACEMENTS_EXAMPLES: Examples = {
  analyze_growth: () => ({ ...SUMMIT_SCOPE }),
  analyze_placement: () => ({ ...SUMMIT_SCOPE, floorPlanCode: 'river-hall', limit: 5 }),
}
