import { type WebhookDelivery, getDelivery } from '../../domains/webhooks/deliveries.ts'
import { leaseTestMessage } from '../../domains/webhooks/test-message.ts'
import type { AppServices } from '../services.ts'
import { createWebhookSender } from './send-webhooks.ts'

export interface WebhookTestResult {
  messageId: string
  delivered: boolean
  status: number | null
  ms: number
  error: string | null
  body: string | null
}

/** Sends a test message that was just written and returns the result. For a message that was sent before, returns the earlier result. */
export async function sendTestWebhook(
  services: AppServices,
  at: { tenantId: number; endpointId: string; messageId: string },
): Promise<WebhookTestResult> {
  const held = await leaseTestMessage(services.database.write, at)
  if (held) await createWebhookSender(services).attempt(held)
  const { tenantId, endpointId, messageId } = at
  const delivery: WebhookDelivery = await getDelivery({ tenantId, db: services.database.write }, endpointId, messageId)
  const { status = null, ms = 0, error = null, body = null } = delivery.attempts.at(-1) ?? {}
  return { messageId, delivered: delivery.status === 'delivered', status, ms, error, body }
}
