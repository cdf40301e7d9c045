import { type Examples, SUMMIT_SCOPE } from './example.ts'

export const COMPANIES_EXAMPLES: Examples = {
  import_companies: () => ({ ...SUMMIT_SCOPE, rows: [{ name: 'Lumen Robotics GmbH', website: 'lumen.demo.example', country: 'DE' }], dryRun: true }),
  manage_company: () => ({
    ...SUMMIT_SCOPE,
    action: 'create',
    name: 'Tidal Sensors',
    fields: { website: 'tidal.demo.example', country: 'PT', contact: { name: 'Rui Faria', email: 'rui@tidal.demo.example' } },
  }),
  manage_exhibitors: async (stage) => {
    const { companies } = await stage.call('manage_company', { ...SUMMIT_SCOPE, action: 'list' })
    const people = [{ firstName: 'Ines', lastName: 'Matos', email: 'ines@tidal.demo.example', role: 'staff' }]
    return { ...SUMMIT_SCOPE, action: 'add', companyId: companies[0].id, people, pass: 'free' }
  },
  manage_device: () => ({ ...SUMMIT_SCOPE, action: 'list', idleMinutes: 30 }),
  manage_lead: () => ({ ...SUMMIT_SCOPE, action: 'stats', by: 'day' }),
}
