import type { FieldDocsByTool } from '../meanings.ts'

const OWN = 'Which of the person’s own registrations, if several use the same email address.'

export const PARTICIPANT_ARGUMENT_DOCS: FieldDocsByTool = {
  agent_request_otp: {
    clientCode: 'Code of the client.',
    eventCode: 'Code of the event.',
    email: 'The person’s email address. The code is sent to it.',
  },
  agent_verify_otp: {
    clientCode: 'Code of the client.',
    eventCode: 'Code of the event.',
    email: 'Email address that the code was sent to.',
    code: 'Six-digit code from the email.',
  },
  agent_submit_registration: {
    flowSlug: 'Flow to register with. Default: the first flow open to the person.',
    data: 'Answers by binding, as listed by `agent_list_flows`. First name and surname are required. Tickets and consent are chosen in the browser.',
  },
  describe_my_flow: { participantId: OWN },
  get_my_registration: { participantId: OWN },
  update_my_registration: {
    participantId: OWN,
    data: 'New answers by binding, as listed by `describe_my_flow`. Null clears an answer.',
  },
  check_balance_due: { participantId: OWN },
  resend_my_confirmation_email: {
    participantId: OWN,
    emailId: 'Email to send again. If omitted, the emails that can be sent again are listed and nothing is sent.',
  },
  list_data_fields: {
    flowSlug: 'Only fields of this flow.',
    entity: 'Only fields of the participant, custom questions or the hotel room.',
    search: 'Words in the label or binding.',
  },
  get_hotel_list: {
    checkIn: 'First night. Prices and availability are for this stay.',
    checkOut: 'Day of departure.',
    occupants: 'Number of guests in the room.',
    search: 'Words in the name of the hotel.',
  },
  recommend_hotel: {
    participantId: OWN,
    checkIn: 'First night. Default: the days of the event.',
    checkOut: 'Day of departure.',
    occupants: 'Number of guests in the room.',
    maxTotal: 'Maximum price of the stay.',
    wishes: 'The person’s preferences.',
    'wishes.bedType': 'Type of bed.',
    'wishes.smoking': 'A smoking room.',
    'wishes.accessible': 'An accessible room.',
    'wishes.loyaltyProgram': 'The person’s loyalty programme.',
    'wishes.maxKm': 'Maximum distance from the venue in kilometres.',
  },
  get_group_import_template: {
    groupCode: 'Which group, if the person manages several.',
    format: '`csv` also returns the sheet as text.',
  },
  import_group_members: {
    groupCode: 'Which group, if the person manages several.',
    members: 'Members to register. If one fails, none is registered.',
    'members.data': 'Answers by binding, with the columns of `get_group_import_template`.',
  },
  get_booth_map: {
    floorPlanCode: 'Which hall. Default: the first.',
    companyIds: 'Exhibitors to highlight.',
    boothNumbers: 'Booths to highlight.',
    search: 'Words in the name of an exhibitor.',
    from: 'Starting point of the route.',
  },
  list_exhibitor_availability: {
    search: 'Words in the name of the exhibitor.',
    day: 'Only slots on this day.',
    from: 'Only slots that start at or after this time.',
    until: 'Only slots that end at or before this time.',
  },
  book_exhibitor_appointment: {
    participantId: OWN,
    slotId: 'Slot from `list_exhibitor_availability`.',
    message: 'Message to the exhibitor.',
  },
  list_my_appointments: {
    participantId: OWN,
    includePast: 'Also past appointments.',
    includeCancelled: 'Also cancelled appointments.',
  },
  cancel_my_appointment: {
    participantId: OWN,
    appointmentId: 'Which appointment.',
    reason: 'Reason, shown to the exhibitor.',
  },
  recommend_products: { participantId: OWN },
  recommend_companies: {
    participantId: OWN,
    category: 'Only exhibitors in this category.',
    excludeMet: 'Leave out exhibitors that the person has met or has an appointment with.',
  },
  recommend_participants: { participantId: OWN },
  generate_participant_profile: {
    participantId: OWN,
    tone: 'Tone of the text.',
    language: 'Language of the text. Default: the person’s language.',
    maxWords: 'Maximum number of words.',
  },
}
