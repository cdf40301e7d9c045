import { states } from '../../kernel/states.ts'

/** A decision is stored as `pending` first. The status changes when the submitter is informed. */
export const SUBMISSION_STATES = states({
  column: 'submissions.status',
  kind: 'submission',
  noun: 'submission',
  initial: 'draft',
  moves: {
    draft: ['submitted', 'withdrawn', 'merged'],
    submitted: ['under_review', 'accepted', 'backup', 'rejected', 'withdrawn', 'merged'],
    under_review: ['accepted', 'backup', 'rejected', 'withdrawn', 'merged'],
    backup: ['accepted', 'rejected', 'withdrawn', 'merged'],
    accepted: ['confirmed', 'rejected', 'cancelled'],
    confirmed: ['cancelled'],
    rejected: [],
    cancelled: [],
    withdrawn: [],
    merged: [],
  },
  announced: {
    submitted: 'submission.updated',
    under_review: 'submission.updated',
    accepted: 'submission.updated',
    backup: 'submission.updated',
    rejected: 'submission.updated',
    confirmed: 'submission.updated',
    cancelled: 'submission.updated',
    withdrawn: 'submission.updated',
    merged: 'submission.updated',
  },
})

export type SubmissionStatus = (typeof SUBMISSION_STATES.all)[number]

export const DECISIONS = ['accepted', 'backup', 'rejected'] as const
export type Decision = (typeof DECISIONS)[number]

/** Statuses in which the committee can still decide. */
export const OPEN_STATUSES = ['submitted', 'under_review', 'backup'] as const satisfies readonly SubmissionStatus[]
export const isOpen = (status: SubmissionStatus) => (OPEN_STATUSES as readonly string[]).includes(status)

/** Statuses that end a submission. A speaker who is on another one cannot be deleted. */
export const ENDED_STATUSES = ['rejected', 'cancelled', 'withdrawn', 'merged'] as const satisfies readonly SubmissionStatus[]
