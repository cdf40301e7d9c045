import { type Examples, SUMMIT_SCOPE } from './example.ts'

export const LAYOUTS_EXAMPLES: Examples = {
  generate_max_fit: () => ({ ...SUMMIT_SCOPE, floorPlanCode: 'river-hall', module: { width: 3, depth: 3 }, keep: 'none' }),
}
