import { EXTERNAL_CALL_STATES, JOB_STATES, EMAIL_STATES } from '../kernel/work-states.ts'
import { BLOCK_AMENDMENT_STATES, BLOCK_REQUEST_STATES } from './block-requests/states.ts'
import { DUPLICATE_CANDIDATE_STATES } from './contacts/states.ts'
import { CONNECTION_STATES } from './directories/state-machine.ts'
import { appointmentStates } from './exhibitors/appointment-states.ts'
import { boothStates } from './exhibitors/floor/booths.ts'
import {
  APPLICATION_STATES,
  COMPANY_STATES,
  DEVICE_STATES,
  FLOOR_PLAN_SCAN_STATES,
  FLOOR_PLAN_STATES,
  LEAD_STATES,
  LEAD_LICENCE_STATES,
  STAFF_STATES,
} from './exhibitors/states.ts'
import { FEEDBACK_STATES } from './feedback/feedback-states.ts'
import { GROUP_INVITE_STATES, GROUP_STATES } from './groups/states.ts'
import {
  ROOM_BLOCK_SALE_STATES,
  GUARANTEE_STATES,
  HOTEL_SALE_STATES,
  HOTEL_WAITLIST_STATES,
  HOUSING_CONTRACT_STATES,
  RESERVATION_NIGHT_STATES,
  RESERVATION_STATES,
  ROOM_BLOCK_STATES,
  ROOM_SHARE_STATES,
} from './housing/states.ts'
import { IMPORT_RUN_STATES, IMPORT_SETUP_STATES } from './imports/states.ts'
import { HOLD_STATES } from './inventory/states.ts'
import { INVOICE_STATES } from './orders/states.ts'
import { CARD_SETUP_STATES, CHARGE_STATES } from './payments/states.ts'
import { INVITE_LIST_STATES, PARTICIPANT_STATES, WAITLIST_ENTRY_STATES } from './registration/states.ts'
import { REPORT_DELIVERY_STATES, REPORT_STATES } from './reports/designed/states.ts'
import { REHEARSAL_STATES } from './rehearsals/states.ts'
import { REPORT_RUN_STATES } from './reports/runs/states.ts'
import { ENROLMENT_STATES, SESSION_STATES, SPEAKER_STATES } from './sessions/states.ts'
import { SUBMISSION_STATES } from './submissions/states.ts'
import { EVENT_STATES } from './tenancy/states.ts'
import { DELIVERY_STATES, WEBHOOK_ENDPOINT_STATES } from './webhooks/states.ts'
import { AUDIENCE_BUILD_STATES } from './audiences/states.ts'
import { AWARD_STATES } from './awards/states.ts'
import { BRIEF_STATES } from './briefs/states.ts'
import { RECIPIENT_STATES, RFP_STATES } from './rfps/states.ts'
import { SUPPLIER_STATES } from './suppliers/states.ts'
import { CLAUSE_STATES, CONTRACT_STATES, COUNTER_PROPOSAL_STATES, MILESTONE_STATES } from './supplier-contracts/states.ts'
import { ENVELOPE_STATES, SIGNER_STATES } from './signing/states.ts'
import { SURVEY_INVITE_STATES, SURVEY_RESPONSE_STATES } from './surveys/states.ts'

/** The states of all tables with a status, for the documentation and the architecture test. */
export const STATE_MACHINES = [
  APPLICATION_STATES,
  appointmentStates,
  AUDIENCE_BUILD_STATES,
  AWARD_STATES,
  BLOCK_AMENDMENT_STATES,
  BLOCK_REQUEST_STATES,
  ROOM_BLOCK_SALE_STATES,
  boothStates,
  BRIEF_STATES,
  CARD_SETUP_STATES,
  CHARGE_STATES,
  CLAUSE_STATES,
  COMPANY_STATES,
  CONNECTION_STATES,
  DUPLICATE_CANDIDATE_STATES,
  CONTRACT_STATES,
  COUNTER_PROPOSAL_STATES,
  DELIVERY_STATES,
  DEVICE_STATES,
  ENROLMENT_STATES,
  ENVELOPE_STATES,
  EVENT_STATES,
  EXTERNAL_CALL_STATES,
  FEEDBACK_STATES,
  FLOOR_PLAN_SCAN_STATES,
  FLOOR_PLAN_STATES,
  GROUP_INVITE_STATES,
  GROUP_STATES,
  GUARANTEE_STATES,
  HOLD_STATES,
  HOTEL_SALE_STATES,
  HOTEL_WAITLIST_STATES,
  HOUSING_CONTRACT_STATES,
  IMPORT_RUN_STATES,
  IMPORT_SETUP_STATES,
  INVITE_LIST_STATES,
  INVOICE_STATES,
  JOB_STATES,
  LEAD_STATES,
  LEAD_LICENCE_STATES,
  EMAIL_STATES,
  MILESTONE_STATES,
  PARTICIPANT_STATES,
  RECIPIENT_STATES,
  REHEARSAL_STATES,
  REPORT_RUN_STATES,
  REPORT_DELIVERY_STATES,
  REPORT_STATES,
  RESERVATION_NIGHT_STATES,
  RESERVATION_STATES,
  RFP_STATES,
  ROOM_BLOCK_STATES,
  ROOM_SHARE_STATES,
  SESSION_STATES,
  SIGNER_STATES,
  SPEAKER_STATES,
  STAFF_STATES,
  SUBMISSION_STATES,
  SUPPLIER_STATES,
  SURVEY_INVITE_STATES,
  SURVEY_RESPONSE_STATES,
  WAITLIST_ENTRY_STATES,
  WEBHOOK_ENDPOINT_STATES,
]
