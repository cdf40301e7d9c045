import type { Metric } from './types.ts'

export const MAIL_METRICS: readonly Metric[] = [
  {
    code: 'email.sent',
    label: 'Emails sent',
    formula: 'emails that were handed to the mail server',
    type: 'integer',
    entity: 'message',
    aggregate: 'count',
    filter: { field: 'sentAt', op: 'isSet' },
    dateField: 'sentAt',
  },
  {
    code: 'email.bounced',
    label: 'Emails bounced',
    formula: 'sent emails that came back',
    type: 'integer',
    entity: 'message',
    aggregate: 'count',
    filter: {
      all: [
        { field: 'sentAt', op: 'isSet' },
        { field: 'status', op: 'equals', value: 'bounced' },
      ],
    },
    dateField: 'sentAt',
  },
  {
    code: 'email.delivered',
    label: 'Emails delivered',
    formula: 'sent − bounced',
    type: 'integer',
    expression: 'email.sent - email.bounced',
  },
  {
    code: 'email.complaints',
    label: 'Complaints',
    formula: 'emails that their recipients reported as spam',
    synonyms: ['spam reports'],
    type: 'integer',
    entity: 'message',
    aggregate: 'count',
    filter: { field: 'status', op: 'equals', value: 'complained' },
    dateField: 'sentAt',
  },
  {
    code: 'email.complaintRate',
    label: 'Complaint rate',
    formula: '100 · complaints / delivered',
    type: 'percent',
    expression: '100 * email.complaints / email.delivered',
  },
]
