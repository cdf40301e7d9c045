import { defineStateMachine } from '../../kernel/states.ts'

export const RFP_STATES = defineStateMachine({
  column: 'rfps.status',
  kind: 'rfp',
  noun: 'RFP',
  initial: 'draft',
  moves: {
    draft: ['distributed', 'cancelled'],
    distributed: ['closed', 'awarded', 'cancelled'],
    closed: ['awarded', 'cancelled'],
    awarded: [],
    cancelled: [],
  },
})

/**
 * The states of an RFP recipient. A supplier can turn the RFP down, or be declined, at every step before the decision. Turning down can be
 * undone until the due time.
 */
export const RECIPIENT_STATES = defineStateMachine({
  column: 'rfp_recipients.status',
  kind: 'rfpRecipient',
  noun: 'recipient',
  initial: 'notSent',
  moves: {
    notSent: ['sent', 'declined'],
    sent: ['opened', 'acknowledged', 'inProgress', 'submitted', 'turnedDown', 'bounced', 'noResponse', 'declined'],
    opened: ['acknowledged', 'inProgress', 'submitted', 'turnedDown', 'bounced', 'noResponse', 'declined'],
    acknowledged: ['inProgress', 'submitted', 'turnedDown', 'bounced', 'noResponse', 'declined'],
    inProgress: ['submitted', 'turnedDown', 'bounced', 'noResponse', 'declined'],
    submitted: ['submitted', 'turnedDown', 'withdrawn', 'declined', 'awarded'],
    turnedDown: ['acknowledged'],
    withdrawn: ['submitted'],
    bounced: ['sent', 'noResponse'],
    noResponse: ['declined'],
    declined: [],
    awarded: [],
  },
})
