import type { Tool } from '../kernel/tool.ts'
import agentListFlows from './agent-list-flows.ts'
import agentRequestOtp from './agent-request-otp.ts'
import agentSubmitRegistration from './agent-submit-registration.ts'
import agentVerifyOtp from './agent-verify-otp.ts'
import bookExhibitorAppointment from './book-exhibitor-appointment.ts'
import cancelMyAppointment from './cancel-my-appointment.ts'
import checkBalanceDue from './check-balance-due.ts'
import describeMyFlow from './describe-my-flow.ts'
import generateParticipantProfile from './generate-participant-profile.ts'
import getBoothMap from './get-booth-map.ts'
import getGroupImportTemplate from './get-group-import-template.ts'
import getHotelList from './get-hotel-list.ts'
import getMyRegistration from './get-my-registration.ts'
import importGroupMembers from './import-group-members.ts'
import listDataFields from './list-data-fields.ts'
import listExhibitorAvailability from './list-exhibitor-availability.ts'
import listMyAppointments from './list-my-appointments.ts'
import recommendCompanies from './recommend-companies.ts'
import recommendHotel from './recommend-hotel.ts'
import recommendParticipants from './recommend-participants.ts'
import recommendProducts from './recommend-products.ts'
import resendMyConfirmationEmail from './resend-my-confirmation-email.ts'
import updateMyRegistration from './update-my-registration.ts'

/** The participant endpoint's tools, in the order in which `tools/list` returns them. */
export const PARTICIPANT_TOOLS: readonly Tool[] = [
  agentRequestOtp,
  agentVerifyOtp,
  agentListFlows,
  agentSubmitRegistration,
  describeMyFlow,
  getMyRegistration,
  updateMyRegistration,
  checkBalanceDue,
  resendMyConfirmationEmail,
  listDataFields,
  getHotelList,
  recommendHotel,
  getGroupImportTemplate,
  importGroupMembers,
  getBoothMap,
  listExhibitorAvailability,
  bookExhibitorAppointment,
  listMyAppointments,
  cancelMyAppointment,
  recommendProducts,
  recommendCompanies,
  recommendParticipants,
  generateParticipantProfile,
]
