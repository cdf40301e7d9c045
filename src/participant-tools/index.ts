import type { Tool } from '../kernel/tool.ts'
import agentListFlows from './agent-list-flows.ts'
import agentRequestOtp from './agent-request-otp.ts'
import agentSubmitRegistration from './agent-submit-registration.ts'
import agentVerifyOtp from './agent-verify-otp.ts'
import getHotelList from './get-hotel-list.ts'
import recommendHotel from './recommend-hotel.ts'
import recommendParticipants from './recommend-participants.ts'
import recommendProducts from './recommend-products.ts'

/** The participant endpoint's tools in their fixed order. */
export const PARTICIPANT_TOOLS: readonly Tool[] = [
  agentRequestOtp,
  agentVerifyOtp,
  agentListFlows,
  agentSubmitRegistration,
  getHotelList,
  recommendHotel,
  recommendProducts,
  recommendParticipants,
]
