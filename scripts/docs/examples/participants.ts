import { updateChangedProfiles } from '../../../src/domains/recommendations/update-profiles.ts'
import { readLatestCode } from '../../../test/support/sign-in-codes.ts'
import { type DemoScenario, SUMMIT_CODES } from '../demo-scenario.ts'
import { attendeeAnswers, emailOf, type Examples } from './example.ts'

const MIRA = emailOf('Mira')

/** Updates the search profiles that recommendations use. */
async function updateSearchProfiles({ world }: DemoScenario): Promise<void> {
  await world.database.pool.query(`update participants set visible_to_participants = true where status = 'complete'`)
  await updateChangedProfiles({ transact: (run) => world.database.transact(run), log: world.services.log })
}

async function freeSlot(stage: DemoScenario, at: number): Promise<string> {
  const { companies } = await stage.call('list_exhibitor_availability', { search: 'Dunlin' })
  return companies[0].slots[at].slotId
}

async function booked(stage: DemoScenario): Promise<string> {
  const { appointments } = await stage.call('list_my_appointments')
  return appointments[0].id
}

export const PARTICIPANT_EXAMPLES: Examples = {
  agent_request_otp: () => ({ ...SUMMIT_CODES, email: emailOf('Yara') }),
  agent_verify_otp: async (stage) => ({ ...SUMMIT_CODES, email: emailOf('Yara'), code: await readLatestCode(stage.world, emailOf('Yara')) }),
  agent_list_flows: async (stage) => {
    await stage.signIn(MIRA)
    return {}
  },
  describe_my_flow: () => ({}),
  get_my_registration: () => ({}),
  check_balance_due: () => ({}),
  list_data_fields: () => ({ flowSlug: 'attendee', search: 'name' }),
  get_hotel_list: () => ({ checkIn: '2027-05-10', checkOut: '2027-05-13', occupants: 2 }),
  recommend_hotel: () => ({ checkIn: '2027-05-10', checkOut: '2027-05-13', wishes: { bedType: 'king', maxKm: 3 } }),
  get_booth_map: () => ({ search: 'Dunlin', from: 'entrance' }),
  list_exhibitor_availability: () => ({ search: 'Dunlin', day: '2027-05-12', limit: 1 }),
  recommend_products: () => ({ limit: 3 }),
  recommend_companies: async (stage) => {
    await updateSearchProfiles(stage)
    return { limit: 3 }
  },
  recommend_participants: () => ({ limit: 3 }),
  generate_participant_profile: () => ({ tone: 'warm', maxWords: 60 }),
  update_my_registration: () => ({ data: { '@participant.jobTitle': 'Head of design' } }),
  resend_my_confirmation_email: async (stage) => {
    const { rows } = await stage.world.database.pool.query<{ id: string }>(
      `update messages set status = 'sent', sent_at = queued_at, queued_at = queued_at - interval '2 days'
       where to_address = $1 and category <> 'signin.code' and status = 'queued' returning id`,
      [MIRA],
    )
    return { emailId: rows.map(({ id }) => id).toSorted().at(-1) }
  },
  book_exhibitor_appointment: async (stage) => ({ slotId: await freeSlot(stage, 1), message: 'We want to redo our forms.' }),
  list_my_appointments: async (stage) => {
    await stage.call('book_exhibitor_appointment', { slotId: await freeSlot(stage, 0) })
    return {}
  },
  cancel_my_appointment: async (stage) => ({ appointmentId: await booked(stage), reason: 'My train comes later' }),
  get_group_import_template: () => ({ groupCode: 'bureau-norte', format: 'csv' }),
  import_group_members: () => ({
    groupCode: 'bureau-norte',
    members: [{ data: attendeeAnswers('Zita', 'Nobre', 'Bureau Norte') }],
  }),
  agent_submit_registration: () => ({
    flowSlug: 'attendee',
    data: { '@participant.firstName': 'Lara', '@participant.lastName': 'Sousa', '@participant.company': 'Cais Studio' },
  }),
}

