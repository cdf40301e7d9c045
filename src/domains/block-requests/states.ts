import { defineStateMachine } from '../../kernel/states.ts'

/** The states of a block request. A request without rooms is `submitted`; its other open states are derived from its granted rooms. */
export const BLOCK_REQUEST_STATES = defineStateMachine({
  column: 'block_requests.status',
  kind: 'blockRequest',
  noun: 'block request',
  initial: 'draft',
  moves: {
    draft: ['submitted'],
    submitted: ['partiallyAllocated', 'allocated', 'closed'],
    partiallyAllocated: ['submitted', 'allocated', 'accepted', 'declined', 'closed'],
    allocated: ['submitted', 'partiallyAllocated', 'accepted', 'declined', 'closed'],
    accepted: ['submitted', 'partiallyAllocated', 'allocated', 'closed'],
    declined: ['closed'],
    closed: ['submitted', 'partiallyAllocated', 'allocated', 'accepted'],
  },
})

export const BLOCK_AMENDMENT_STATES = defineStateMachine({
  column: 'block_request_amendments.status',
  kind: 'blockAmendment',
  noun: 'amendment',
  initial: 'pending',
  moves: {
    pending: ['approved', 'denied', 'withdrawn'],
    approved: [],
    denied: [],
    withdrawn: [],
  },
  refusal: 'conflict',
})
