import { type Examples, SUMMIT_SCOPE } from './example.ts'

export const COMPANIES_EXAMPLES: Examples = {
  manage_device: () => ({ ...SUMMIT_SCOPE, action: 'list', idleMinutes: 30 }),
  manage_lead: () => ({ ...SUMMIT_SCOPE, action: 'stats', by: 'day' }),
}
