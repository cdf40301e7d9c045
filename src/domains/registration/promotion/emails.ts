import { toMoney } from '../../../kernel/money.ts'
import { sendEventEmail } from '../../messages/event-mail/send.ts'
import { getParticipantEmailAddress } from '../confirmation.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import type { RegistrationContext, EventSnapshot } from '../event-snapshot.ts'
import type { WaitlistEntryRow } from './entries.ts'

interface About {
  snapshot: EventSnapshot
  entry: WaitlistEntryRow
  row: ParticipantRow
  /** The price of the offered product, in minor units. */
  price?: number
  orderId?: string
  /** The time when the waiting list offer expires. */
  until?: Date
}

/**
 * Emails a participant on the waiting list that a spot is offered, is assigned, or that the offer has expired. Does nothing without an
 * email address.
 */
export async function sendWaitlistEmail(
  ctx: RegistrationContext,
  trigger: 'waitlist.offered' | 'waitlist.promoted' | 'waitlist.expired',
  { snapshot, entry, row, price, orderId, until }: About,
): Promise<void> {
  if (row.email === null && row.host_id === null) return
  const product = snapshot.config.products.find(({ code }) => entry.target === `product:${code}`)
  await sendEventEmail(ctx, {
    trigger,
    participant: row,
    to: await recipient(ctx, row),
    values: {
      ...(product ? { 'product.name': product.name } : {}),
      ...(price === undefined ? {} : { 'product.price': toMoney(price, snapshot.currency) }),
      ...(until ? { 'product.deadline': { instant: until, zone: snapshot.timezone } } : {}),
    },
    ...(orderId === undefined ? {} : { orderId }),
    isTestData: row.is_test_data,
    sourceKind: 'waitlistEntry',
    sourceId: entry.id,
    // The deduplication key contains the deadline, so that the email about a new offer after a withdrawn one is not dropped as a duplicate.
    recipientKey: `${trigger}:${until?.toISOString() ?? ''}`,
  })
}

const recipient = async (ctx: RegistrationContext, row: ParticipantRow) => ({
  email: await getParticipantEmailAddress(ctx, row),
  name: [row.first_name, row.last_name].filter(Boolean).join(' ') || null,
})
