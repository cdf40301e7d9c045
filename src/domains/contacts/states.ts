import { defineStates } from '../../kernel/states.ts'

export const CONTACT_PAIR_STATES = defineStates({
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
