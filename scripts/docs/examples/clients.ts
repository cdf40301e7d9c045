import type { DemoScenario } from '../demo-scenario.ts'
import { type Examples, SUMMIT_SCOPE } from './example.ts'

const ACME = { clientCode: 'acme' }
const PARTNER_DAY = { eventCode: 'partner-day-2027' }

const SHEET = `First name,Last name,Email,Company
Amelia,Brito,amelia@visitors.demo.example,Brito & Sons
Bento,Faro,bento@visitors.demo.example,Faro Lda
`

const setup = async (stage: DemoScenario): Promise<string> =>
  (await stage.call('setup_import_flow', { ...PARTNER_DAY, text: SHEET, sourceSystem: 'old-desk', save: true })).setupId

export const CLIENT_EXAMPLES: Examples = {
  list_clients: () => ({}),
  list_events: () => ({ ...ACME, status: ['draft', 'published'] }),
  list_event_config_items: () => ({ ...SUMMIT_SCOPE, section: 'products', limit: 3 }),
  audit_event: () => ({ ...SUMMIT_SCOPE, limit: 3 }),
  update_client: () => ({ ...ACME, paymentTermsDays: 21, brand: { accent: '#b5481e' } }),
  create_event: () => ({
    ...ACME,
    name: 'Acme Meet-up Porto',
    startsOn: '2027-10-07',
    endsOn: '2027-10-07',
    venue: { city: 'Porto', country: 'PT' },
    template: 'meeting',
  }),
  configure_event: () => ({
    ...PARTNER_DAY,
    sections: { tags: [{ code: 'gold', name: 'Gold partner' }], details: { summary: 'One day with those we build with.' } },
  }),
  update_event: () => ({ ...PARTNER_DAY, startsOn: '2027-09-28', endsOn: '2027-09-28', moveDates: true }),
  clone_event: () => ({ ...SUMMIT_SCOPE, newCode: 'summit-2028', newName: 'Acme Summit 2028', startsOn: '2028-05-09' }),
  copy_event_config: () => ({ ...PARTNER_DAY, fromEventCode: 'summit-2027', items: [{ section: 'products', code: 'gala-dinner' }] }),
  archive_event: () => ({ eventCode: 'roadshow-madrid', reason: 'The venue closed', force: true }),
  setup_import_flow: () => ({ ...PARTNER_DAY, text: SHEET, sourceSystem: 'old-desk' }),
  import_event: async (stage) => ({ ...PARTNER_DAY, setupId: await setup(stage), mode: 'test' }),
  delete_test_imports: async (stage) => {
    await stage.call('import_event', { ...PARTNER_DAY, setupId: await setup(stage), mode: 'test' })
    return PARTNER_DAY
  },
}
