import type { EventContext } from '../../../kernel/context.ts'
import { AppError } from '../../../kernel/errors.ts'
import { toMoney } from '../../../kernel/money.ts'
import { runInSavepoint } from '../../../kernel/savepoint.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { suspendHoldExpiry } from '../../inventory/units.ts'
import { startSavedCardCharge } from '../../payments/saved-card-charges.ts'
import { getPaymentProcessor } from '../../payments/processor.ts'
import { findCardWithChargeConsent, type SavedCardRow } from '../../payments/saved-cards.ts'
import { lockEventRow } from '../../tenancy/lock-event.ts'
import { lockGroupOfParticipant } from '../participant-group.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import { getParticipant, getParticipants } from '../participant-rows.ts'
import { loadEventSnapshot, type EventSnapshot } from '../event-snapshot.ts'
import { computeOfferDeadline, waitlistSavedCardCharge } from './charge.ts'
import { type WaitlistEntrySelection, listSelectedWaitlistEntries, type WaitlistEntry, setWaitlistEntryStatus } from './entries.ts'
import { sendWaitlistEmail } from './emails.ts'
import { type WaitlistPromotionResult, type WaitlistPromotionResults, summarizeWaitlistPromotions } from './results.ts'
import { planWaitlistFulfilment } from './fulfilment.ts'

export interface WaitlistPromotionRequest {
  chosen: WaitlistEntrySelection
  priorityTags: readonly string[]
  charge: 'offer' | 'savedCard'
  onDecline: 'offer' | 'skip'
  offerHours: number
  overrideCapacity: boolean
}

/** Promotes waiting list entries one by one. Each entry succeeds or is skipped with a reason, independently of the others. */
export async function promoteSelectedWaitlistEntries(
  ctx: EventContext,
  request: WaitlistPromotionRequest,
): Promise<WaitlistPromotionResults> {
  if (request.charge === 'savedCard' && !ctx.permissions.has('money.write')) {
    throw new AppError('forbidden', 'charge: savedCard needs the permission money.write')
  }
  // The event lock serializes waiting list promotions, so that a concurrent call sees the results of the first.
  await lockEventRow(ctx)
  const snapshot = await loadEventSnapshot(ctx)
  const entries = await listSelectedWaitlistEntries(ctx, request.chosen, { priorityTags: request.priorityTags, from: ['waiting'] })
  if (request.charge === 'savedCard') for (const entry of entries) getPaymentProcessor(ctx, { isTestData: entry.is_test_data })
  const people = new Map(
    (await getParticipants(ctx, [...new Set(entries.map((entry) => entry.participant_id))])).map((row) => [row.id, row]),
  )
  await lockGroupsOfParticipants(ctx, [...people.values()])
  const results: WaitlistPromotionResult[] = []
  for (const entry of entries) {
    const row = people.get(entry.participant_id)!
    const skipped = (reason: string): WaitlistPromotionResult => ({ entryId: entry.id, participantId: row.id, outcome: 'skipped', reason })
    if (entry.status !== 'waiting') results.push(skipped(entry.status))
    else if (entry.charging) results.push(skipped('charge_pending'))
    else {
      const tried = await runInSavepoint(ctx, () => promoteOne(ctx, { ...snapshot, isTest: row.is_test_data }, entry, row, request))
      results.push(tried.refused ? skipped(tried.refused.message) : tried.done)
    }
  }
  const targets = 'target' in request.chosen ? [request.chosen.target] : [...new Set(entries.map(({ target }) => target))]
  return summarizeWaitlistPromotions(ctx, results, { targets, charged: [] })
}

/** Locks the groups of several participants, in a fixed order and before capacity, to avoid deadlocks. */
export async function lockGroupsOfParticipants(ctx: EventContext, people: readonly ParticipantRow[]): Promise<void> {
  const members = [...new Map(people.map((row) => [row.group_id, row])).values()]
  for (const row of members.toSorted((a, b) => ((a.group_id ?? '') < (b.group_id ?? '') ? -1 : 1))) await lockGroupOfParticipant(ctx, row)
}

async function promoteOne(
  ctx: EventContext,
  snapshot: EventSnapshot,
  entry: WaitlistEntry,
  row: ParticipantRow,
  request: WaitlistPromotionRequest,
): Promise<WaitlistPromotionResult> {
  const wish = await planWaitlistFulfilment(ctx, { snapshot, entry, row, pricedAt: entry.priced_at })
  const beyondCapacity = request.overrideCapacity
  const until = computeOfferDeadline(snapshot.at, request.offerHours)
  const full = await wish.hold({ until, beyondCapacity })
  if (full !== null) return { entryId: entry.id, participantId: row.id, outcome: 'skipped', reason: 'no_capacity' }
  const summary = {
    entryId: entry.id,
    participantId: row.id,
    ...(wish.total > 0 ? { amount: toMoney(wish.total, snapshot.currency) } : {}),
  }
  if (wish.due === 0) {
    const { orderId, invoice } = await wish.fulfil({ beyondCapacity })
    await setWaitlistEntryStatus(ctx, entry, { status: 'promoted' })
    await sendWaitlistEmail(ctx, 'waitlist.promoted', {
      snapshot,
      entry,
      row: await getParticipant(ctx, row.id),
      price: wish.total,
      orderId,
    })
    ctx.effects.add('changes', `promote ${entry.id} ${wish.total}`, { ...summary, outcome: 'promoted' })
    return { ...summary, outcome: 'promoted', ...(invoice ? { invoiceNumber: invoice.number } : {}) }
  }
  const card = request.charge === 'savedCard' ? await findChargeableCard(ctx, entry) : null
  if (!card) {
    await setWaitlistEntryStatus(ctx, entry, { status: 'offered', until })
    await sendWaitlistEmail(ctx, 'waitlist.offered', { snapshot, entry, row, price: wish.due, until })
    ctx.effects.add('changes', `offer ${entry.id} ${wish.total}`, { ...summary, outcome: 'offered' })
    return { ...summary, outcome: 'offered' }
  }
  await suspendHoldExpiry(ctx, { participantId: row.id, entryId: entry.id })
  const { id: entryId, is_test_data: isTestData } = entry
  await startSavedCardCharge(
    ctx,
    waitlistSavedCardCharge,
    {
      participantId: row.id,
      entryId,
      isTestData,
      purpose: `waitlist ${entry.target}`,
      amount: wish.due,
      currency: snapshot.currency,
      card,
    },
    { offerHours: request.offerHours, onDecline: request.onDecline, beyondCapacity },
  )
  const amount = toMoney(wish.due, snapshot.currency)
  ctx.effects.add('charges', `charge ${entry.id} ${wish.due}`, {
    ...summary,
    amount,
    card: `${card.brand ?? 'card'} ${card.last4 ?? ''}`.trim(),
  })
  return { ...summary, amount, outcome: 'charge_pending' }
}

/** Finds the saved card to charge. A card that was already charged and refunded for this waiting list entry is not charged again. */
async function findChargeableCard(ctx: EventContext, entry: WaitlistEntry): Promise<SavedCardRow | null> {
  const charged = await eventDb(ctx)
    .selectFrom('charges')
    .select('id')
    .where('entry_id', '=', entry.id)
    .where('status', '<>', 'failed')
    .executeTakeFirst()
  if (charged) return null
  const { name: provider } = getPaymentProcessor(ctx, { isTestData: entry.is_test_data })
  return findCardWithChargeConsent(ctx, { participantId: entry.participant_id, provider })
}
