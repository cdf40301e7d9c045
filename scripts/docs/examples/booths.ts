import { type Examples, SUMMIT_SCOPE } from './example.ts'

export const BOOTHS_EXAMPLES: Examples = {
  list_booths: () => ({ ...SUMMIT_SCOPE, type: 'corner', limit: 3 }),
  get_booth: () => ({ ...SUMMIT_SCOPE, number: '101' }),
  manage_booths: () => ({ ...SUMMIT_SCOPE, action: 'swap', numberA: '101', numberB: '103' }),
}
