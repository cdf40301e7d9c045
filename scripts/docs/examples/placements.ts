import { approveApplication } from './applications.ts'
import { type Examples, SUMMIT_SCOPE } from './example.ts'

export const PLACEMENTS_EXAMPLES: Examples = {
  propose_booth_assignments: async (stage) => {
    const { booths } = await stage.call('list_booths', { ...SUMMIT_SCOPE, status: ['assigned'] })
    await stage.call('manage_booths', { ...SUMMIT_SCOPE, action: 'vacate', number: booths[0].number, reason: 'Moves to another hall' })
    return { ...SUMMIT_SCOPE, applicationNumbers: [await approveApplication(stage)], competitors: 'soft' }
  },
  analyze_growth: () => ({ ...SUMMIT_SCOPE }),
  analyze_placement: () => ({ ...SUMMIT_SCOPE, floorPlanCode: 'river-hall', limit: 5 }),
}
