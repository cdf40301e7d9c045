import { defineStateMachine } from '../../kernel/states.ts'

export const DUPLICATE_CANDIDATE_STATES = defineStateMachine({
  column: 'contact_pairs.status',
  kind: 'contactPair',
  noun: 'duplicate candidate',
  initial: 'open',
  moves: {
    open: ['merged', 'not_duplicate', 'auto_merged'],
    merged: [],
    not_duplicate: ['open'],
    auto_merged: ['open'],
  },
})
