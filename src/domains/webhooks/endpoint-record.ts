import { code, list, oneOf, text } from '../../kernel/args.ts'
import { defineRecord } from '../../kernel/records.ts'
import { WEBHOOK_ENDPOINT_STATES } from './states.ts'

export const WEBHOOK_RECORD = defineRecord({
  table: 'webhook_endpoints',
  kind: 'webhook',
  noun: 'Webhook',
  name: ({ id }) => id,
  primaryKey: ['tenant_id', 'id'],
  states: WEBHOOK_ENDPOINT_STATES,
  fields: {
    url: { column: 'url', type: text(2000), meaning: 'https, at a public address.' },
    kinds: { column: 'kinds', type: list(text(), 100), meaning: 'Kinds that are sent, or one "*" for all, including future kinds.' },
    clientCode: { column: 'client_code', empty: null, type: code(), meaning: 'Only changes of this client.' },
    eventCode: { column: 'event_code', empty: null, type: code(), meaning: 'Only changes of this event.' },
    description: { column: 'description', type: text(500), meaning: 'Note for people, such as who runs the receiver.' },
    status: {
      column: 'status',
      type: oneOf(['active', 'paused', 'disabled']),
      meaning: 'Disabled webhooks failed for days, or refused all messages.',
    },
    disabledReason: { column: 'disabled_reason', empty: null, type: text(), meaning: 'Why messages are no longer sent.' },
  },
})
