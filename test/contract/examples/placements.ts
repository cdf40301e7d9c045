import type { Examples } from '../examples.ts'
import { applied } from './applications.ts'
import { event } from './registration.ts'

export const PLACEMENTS_EXAMPLES: Examples = {
  propose_booth_assignments: [
    async (stage) => {
      const { number, floorPlanCode } = await applied(stage)
      return {
        ...event(stage),
        floorPlanCodes: [floorPlanCode],
        applicationNumbers: [number],
        method: 'balanced',
        weights: { quality: 0.5 },
      }
    },
    async (stage) => {
      const { number, floorPlanCode } = await applied(stage)
      const made = { ...event(stage), floorPlanCodes: [floorPlanCode], applicationNumbers: [number] }
      return { ...event(stage), proposalId: (await stage.admin.call('propose_booth_assignments', made)).proposalId }
    },
  ],
}
