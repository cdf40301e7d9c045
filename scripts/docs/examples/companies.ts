import { type Examples, SUMMIT_SCOPE } from './example.ts'

export const COMPANIES_EXAMPLES: Examples = {
  manage_company: () => ({ ...SUMMIT_SCOPE, action: 'list', hasLicence: true }),
  manage_exhibitors: () => ({ ...SUMMIT_SCOPE, action: 'list' }),
  manage_device: () => ({ ...SUMMIT_SCOPE, action: 'list', idleMinutes: 30 }),
  manage_lead: () => ({ ...SUMMIT_SCOPE, action: 'stats', by: 'day' }),
}
