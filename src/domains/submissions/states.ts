import { defineStateMachine } from '../../kernel/states.ts'

/** The states of a submission. A decision is stored as `pending` first; the status changes when the submitter is informed. */
export const SUBMISSION_STATES = defineStateMachine({
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

/** The statuses in which the committee can still decide on a submission. */
export const OPEN_SUBMISSION_STATUSES = ['submitted', 'under_review', 'backup'] as const satisfies readonly SubmissionStatus[]
export const isOpenSubmission = (status: SubmissionStatus) => (OPEN_SUBMISSION_STATUSES as readonly string[]).includes(status)

/** The statuses of ended submissions. A speaker can be deleted only if all of their submissions have ended. */
export const ENDED_SUBMISSION_STATUSES = ['rejected', 'cancelled', 'withdrawn', 'merged'] as const satisfies readonly SubmissionStatus[]
