import { type Examples, SUMMIT_SCOPE } from './example.ts'

export const HOUSING_SUMMARY_EXAMPLES: Examples = {
  get_housing_summary: () => ({ ...SUMMIT_SCOPE, groupBy: 'night' }),
}
