import type { EventContext } from '../../../kernel/context.ts'
import { type Money, toMoney } from '../../../kernel/money.ts'
import { sendEventEmail } from '../../messages/event-mail/send.ts'
import { addressOf } from '../confirmation.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import type { Scene } from '../scene.ts'
import type { EntryRow } from './entries.ts'

interface About {
  scene: Scene
  entry: EntryRow
  row: ParticipantRow
  /** In minor units. */
  price: number
  orderId?: string
  /** Of an offer. */
  until?: Date
}

/** Tells somebody who waits that a place is theirs, or theirs to take. Whoever has no address is told nothing. */
export async function mailWaitlist(
  ctx: EventContext,
  trigger: 'waitlist.offered' | 'waitlist.promoted',
  { scene, entry, row, price, orderId, until }: About,
): Promise<void> {
  if (row.email === null && row.host_id === null) return
  const product = scene.config.products.find(({ code }) => entry.target === `product:${code}`)
  const amount: Money = toMoney(price, scene.currency)
  await sendEventEmail(ctx, {
    trigger,
    participant: row,
    to: await recipient(ctx, row),
    values: {
      ...(product ? { 'product.name': product.name } : {}),
      'product.price': amount,
      ...(until ? { 'product.deadline': { instant: until, zone: scene.timezone } } : {}),
    },
    ...(orderId === undefined ? {} : { orderId }),
    isTestData: row.is_test_data,
    sourceKind: 'waitlistEntry',
    sourceId: entry.id,
    // An offer that was withdrawn may be made again.
    recipientKey: `${trigger}:${until?.toISOString() ?? ''}`,
  })
}

const recipient = async (ctx: EventContext, row: ParticipantRow) => ({
  email: await addressOf(ctx, row),
  name: [row.first_name, row.last_name].filter(Boolean).join(' ') || null,
})
