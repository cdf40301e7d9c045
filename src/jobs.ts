import { importAttendanceJob } from './domains/attendance/import-attendance.ts'
import { buildProfilesJob } from './domains/audiences/building/build-job.ts'
import { rebuildStaleProfiles } from './domains/audiences/nightly.ts'
import { declineExpiredRequests } from './domains/block-requests/answer.ts'
import { invoicePaymentCheckout } from './domains/checkout/pay-invoices.ts'
import { retryFollowUpTaskJob } from './domains/checkout/paid-follow-ups.ts'
import { registrationPaymentCheckout } from './domains/checkout/paid-registration.ts'
import { cancelUnverifiedDuplicatesJob } from './domains/checkout/unverified-duplicates.ts'
import { retryLookup } from './domains/directories/retry.ts'
import { endExpiredOffers } from './domains/exhibitors/applications/offers.ts'
import { createReleaseExpiredHoldsTask } from './domains/exhibitors/booths/expired-holds.ts'
import { scanFloorPlanJob } from './domains/exhibitors/plan-scans/scan-job.ts'
import { proposeAssignmentsJob } from './domains/exhibitors/proposals/propose.ts'
import { cleanUpRoomHolds } from './domains/housing/cleanup.ts'
import { storeRoomingListFiles } from './domains/housing/rooming/files.ts'
import { sendDueRoomingLists } from './domains/housing/rooming/task.ts'
import { runImportJob, writeImportErrorsJob } from './domains/imports/import-jobs.ts'
import { watchDataIntegrity } from './domains/orders/integrity/watch.ts'
import { compareProcessorChargesTask } from './domains/payments/compare.ts'
import { reconcileChargesTask } from './domains/payments/reconcile.ts'
import { processorRefundCall } from './domains/payments/refunds.ts'
import { cardSetupCall } from './domains/payments/card-setups.ts'
import { processorReversalsCall } from './domains/payments/processor-reversals.ts'
import { updateProfilesTask } from './domains/recommendations/update-profiles.ts'
import { aggregateRegistrationFigures } from './domains/registration/summary/aggregate-figures.ts'
import { enforceRoomGuarantees, enqueueGuaranteeEnforcement } from './domains/checkout/room-guarantees.ts'
import { runHotelCutoffs, enforceRoomBlockDeadlines } from './domains/checkout/room-deadlines.ts'
import { takePickupSnapshots } from './domains/housing/summary/snapshots.ts'
import { watchRoomNightCounts } from './domains/orders/integrity/watch-rooms.ts'
import { waitlistSavedCardCharge } from './domains/registration/promotion/charge.ts'
import { hotelDepositCardCharge } from './domains/checkout/hotel-waitlist/deposit-charge.ts'
import { fillWaitlistJob } from './domains/checkout/hotel-waitlist/job.ts'
import { moveReservationsJob } from './domains/checkout/room-moves/job.ts'
import { sendDueRegistrationEmails } from './domains/registration/due-emails.ts'
import { expireCapacityHolds } from './domains/registration/promotion/expire-holds.ts'
import { createTestRegistrationsJob } from './domains/rehearsals/create-people.ts'
import { sendReportDeliveries } from './domains/reports/designed/deliveries/task.ts'
import { rehearseFlowJob } from './domains/rehearsals/rehearse.ts'
import { expireReportRuns } from './domains/reports/runs/expire.ts'
import { runReportJob } from './domains/reports/runs/run-job.ts'
import { processRfpDeadlines } from './domains/rfps/task.ts'
import { fetchHeadshots } from './domains/sessions/fetch-headshots.ts'
import { processEnvelopeDeadlines } from './domains/signing/deadlines.ts'
import { createEnvelopeAtDocuSign, readEnvelopeFromDocuSign, voidEnvelopeAtDocuSign } from './domains/signing/docusign.ts'
import { sealSignedFilesJob } from './domains/signing/sealed-files.ts'
import { lapseUnconfirmedSubmissions } from './domains/submissions/confirm.ts'
import { updateMilestoneStatuses } from './domains/supplier-contracts/milestone-task.ts'
import { assessTaxesJob } from './domains/taxation/assess.ts'
import { disableFailingEndpointJob, disableFailingEndpointsTask } from './domains/webhooks/disable.ts'
import type { Job } from './kernel/jobs.ts'
import type { ExternalCall } from './kernel/external-calls.ts'
import type { RecurringTask } from './kernel/recurring.ts'
import { hourlyCleanupTask } from './surfaces/worker/cleanup.ts'

/** All background jobs. */
export const JOB_DEFINITIONS: readonly Job[] = [
  retryLookup as Job,
  assessTaxesJob as Job,
  runImportJob as Job,
  importAttendanceJob as Job,
  writeImportErrorsJob as Job,
  createTestRegistrationsJob as Job,
  rehearseFlowJob as Job,
  disableFailingEndpointJob as unknown as Job,
  enforceRoomGuarantees as unknown as Job,
  fillWaitlistJob as unknown as Job,
  moveReservationsJob as unknown as Job,
  retryFollowUpTaskJob as unknown as Job,
  cancelUnverifiedDuplicatesJob as unknown as Job,
  scanFloorPlanJob as Job,
  proposeAssignmentsJob as Job,
  fetchHeadshots as unknown as Job,
  sealSignedFilesJob as unknown as Job,
  storeRoomingListFiles as unknown as Job,
  buildProfilesJob as Job,
  runReportJob as Job,
]

export const RECURRING_TASK_DEFINITIONS: readonly RecurringTask[] = [
  hourlyCleanupTask,
  watchDataIntegrity,
  aggregateRegistrationFigures,
  expireCapacityHolds,
  sendDueRegistrationEmails,
  cleanUpRoomHolds,
  sendDueRoomingLists,
  createReleaseExpiredHoldsTask(endExpiredOffers),
  enqueueGuaranteeEnforcement,
  runHotelCutoffs,
  enforceRoomBlockDeadlines,
  takePickupSnapshots,
  watchRoomNightCounts,
  reconcileChargesTask,
  compareProcessorChargesTask,
  updateProfilesTask,
  disableFailingEndpointsTask,
  lapseUnconfirmedSubmissions,
  declineExpiredRequests,
  processRfpDeadlines,
  processEnvelopeDeadlines,
  updateMilestoneStatuses,
  rebuildStaleProfiles,
  expireReportRuns,
  sendReportDeliveries,
]

export const EXTERNAL_CALL_DEFINITIONS: readonly ExternalCall[] = [
  waitlistSavedCardCharge as unknown as ExternalCall,
  hotelDepositCardCharge as unknown as ExternalCall,
  registrationPaymentCheckout as unknown as ExternalCall,
  invoicePaymentCheckout as unknown as ExternalCall,
  cardSetupCall as ExternalCall,
  processorRefundCall as ExternalCall,
  processorReversalsCall as ExternalCall,
  createEnvelopeAtDocuSign as unknown as ExternalCall,
  voidEnvelopeAtDocuSign as unknown as ExternalCall,
  readEnvelopeFromDocuSign as unknown as ExternalCall,
]
