import { toolset } from '../../kernel/tool.ts'
import addInviteListParticipants from './add-invite-list-participants.ts'
import addParticipant from './add-participant.ts'
import applyTaxRecommendations from './apply-tax-recommendations.ts'
import configureRegistrationGuests from './configure-registration-guests.ts'
import createManagedGroup from './create-managed-group.ts'
import createTestRegistrations from './create-test-registrations.ts'
import deleteManagedGroup from './delete-managed-group.ts'
import describeParticipantFlow from './describe-participant-flow.ts'
import editParticipant from './edit-participant.ts'
import findParticipants from './find-participants.ts'
import getFlowSummary from './get-flow-summary.ts'
import getParticipant from './get-participant.ts'
import getRegistrationSummary from './get-registration-summary.ts'
import importProducts from './import-products.ts'
import listManagedGroups from './list-managed-groups.ts'
import listOrderInvoices from './list-order-invoices.ts'
import promoteWaitlistEntries from './promote-waitlist-entries.ts'
import recordManualPayment from './record-manual-payment.ts'
import resendParticipantConfirmation from './resend-participant-confirmation.ts'
import sendGroupInvite from './send-group-invite.ts'
import setManagedGroupAdmins from './set-managed-group-admins.ts'
import startTaxAssessment from './start-tax-assessment.ts'
import substituteParticipant from './substitute-participant.ts'
import updateManagedGroup from './update-managed-group.ts'
import updateManagedGroupLeaders from './update-managed-group-leaders.ts'
import updateManagedGroupMembers from './update-managed-group-members.ts'
import writeOffInvoices from './write-off-invoices.ts'

export default toolset('registration', [
  getRegistrationSummary,
  getFlowSummary,
  describeParticipantFlow,
  findParticipants,
  getParticipant,
  addParticipant,
  editParticipant,
  configureRegistrationGuests,
  addInviteListParticipants,
  substituteParticipant,
  resendParticipantConfirmation,
  createTestRegistrations,
  listManagedGroups,
  createManagedGroup,
  updateManagedGroup,
  updateManagedGroupMembers,
  setManagedGroupAdmins,
  updateManagedGroupLeaders,
  sendGroupInvite,
  deleteManagedGroup,
  promoteWaitlistEntries,
  listOrderInvoices,
  recordManualPayment,
  writeOffInvoices,
  importProducts,
  startTaxAssessment,
  applyTaxRecommendations,
])
