import { toolset } from '../../kernel/tool.ts'
import addInviteListParticipants from './add-invite-list-participants.ts'
import addParticipant from './add-participant.ts'
import applyTaxRecommendations from './apply-tax-recommendations.ts'
import configureRegistrationGuests from './configure-registration-guests.ts'
import editParticipant from './edit-participant.ts'
import listOrderInvoices from './list-order-invoices.ts'
import promoteWaitlistEntries from './promote-waitlist-entries.ts'
import recordManualPayment from './record-manual-payment.ts'
import resendParticipantConfirmation from './resend-participant-confirmation.ts'
import startTaxAssessment from './start-tax-assessment.ts'
import substituteParticipant from './substitute-participant.ts'
import writeOffInvoices from './write-off-invoices.ts'

export default toolset('registration', [
  addParticipant,
  editParticipant,
  configureRegistrationGuests,
  addInviteListParticipants,
  substituteParticipant,
  resendParticipantConfirmation,
  promoteWaitlistEntries,
  listOrderInvoices,
  recordManualPayment,
  writeOffInvoices,
  startTaxAssessment,
  applyTaxRecommendations,
])
