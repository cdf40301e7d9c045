import type { ParticipantStatus } from '../registration/tables.ts'

export interface TestRunOptions {
  count: number
  flowSlug: string | null
  seed: number
  /** The share of participants with each registration status, relative to the others. */
  mix: Record<ParticipantStatus, number>
  withPayments: boolean
  withGuests: boolean
  useDraft: boolean
}

/** A problem because of which test registrations failed, and how many failed. */
export interface TestRunFailure {
  flowSlug: string
  page: string
  binding: string
  message: string
  count: number
}
