import type { EventContext } from '../../../kernel/context.ts'
import { AppError } from '../../../kernel/errors.ts'
import { toMoney } from '../../../kernel/money.ts'
import { tryPart } from '../../../kernel/savepoint.ts'
import { keepWhileCharging } from '../../inventory/places.ts'
import { beginCharge } from '../../payments/saved-card-charges.ts'
import { getProcessor } from '../../payments/processor.ts'
import { findConsentedCard, type SavedCardRow } from '../../payments/saved-cards.ts'
import { lockEvent } from '../../tenancy/lock-event.ts'
import { lockOwnGroup } from '../own-group.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import { getParticipant, getParticipants } from '../people.ts'
import { openScene, type Scene } from '../scene.ts'
import { offeredUntil, waitlistCharge } from './charge.ts'
import { type Chosen, entriesOf, type Entry, moveEntry } from './entries.ts'
import { mailWaitlist } from './mails.ts'
import { type PromotionResult, type Promotions, toPromotions } from './results.ts'
import { wishOf } from './wish.ts'

export interface Promotion {
  chosen: Chosen
  priorityTags: readonly string[]
  charge: 'offer' | 'savedCard'
  onDecline: 'offer' | 'skip'
  offerHours: number
  overrideCapacity: boolean
}

/** Gives places to those who wait for them, one after the other: each gets one, or is told why not, whatever becomes of the others. */
export async function promoteEntries(ctx: EventContext, asked: Promotion): Promise<Promotions> {
  if (asked.charge === 'savedCard' && !ctx.permissions.has('money.write')) {
    throw new AppError('forbidden', 'charge: savedCard needs the permission money.write')
  }
  // One at a time at an event, so that of two who call at once the second finds what the first has done.
  await lockEvent(ctx)
  const scene = await openScene(ctx)
  const entries = await entriesOf(ctx, asked.chosen, { priorityTags: asked.priorityTags, from: ['waiting'] })
  if (asked.charge === 'savedCard') for (const entry of entries) getProcessor(ctx, { isTestData: entry.is_test_data })
  const people = new Map(
    (await getParticipants(ctx, [...new Set(entries.map((entry) => entry.participant_id))])).map((row) => [row.id, row]),
  )
  // Groups come before places; each is locked again where it is needed.
  const members = [...new Map([...people.values()].map((row) => [row.group_id, row])).values()]
  for (const row of members.toSorted((a, b) => ((a.group_id ?? '') < (b.group_id ?? '') ? -1 : 1))) await lockOwnGroup(ctx, row)
  const results: PromotionResult[] = []
  for (const entry of entries) {
    const row = people.get(entry.participant_id)!
    const skipped = (reason: string): PromotionResult => ({ entryId: entry.id, participantId: row.id, outcome: 'skipped', reason })
    if (entry.status !== 'waiting') results.push(skipped(entry.status))
    else if (entry.charging) results.push(skipped('charge_pending'))
    else {
      const tried = await tryPart(ctx, () => promoteOne(ctx, { ...scene, isTest: row.is_test_data }, entry, row, asked))
      results.push(tried.refused ? skipped(tried.refused.message) : tried.done)
    }
  }
  const targets = 'target' in asked.chosen ? [asked.chosen.target] : [...new Set(entries.map(({ target }) => target))]
  return toPromotions(ctx, results, { targets, charged: [] })
}

async function promoteOne(ctx: EventContext, scene: Scene, entry: Entry, row: ParticipantRow, asked: Promotion): Promise<PromotionResult> {
  const wish = await wishOf(ctx, { scene, entry, row, pricedAt: entry.priced_at })
  const beyondCapacity = asked.overrideCapacity
  const until = offeredUntil(scene.at, asked.offerHours)
  const full = await wish.hold({ until, beyondCapacity })
  if (full !== null) return { entryId: entry.id, participantId: row.id, outcome: 'skipped', reason: 'no_capacity' }
  const told = {
    entryId: entry.id,
    participantId: row.id,
    ...(wish.total > 0 ? { amount: toMoney(wish.total, scene.currency) } : {}),
  }
  if (wish.due === 0) {
    const { orderId, invoice } = await wish.fulfil({ beyondCapacity })
    await moveEntry(ctx, entry, { status: 'promoted' })
    await mailWaitlist(ctx, 'waitlist.promoted', { scene, entry, row: await getParticipant(ctx, row.id), price: wish.total, orderId })
    ctx.effects.add('changes', `promote ${entry.id} ${wish.total}`, { ...told, outcome: 'promoted' })
    return { ...told, outcome: 'promoted', ...(invoice ? { invoiceNumber: invoice.number } : {}) }
  }
  const card = asked.charge === 'savedCard' ? await chargeableCard(ctx, entry) : null
  if (!card) {
    await moveEntry(ctx, entry, { status: 'offered', until })
    await mailWaitlist(ctx, 'waitlist.offered', { scene, entry, row, price: wish.due, until })
    ctx.effects.add('changes', `offer ${entry.id} ${wish.total}`, { ...told, outcome: 'offered' })
    return { ...told, outcome: 'offered' }
  }
  await keepWhileCharging(ctx, { participantId: row.id, entryId: entry.id })
  const { id: entryId, is_test_data: isTestData } = entry
  await beginCharge(
    ctx,
    waitlistCharge,
    { participantId: row.id, entryId, isTestData, purpose: `waitlist ${entry.target}`, amount: wish.due, currency: scene.currency, card },
    { offerHours: asked.offerHours, onDecline: asked.onDecline, beyondCapacity },
  )
  const amount = toMoney(wish.due, scene.currency)
  ctx.effects.add('charges', `charge ${entry.id} ${wish.due}`, {
    ...told,
    amount,
    card: `${card.brand ?? 'card'} ${card.last4 ?? ''}`.trim(),
  })
  return { ...told, amount, outcome: 'charge_pending' }
}

/** The card that may be charged for this place. One that was charged for it and given back is not charged a second time. */
async function chargeableCard(ctx: EventContext, entry: Entry): Promise<SavedCardRow | null> {
  const charged = await ctx.db
    .selectFrom('charges')
    .select('id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('entry_id', '=', entry.id)
    .where('status', '<>', 'failed')
    .executeTakeFirst()
  if (charged) return null
  const { name: provider } = getProcessor(ctx, { isTestData: entry.is_test_data })
  return findConsentedCard(ctx, { participantId: entry.participant_id, provider })
}
