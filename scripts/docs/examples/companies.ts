import { type Examples, SUMMIT_SCOPE } from './example.ts'

export const COMPANIES_EXAMPLES: Examples = {
  import_companies: () => ({ ...SUMMIT_SCOPE, rows: [{ name: 'Lumen Robotics GmbH', website: 'lumen.demo.example', country: 'DE' }], dryRun: true }),
  manage_company: () => ({ ...SUMMIT_SCOPE, action: 'list', hasLicence: true }),
  manage_exhibitors: () => ({ ...SUMMIT_SCOPE, action: 'list' }),
  manage_device: () => ({ ...SUMMIT_SCOPE, action: 'list', idleMinutes: 30 }),
  manage_lead: () => ({ ...SUMMIT_SCOPE, action: 'stats', by: 'day' }),
}
