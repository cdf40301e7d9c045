import type { ParticipantStatus } from '../registration/tables.ts'

/** Options of a test registration run. */
export interface TestRunOptions {
  count: number
  flowSlug: string | null
  seed: number
  /** Weights by status. */
  mix: Record<ParticipantStatus, number>
  withPayments: boolean
  withGuests: boolean
  useDraft: boolean
}

/** A problem that stopped people, and how many. */
export interface TestRunFailure {
  flowSlug: string
  page: string
  binding: string
  message: string
  count: number
}
