import type { ToolMeanings } from './meanings.ts'

const OWN = 'Which of the person’s own registrations, where they have several under one address.'

export const PARTICIPANTS: ToolMeanings = {
  agent_request_otp: {
    clientCode: 'Code of the client.',
    eventCode: 'Code of the event.',
    email: 'The person’s own address. The code goes there.',
  },
  agent_verify_otp: {
    clientCode: 'Code of the client.',
    eventCode: 'Code of the event.',
    email: 'The address that the code was sent to.',
    code: 'The six digits that the person read out of the mail.',
  },
  agent_submit_registration: {
    flowSlug: 'Which way to register. The first that is open to the person when left out.',
    data: 'Answers by binding, as `agent_list_flows` tells them. First name and surname are needed; tickets and consent are chosen in the browser.',
  },
  describe_my_flow: { participantId: OWN },
  get_my_registration: { participantId: OWN },
  update_my_registration: {
    participantId: OWN,
    data: 'New answers by binding, of those that `describe_my_flow` tells. Null empties an answer.',
  },
  check_balance_due: { participantId: OWN },
  resend_my_confirmation_email: {
    participantId: OWN,
    emailId: 'Which mail. Left out, the mails that can be sent again are listed and nothing is sent.',
  },
  list_data_fields: {
    flowSlug: 'Only fields that this flow asks.',
    entity: 'Only fields of the person, of the event’s own questions, or of the hotel room.',
    search: 'Words in label or binding.',
  },
  get_hotel_list: {
    checkIn: 'First night. Prices and free rooms are told for the stay.',
    checkOut: 'Day of leaving.',
    occupants: 'How many people share the room.',
    search: 'Words in the name of the hotel.',
  },
  recommend_hotel: {
    participantId: OWN,
    checkIn: 'First night. The days of the event when left out.',
    checkOut: 'Day of leaving.',
    occupants: 'How many people share the room.',
    maxTotal: 'What the stay may cost at most.',
    wishes: 'What matters to the person.',
    'wishes.bedType': 'The bed they want.',
    'wishes.smoking': 'A room to smoke in.',
    'wishes.accessible': 'A room without barriers.',
    'wishes.loyaltyProgram': 'A programme that they collect points of.',
    'wishes.maxKm': 'How far from the venue at most, in kilometres.',
  },
  get_group_import_template: {
    groupCode: 'Which group, where the person looks after several.',
    format: '`csv` also returns the sheet as text.',
  },
  import_group_members: {
    groupCode: 'Which group, where the person looks after several.',
    members: 'Whom to register, all or none.',
    'members.data': 'Answers by binding, with the columns of `get_group_import_template`.',
  },
  get_booth_map: {
    floorPlanCode: 'Which hall. The first when left out.',
    companyIds: 'Exhibitors to mark.',
    boothNumbers: 'Booths to mark.',
    search: 'Words in the name of an exhibitor.',
    from: 'Where the person is, to show the way.',
  },
  list_exhibitor_availability: {
    search: 'Words in the name of the exhibitor.',
    day: 'Only slots on this day.',
    from: 'Only slots from this time of day on.',
    until: 'Only slots that end by this time of day.',
  },
  book_exhibitor_appointment: {
    participantId: OWN,
    slotId: 'The slot, as `list_exhibitor_availability` tells it.',
    message: 'A few words for the exhibitor.',
  },
  list_my_appointments: {
    participantId: OWN,
    includePast: 'Also those that are over.',
    includeCancelled: 'Also those that were cancelled.',
  },
  cancel_my_appointment: {
    participantId: OWN,
    appointmentId: 'Which appointment.',
    reason: 'Why, for the other side.',
  },
  recommend_products: { participantId: OWN },
  recommend_companies: {
    participantId: OWN,
    category: 'Only exhibitors of this category.',
    excludeMet: 'Leave out those that the person has met or made an appointment with.',
  },
  recommend_participants: { participantId: OWN },
  generate_participant_profile: {
    participantId: OWN,
    tone: 'How it sounds.',
    language: 'Language that it is written in. The person’s own when left out.',
    maxWords: 'How long it may be.',
  },
}
