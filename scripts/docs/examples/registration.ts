import { assessTaxesJob } from '../../../src/domains/taxation/assess.ts'
import type { DemoStage } from '../demo-stage.ts'
import { AGREED, attendee, emailOf, euros, type Examples, registered, SUMMIT } from './example.ts'

const ATTENDEE = { ...SUMMIT, flowSlug: 'attendee' }
const BUREAU = { ...SUMMIT, groupCode: 'bureau-norte' }

/** Adds a participant to the waiting list of the sold-out walk. */
async function waiting(stage: DemoStage): Promise<void> {
  await registered(stage, 'Teresa', 'Vaz', 'Vaz & Vaz', { data: { '@product.lisbon-tour': 1 } })
  const { products } = await stage.call('get_registration_summary', SUMMIT)
  const { held, sold } = products.find(({ code }: { code: string }) => code === 'lisbon-tour')
  await stage.call('configure_event', { ...SUMMIT, sections: { products: [{ code: 'lisbon-tour', capacity: held + sold }] } })
  await stage.call('publish_event', SUMMIT)
  await registered(stage, 'Ulla', 'Berg', 'Fjord', { data: { '@product.lisbon-tour': 1 }, joinWaitlist: true })
  await registered(stage, 'Vera', 'Cruz', 'Fjord', { data: { '@product.lisbon-tour': 1 }, joinWaitlist: true })
}

/** A tax rate that is too low, in the draft only. */
async function assessed(stage: DemoStage): Promise<string> {
  await stage.call('update_client', { clientCode: 'acme', taxRegistrations: [{ country: 'PT', number: 'PT501442600', from: '2020-01-01' }] })
  const trip = { code: 'field-trip', name: 'Field trip', category: 'session', prices: [{ amount: '12.00' }], taxCode: 'vat-meal' }
  await stage.call('configure_event', { ...SUMMIT, sections: { products: [trip] } })
  const { assessmentId, jobId } = await stage.call('start_tax_assessment', { ...SUMMIT, productCodes: ['field-trip'] })
  await stage.run(assessTaxesJob, jobId)
  return assessmentId
}

export const REGISTRATION_EXAMPLES: Examples = {
  find_participants: async (stage) => {
    const more = { '@product.gala-dinner': 1, '@participant.jobTitle': 'Product designer', '@custom.first-time': true, '@custom.topics': ['design', 'people'] }
    await registered(stage, 'Mira', 'Sousa', 'Cais Studio', { data: { ...more, '@custom.diet': null }, skipRequired: true })
    return { ...SUMMIT, search: 'mira', status: ['complete'] }
  },
  get_participant: () => ({ ...SUMMIT, participantId: emailOf('Mira') }),
  get_registration_summary: () => ({ ...SUMMIT, from: '2027-01-01', until: '2027-01-15' }),
  get_flow_summary: () => ATTENDEE,
  describe_participant_flow: () => ({ ...ATTENDEE, asTags: ['member'], answers: { '@custom.diet': 'other' } }),
  list_order_invoices: () => ({ ...SUMMIT, participantId: emailOf('Mira'), include: ['lines'] }),
  add_participant: () => ({ ...ATTENDEE, data: attendee('Jonas', 'Keller', 'Nordlicht', AGREED), tags: ['member'] }),
  edit_participant: () => ({ ...SUMMIT, participantId: emailOf('Mira'), data: { '@product.gala-dinner': 0 }, reason: 'Leaves on Wednesday' }),
  configure_registration_guests: () => ({
    ...ATTENDEE,
    max: 3,
    types: [{ code: 'partner', name: 'Partner', productCode: 'guest-pass' }],
  }),
  add_invite_list_participants: () => ({
    ...SUMMIT,
    flowSlug: 'speaker',
    rows: [
      { email: 'ada@visitors.demo.example', firstName: 'Ada', lastName: 'Moreau' },
      { email: 'not an address', firstName: 'Ben' },
    ],
  }),
  substitute_participant: () => ({
    ...SUMMIT,
    participantId: emailOf('Mira'),
    replacement: {
      '@participant.firstName': 'Nuno',
      '@participant.lastName': 'Prata',
      '@participant.email': emailOf('Nuno'),
    },
    reason: 'Mira is ill',
  }),
  resend_participant_confirmation: () => ({ ...SUMMIT, participantId: emailOf('Mira') }),
  create_test_registrations: () => ({ ...ATTENDEE, count: 5, seed: 7 }),
  create_managed_group: () => ({
    ...ATTENDEE,
    name: 'Bureau Norte',
    kind: 'company',
    payBy: 'group',
    maxMembers: 12,
    admins: [{ email: emailOf('Mira'), name: 'Mira Sousa' }],
  }),
  update_managed_group_members: () => ({
    ...BUREAU,
    add: [{ data: attendee('Olga', 'Reis', 'Bureau Norte', AGREED) }, { data: attendee('Paulo', 'Lage', 'Bureau Norte', AGREED) }],
  }),
  list_managed_groups: async (stage) => {
    await stage.call('update_managed_group_members', { ...BUREAU, add: [{ data: attendee('Olga', 'Reis', 'Bureau Norte', AGREED) }] })
    return BUREAU
  },
  update_managed_group: () => ({ ...BUREAU, maxMembers: 20 }),
  set_managed_group_admins: () => ({
    ...BUREAU,
    admins: [
      { email: emailOf('Mira'), name: 'Mira Sousa' },
      { email: emailOf('Olga'), name: 'Olga Reis' },
    ],
  }),
  update_managed_group_leaders: () => ({ ...BUREAU, add: [emailOf('Olga')] }),
  send_group_invite: () => ({ ...BUREAU, emails: [{ email: emailOf('Rosa'), role: 'member', name: 'Rosa Lima' }], message: 'We go together.' }),
  delete_managed_group: async (stage) => {
    await stage.call('create_managed_group', { ...ATTENDEE, name: 'Alumni', kind: 'other', payBy: 'members' })
    return { ...SUMMIT, groupCode: 'alumni' }
  },
  promote_waitlist_entries: async (stage) => {
    await waiting(stage)
    return { ...SUMMIT, target: 'product:lisbon-tour', count: 1, overrideCapacity: true }
  },
  record_manual_payment: async (stage) => {
    const { invoiceNumber } = await registered(stage, 'Sergio', 'Duarte', 'Duarte Lda')
    return {
      ...SUMMIT,
      kind: 'payment',
      amount: euros('300.00'),
      invoiceNumbers: [invoiceNumber],
      method: 'bank',
      reference: 'SEPA 2027-01-14 Duarte',
    }
  },
  write_off_invoices: async (stage) => {
    const { invoiceNumber } = await registered(stage, 'Xenia', 'Wolf', 'Wolf & Co')
    return { ...SUMMIT, invoiceNumbers: [invoiceNumber], reason: 'The company is insolvent' }
  },
  import_products: () => ({
    ...SUMMIT,
    text: 'code,name,category,price,taxCode\nfado-evening,Fado evening,meal,45.00,vat\nsintra-trip,Day in Sintra,tour,60.00,vat\n',
  }),
  start_tax_assessment: async (stage) => {
    await assessed(stage)
    return { ...SUMMIT, productCodes: ['field-trip', 'conference-pass'] }
  },
  apply_tax_recommendations: async (stage) => ({ ...SUMMIT, assessmentId: await assessed(stage), all: true }),
}
