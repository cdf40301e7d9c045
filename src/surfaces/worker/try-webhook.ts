import { type Delivery, getDelivery } from '../../domains/webhooks/deliveries.ts'
import { takeTrial } from '../../domains/webhooks/trial.ts'
import type { Road } from '../road.ts'
import { webhookSender } from './send-webhooks.ts'

export interface Tried {
  messageId: string
  delivered: boolean
  status: number | null
  ms: number
  error: string | null
  body: string | null
}

/** Sends a trial that was just written and tells how it went; of one that was sent before, how it went then. */
export async function tryWebhook(road: Road, at: { tenantId: number; endpointId: string; messageId: string }): Promise<Tried> {
  const held = await takeTrial(road.database.write, at)
  if (held) await webhookSender(road).attempt(held)
  const { tenantId, endpointId, messageId } = at
  const delivery: Delivery = await getDelivery({ tenantId, db: road.database.write }, endpointId, messageId)
  const { status = null, ms = 0, error = null, body = null } = delivery.attempts.at(-1) ?? {}
  return { messageId, delivered: delivery.status === 'delivered', status, ms, error, body }
}
