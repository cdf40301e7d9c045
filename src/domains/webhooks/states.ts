import { defineStateMachine } from '../../kernel/states.ts'

/** The states of a webhook endpoint. An endpoint is disabled after repeated failures. */
export const WEBHOOK_ENDPOINT_STATES = defineStateMachine({
  column: 'webhook_endpoints.status',
  kind: 'webhook',
  noun: 'webhook',
  initial: 'active',
  moves: {
    active: ['paused', 'disabled'],
    paused: ['active'],
    disabled: ['active'],
  },
})

/** The states of a webhook delivery. A finished delivery becomes pending again when it is replayed. */
export const DELIVERY_STATES = defineStateMachine({
  column: 'webhook_deliveries.status',
  kind: 'webhookDelivery',
  noun: 'webhook delivery',
  initial: 'pending',
  moves: {
    pending: ['delivered', 'exhausted', 'dropped'],
    delivered: ['pending'],
    exhausted: ['pending'],
    dropped: ['pending'],
  },
})
