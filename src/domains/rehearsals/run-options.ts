import type { ParticipantStatus } from '../registration/tables.ts'

export interface TestRunOptions {
  count: number
  flowSlug: string | null
  seed: number
  /** The relative share of participants with each registration status. */
  mix: Record<ParticipantStatus, number>
  withPayments: boolean
  withGuests: boolean
  useDraft: boolean
}

/** A problem that made test registrations fail, and how many of them. */
export interface TestRunFailure {
  flowSlug: string
  page: string
  binding: string
  message: string
  count: number
}
