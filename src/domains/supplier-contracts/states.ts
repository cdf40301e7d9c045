import { defineStateMachine } from '../../kernel/states.ts'

export const CONTRACT_STATES = defineStateMachine({
  column: 'supplier_contracts.status',
  kind: 'contract',
  noun: 'contract',
  initial: 'draft',
  moves: {
    draft: ['submitted'],
    submitted: ['redlinesReceived', 'readyForSignature'],
    redlinesReceived: ['counterProposed', 'readyForSignature'],
    counterProposed: ['counterApplied'],
    counterApplied: ['counterSent', 'readyForSignature'],
    counterSent: ['redlinesReceived', 'readyForSignature'],
    readyForSignature: ['outForSignature'],
    outForSignature: ['executed', 'readyForSignature', 'redlinesReceived'],
    executed: [],
  },
  announced: { executed: 'contract.executed' },
})

export const CLAUSE_STATES = defineStateMachine({
  column: 'contract_clauses.state',
  kind: 'contract',
  noun: 'clause',
  initial: 'agreed',
  moves: {
    agreed: ['open', 'countered', 'rejected', 'agreed'],
    open: ['agreed', 'countered', 'rejected', 'open'],
    countered: ['agreed', 'open', 'rejected', 'countered'],
    rejected: ['agreed', 'open', 'countered', 'rejected'],
  },
})

export const COUNTER_PROPOSAL_STATES = defineStateMachine({
  column: 'contract_counters.status',
  kind: 'contract',
  noun: 'counter',
  initial: 'draft',
  moves: {
    draft: ['applied', 'discarded'],
    applied: ['sent'],
    sent: [],
    discarded: [],
  },
  refusal: 'conflict',
})

export const MILESTONE_STATES = defineStateMachine({
  column: 'milestones.status',
  kind: 'milestone',
  noun: 'milestone',
  initial: 'upcoming',
  moves: {
    upcoming: ['due', 'done', 'missed', 'waived'],
    due: ['upcoming', 'done', 'missed', 'waived'],
    missed: ['upcoming', 'due', 'done', 'waived'],
    done: ['upcoming', 'due', 'missed'],
    waived: ['upcoming', 'due', 'missed'],
  },
})
