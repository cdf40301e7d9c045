import { assessTaxesJob } from '../../../src/domains/taxation/assess.ts'
import type { DemoScenario } from '../demo-scenario.ts'
import { ACCEPTED_POLICIES, attendeeAnswers, emailOf, euros, type Examples, registerAttendee, SUMMIT_SCOPE } from './example.ts'

const ATTENDEE = { ...SUMMIT_SCOPE, flowSlug: 'attendee' }
const BUREAU = { ...SUMMIT_SCOPE, groupCode: 'bureau-norte' }

/** Adds a participant to the waiting list of the sold-out walk. */
async function addToWaitingList(stage: DemoScenario): Promise<void> {
  await registerAttendee(stage, 'Teresa', 'Vaz', 'Vaz & Vaz', { data: { '@product.lisbon-tour': 1 } })
  const { products } = await stage.call('get_registration_summary', SUMMIT_SCOPE)
  const { held, sold } = products.find(({ code }: { code: string }) => code === 'lisbon-tour')
  await stage.call('configure_event', { ...SUMMIT_SCOPE, sections: { products: [{ code: 'lisbon-tour', capacity: held + sold }] } })
  await stage.call('publish_event', SUMMIT_SCOPE)
  await registerAttendee(stage, 'Ulla', 'Berg', 'Fjord', { data: { '@product.lisbon-tour': 1 }, joinWaitlist: true })
  await registerAttendee(stage, 'Vera', 'Cruz', 'Fjord', { data: { '@product.lisbon-tour': 1 }, joinWaitlist: true })
}

/** A tax rate that is too low, in the draft only. */
async function startTaxAssessment(stage: DemoScenario): Promise<string> {
  await stage.call('update_client', { clientCode: 'acme', taxRegistrations: [{ country: 'PT', number: 'PT501442600', from: '2020-01-01' }] })
  const trip = { code: 'field-trip', name: 'Field trip', category: 'session', prices: [{ amount: '12.00' }], taxCode: 'vat-meal' }
  await stage.call('configure_event', { ...SUMMIT_SCOPE, sections: { products: [trip] } })
  const { assessmentId, jobId } = await stage.call('start_tax_assessment', { ...SUMMIT_SCOPE, productCodes: ['field-trip'] })
  await stage.run(assessTaxesJob, jobId)
  return assessmentId
}

export const REGISTRATION_EXAMPLES: Examples = {
  find_participants: async (stage) => {
    const more = { '@product.gala-dinner': 1, '@participant.jobTitle': 'Product designer', '@custom.first-time': true, '@custom.topics': ['design', 'people'] }
    await registerAttendee(stage, 'Mira', 'Sousa', 'Cais Studio', { data: { ...more, '@custom.diet': null }, skipRequired: true })
    return { ...SUMMIT_SCOPE, search: 'mira', status: ['complete'] }
  },
  get_participant: () => ({ ...SUMMIT_SCOPE, participantId: emailOf('Mira') }),
  get_registration_summary: () => ({ ...SUMMIT_SCOPE, from: '2027-01-01', until: '2027-01-15' }),
  get_flow_summary: () => ATTENDEE,
  describe_participant_flow: () => ({ ...ATTENDEE, asTags: ['member'], answers: { '@custom.diet': 'other' } }),
  list_order_invoices: () => ({ ...SUMMIT_SCOPE, participantId: emailOf('Mira'), include: ['lines'] }),
  add_participant: () => ({ ...ATTENDEE, data: attendeeAnswers('Jonas', 'Keller', 'Nordlicht', ACCEPTED_POLICIES), tags: ['member'] }),
  edit_participant: () => ({ ...SUMMIT_SCOPE, participantId: emailOf('Mira'), data: { '@product.gala-dinner': 0 }, reason: 'Leaves on Wednesday' }),
  configure_registration_guests: () => ({
    ...ATTENDEE,
    max: 3,
    types: [{ code: 'partner', name: 'Partner', productCode: 'guest-pass' }],
  }),
  add_invite_list_participants: () => ({
    ...SUMMIT_SCOPE,
    flowSlug: 'speaker',
    rows: [
      { email: 'ada@visitors.demo.example', firstName: 'Ada', lastName: 'Moreau' },
      { email: 'not an address', firstName: 'Ben' },
    ],
  }),
  substitute_participant: () => ({
    ...SUMMIT_SCOPE,
    participantId: emailOf('Mira'),
    replacement: {
      '@participant.firstName': 'Nuno',
      '@participant.lastName': 'Prata',
      '@participant.email': emailOf('Nuno'),
    },
    reason: 'Mira is ill',
  }),
  resend_participant_confirmation: () => ({ ...SUMMIT_SCOPE, participantId: emailOf('Mira') }),
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
    add: [{ data: attendeeAnswers('Olga', 'Reis', 'Bureau Norte', ACCEPTED_POLICIES) }, { data: attendeeAnswers('Paulo', 'Lage', 'Bureau Norte', ACCEPTED_POLICIES) }],
  }),
  list_managed_groups: async (stage) => {
    await stage.call('update_managed_group_members', { ...BUREAU, add: [{ data: attendeeAnswers('Olga', 'Reis', 'Bureau Norte', ACCEPTED_POLICIES) }] })
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
    return { ...SUMMIT_SCOPE, groupCode: 'alumni' }
  },
  promote_waitlist_entries: async (stage) => {
    await addToWaitingList(stage)
    return { ...SUMMIT_SCOPE, target: 'product:lisbon-tour', count: 1, overrideCapacity: true }
  },
  record_manual_payment: async (stage) => {
    const { invoiceNumber } = await registerAttendee(stage, 'Sergio', 'Duarte', 'Duarte Lda')
    return {
      ...SUMMIT_SCOPE,
      kind: 'payment',
      amount: euros('300.00'),
      invoiceNumbers: [invoiceNumber],
      method: 'bank',
      reference: 'SEPA 2027-01-14 Duarte',
    }
  },
  write_off_invoices: async (stage) => {
    const { invoiceNumber } = await registerAttendee(stage, 'Xenia', 'Wolf', 'Wolf & Co')
    return { ...SUMMIT_SCOPE, invoiceNumbers: [invoiceNumber], reason: 'The company is insolvent' }
  },
  import_products: () => ({
    ...SUMMIT_SCOPE,
    text: 'code,name,category,price,taxCode\nfado-evening,Fado evening,meal,45.00,vat\nsintra-trip,Day in Sintra,tour,60.00,vat\n',
  }),
  start_tax_assessment: async (stage) => {
    await startTaxAssessment(stage)
    return { ...SUMMIT_SCOPE, productCodes: ['field-trip', 'conference-pass'] }
  },
  apply_tax_recommendations: async (stage) => ({ ...SUMMIT_SCOPE, assessmentId: await startTaxAssessment(stage), all: true }),
}
