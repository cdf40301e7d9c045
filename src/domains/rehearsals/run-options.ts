import type { ParticipantStatus } from '../registration/tables.ts'

export interface TestRunOptions {
  count: number
  flowSlug: string | null
  seed: number
  /** The relative number of participants with each registration status. */
  mix: Record<ParticipantStatus, number>
  withPayments: boolean
  withGuests: boolean
  useDraft: boolean
}

/** A problem that prevented test registrations, and the number of prevented registrations. */
export interface TestRunFailure {
  flowSlug: string
  page: string
  binding: string
  message: string
  count: number
}
