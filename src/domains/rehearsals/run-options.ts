import type { ParticipantStatus } from '../registration/tables.ts'

/** How a run of test registrations was asked for. */
export interface RunOptions {
  count: number
  flowSlug: string | null
  seed: number
  /** Weights: of how many of whom, in what state. */
  mix: Record<ParticipantStatus, number>
  withPayments: boolean
  withGuests: boolean
  useDraft: boolean
}

/** Where people could not go on, and how many of them. */
export interface Failure {
  flowSlug: string
  page: string
  binding: string
  message: string
  count: number
}
