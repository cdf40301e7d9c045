import { importAttendanceJob } from './domains/attendance/import-attendance.ts'
import { buildProfilesJob } from './domains/audiences/building/build-job.ts'
import { rebuildStaleProfiles } from './domains/audiences/nightly.ts'
import { declineExpiredRequests } from './domains/block-requests/answer.ts'
import { invoiceCheckout } from './domains/checkout/pay-invoices.ts'
import { retryFollowUp } from './domains/checkout/paid-follow-ups.ts'
import { registrationCheckout } from './domains/checkout/paid-registration.ts'
import { cancelSupersededJob } from './domains/checkout/unverified-duplicates.ts'
import { retryLookup } from './domains/directories/retry.ts'
import { endExpiredOffers } from './domains/exhibitors/applications/offers.ts'
import { releaseExpiredHolds } from './domains/exhibitors/booths/expired-holds.ts'
import { scanFloorPlanJob } from './domains/exhibitors/plan-scans/scan-job.ts'
import { proposeAssignmentsJob } from './domains/exhibitors/proposals/propose.ts'
import { cleanUpRoomHolds } from './domains/housing/cleanup.ts'
import { storeRoomingListFiles } from './domains/housing/rooming/files.ts'
import { sendRoomingLists } from './domains/housing/rooming/task.ts'
import { runImportJob, writeErrorsJob } from './domains/imports/import-jobs.ts'
import { watchIntegrity } from './domains/orders/integrity/watch.ts'
import { compareCharges } from './domains/payments/compare.ts'
import { reconcileCharges } from './domains/payments/reconcile.ts'
import { refundCall } from './domains/payments/refunds.ts'
import { cardSetup } from './domains/payments/card-setups.ts'
import { processorReversalsCall } from './domains/payments/processor-reversals.ts'
import { updateProfilesTask } from './domains/recommendations/update-profiles.ts'
import { aggregateFigures } from './domains/registration/summary/aggregate-figures.ts'
import { settleRoomGuarantees, enqueueRoomGuarantees } from './domains/checkout/room-guarantees.ts'
import { runHotelCutoffs, watchRoomBlockDates } from './domains/checkout/room-deadlines.ts'
import { takePickupSnapshots } from './domains/housing/summary/snapshots.ts'
import { watchRoomCounters } from './domains/orders/integrity/watch-rooms.ts'
import { waitlistCharge } from './domains/registration/promotion/charge.ts'
import { hotelDepositCharge } from './domains/checkout/hotel-waitlist/deposit-charge.ts'
import { fillWaitlistJob } from './domains/checkout/hotel-waitlist/job.ts'
import { moveReservationsJob } from './domains/checkout/room-moves/job.ts'
import { sendDueRegistrationEmails } from './domains/registration/due-emails.ts'
import { expireHolds } from './domains/registration/promotion/expire-holds.ts'
import { createTestRegistrationsJob } from './domains/rehearsals/create-people.ts'
import { sendReportDeliveries } from './domains/reports/designed/deliveries/task.ts'
import { rehearseFlow } from './domains/rehearsals/rehearse.ts'
import { expireReportRuns } from './domains/reports/runs/expire.ts'
import { runReportJob } from './domains/reports/runs/run-job.ts'
import { processRfpDeadlines } from './domains/rfps/task.ts'
import { fetchHeadshots } from './domains/sessions/fetch-headshots.ts'
import { processEnvelopeDeadlines } from './domains/signing/deadlines.ts'
import { createEnvelopeAtDocuSign, readEnvelopeFromDocuSign, voidEnvelopeAtDocuSign } from './domains/signing/docusign.ts'
import { sealSignedFiles } from './domains/signing/sealed-files.ts'
import { lapseSubmissions } from './domains/submissions/confirm.ts'
import { updateMilestones } from './domains/supplier-contracts/milestone-task.ts'
import { assessTaxesJob } from './domains/taxation/assess.ts'
import { disableFailingEndpointJob, disableFailingEndpointsTask } from './domains/webhooks/disable.ts'
import type { Job } from './kernel/jobs.ts'
import type { ExternalCall } from './kernel/external-calls.ts'
import type { RecurringTask } from './kernel/recurring.ts'
import { hourlyCleanup } from './surfaces/worker/cleanup.ts'

/** All background jobs. */
export const JOBS: readonly Job[] = [
  retryLookup as Job,
  assessTaxesJob as Job,
  runImportJob as Job,
  importAttendanceJob as Job,
  writeErrorsJob as Job,
  createTestRegistrationsJob as Job,
  rehearseFlow as Job,
  disableFailingEndpointJob as unknown as Job,
  settleRoomGuarantees as unknown as Job,
  fillWaitlistJob as unknown as Job,
  moveReservationsJob as unknown as Job,
  retryFollowUp as unknown as Job,
  cancelSupersededJob as unknown as Job,
  scanFloorPlanJob as Job,
  proposeAssignmentsJob as Job,
  fetchHeadshots as unknown as Job,
  sealSignedFiles as unknown as Job,
  storeRoomingListFiles as unknown as Job,
  buildProfilesJob as Job,
  runReportJob as Job,
]

export const RECURRING_TASKS: readonly RecurringTask[] = [
  hourlyCleanup,
  watchIntegrity,
  aggregateFigures,
  expireHolds,
  sendDueRegistrationEmails,
  cleanUpRoomHolds,
  sendRoomingLists,
  releaseExpiredHolds(endExpiredOffers),
  enqueueRoomGuarantees,
  runHotelCutoffs,
  watchRoomBlockDates,
  takePickupSnapshots,
  watchRoomCounters,
  reconcileCharges,
  compareCharges,
  updateProfilesTask,
  disableFailingEndpointsTask,
  lapseSubmissions,
  declineExpiredRequests,
  processRfpDeadlines,
  processEnvelopeDeadlines,
  updateMilestones,
  rebuildStaleProfiles,
  expireReportRuns,
  sendReportDeliveries,
]

export const EXTERNAL_CALLS: readonly ExternalCall[] = [
  waitlistCharge as unknown as ExternalCall,
  hotelDepositCharge as unknown as ExternalCall,
  registrationCheckout as unknown as ExternalCall,
  invoiceCheckout as unknown as ExternalCall,
  cardSetup as ExternalCall,
  refundCall as ExternalCall,
  processorReversalsCall as ExternalCall,
  createEnvelopeAtDocuSign as unknown as ExternalCall,
  voidEnvelopeAtDocuSign as unknown as ExternalCall,
  readEnvelopeFromDocuSign as unknown as ExternalCall,
]
