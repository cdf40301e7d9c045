import { day, instant, name } from '../../kernel/args.ts'
import { defineRecord } from '../../kernel/records.ts'
import { RFP_STATES } from './states.ts'

/** The fields of an RFP that can be edited while it is a draft. */
export const RFP_RECORD = defineRecord({
  table: 'rfps',
  kind: 'rfp',
  noun: 'RFP',
  name: (row) => row.number,
  primaryKey: ['tenant_id', 'event_id', 'id'],
  states: RFP_STATES,
  fields: {
    title: { column: 'title', type: name(200), meaning: 'Title that suppliers see.' },
    questionsDueAt: { column: 'questions_due_at', type: instant(), meaning: 'Until when suppliers can ask.' },
    responseDueAt: { column: 'response_due_at', type: instant(), meaning: 'Until when suppliers can respond.' },
    decisionOn: { column: 'decision_on', type: day(), meaning: 'Day of the decision.' },
    number: { column: 'number', readOnly: true },
  },
})
