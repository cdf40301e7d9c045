import { approveApplication } from './applications.ts'
import { type Examples, SUMMIT_SCOPE } from './example.ts'

export const PLACEMENTS_EXAMPLES: Examples = {
  propose_booth_assignments: async (stage) => ({
    ...SUMMIT_SCOPE,
    applicationNumbers: [await approveApplication(stage)],
    competitors: 'soft',
  }),
  analyze_growth: () => ({ ...SUMMIT_SCOPE }),
  analyze_placement: () => ({ ...SUMMIT_SCOPE, floorPlanCode: 'river-hall', limit: 5 }),
}
