import { invoiceCheckout } from './domains/checkout/pay-invoices.ts'
import { registrationCheckout } from './domains/checkout/paid-registration.ts'
import { retryLookup } from './domains/directories/retry.ts'
import { sweepRooms } from './domains/housing/sweep.ts'
import { runImportJob, writeErrorsJob } from './domains/imports/import-jobs.ts'
import { watchIntegrity } from './domains/orders/integrity/watch.ts'
import { compareCharges } from './domains/payments/compare.ts'
import { reconcileCharges } from './domains/payments/reconcile.ts'
import { refundCall } from './domains/payments/refunds.ts'
import { cardSetup } from './domains/payments/setups.ts'
import { takenBackCall } from './domains/payments/taken-back.ts'
import { keepRecommendations } from './domains/recommendations/keep-profiles.ts'
import { foldFigures } from './domains/registration/fold-figures.ts'
import { settleGuarantees, watchGuarantees } from './domains/registration/overdue-rooms.ts'
import { waitlistCharge } from './domains/registration/promotion/charge.ts'
import { sweepHolds } from './domains/registration/promotion/sweep.ts'
import { makeTestRegistrations } from './domains/rehearsals/make-run.ts'
import { rehearseFlow } from './domains/rehearsals/rehearse.ts'
import { assessTaxes } from './domains/taxation/assess.ts'
import { disableSilent, watchSilent } from './domains/webhooks/disable.ts'
import type { Job } from './kernel/jobs.ts'
import type { OutsideCall } from './kernel/outside-calls.ts'
import type { Recurring } from './kernel/recurring.ts'
import { tidyHourly } from './surfaces/worker/tidy.ts'

/** Every kind of background work, by its domain. */
export const JOBS: readonly Job[] = [
  retryLookup as Job,
  assessTaxes as Job,
  runImportJob as Job,
  writeErrorsJob as Job,
  makeTestRegistrations as Job,
  rehearseFlow as Job,
  disableSilent as unknown as Job,
  settleGuarantees as unknown as Job,
]

export const RECURRING: readonly Recurring[] = [
  tidyHourly,
  watchIntegrity,
  foldFigures,
  sweepHolds,
  sweepRooms,
  watchGuarantees,
  reconcileCharges,
  compareCharges,
  keepRecommendations,
  watchSilent,
]

export const OUTSIDE_CALLS: readonly OutsideCall[] = [
  waitlistCharge as unknown as OutsideCall,
  registrationCheckout as unknown as OutsideCall,
  invoiceCheckout as unknown as OutsideCall,
  cardSetup as OutsideCall,
  refundCall as OutsideCall,
  takenBackCall as OutsideCall,
]
