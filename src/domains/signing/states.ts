import { defineStateMachine } from '../../kernel/states.ts'

export const ENVELOPE_STATES = defineStateMachine({
  column: 'signature_envelopes.status',
  kind: 'envelope',
  noun: 'envelope',
  initial: 'created',
  moves: {
    created: ['sent', 'delivered', 'completed', 'declined', 'voided', 'expired'],
    sent: ['delivered', 'completed', 'declined', 'voided', 'expired'],
    delivered: ['completed', 'declined', 'voided', 'expired'],
    completed: [],
    declined: [],
    voided: [],
    expired: [],
  },
  refusal: 'conflict',
})

export const SIGNER_STATES = defineStateMachine({
  column: 'envelope_signers.status',
  kind: 'envelope',
  noun: 'signer',
  initial: 'waiting',
  moves: {
    waiting: ['sent', 'viewed', 'signed', 'declined'],
    sent: ['viewed', 'signed', 'declined'],
    viewed: ['signed', 'declined'],
    signed: [],
    declined: [],
  },
  refusal: 'conflict',
})
