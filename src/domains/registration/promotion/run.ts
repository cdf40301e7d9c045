import type { EventContext } from '../../../kernel/context.ts'
import { createUnknownNameError } from '../../../kernel/nearest.ts'
import { EVENT_INVENTORY_KEY, toFlowInventoryKey, toProductInventoryKey } from '../../inventory/units.ts'
import { acceptWaitlistOffers } from './accept-offers.ts'
import { loadEventSnapshot } from '../event-snapshot.ts'
import { removeWaitlistEntries, withdrawSelectedWaitlistOffers } from './end-entries.ts'
import type { WaitlistEntrySelection } from './entries.ts'
import { type WaitlistPromotionRequest, promoteSelectedWaitlistEntries } from './promote.ts'
import type { WaitlistPromotionResults } from './results.ts'

interface Asked extends Omit<WaitlistPromotionRequest, 'chosen'> {
  action: 'promote' | 'accept' | 'withdraw' | 'remove'
  entryIds?: readonly string[] | undefined
  target?: string | undefined
  count?: number | undefined
}

/** Runs the promotion, acceptance, withdrawal or removal of waiting list entries that an organizer requested. */
export async function runWaitlistPromotion(
  ctx: EventContext,
  { action, entryIds, target, count, ...promotion }: Asked,
): Promise<WaitlistPromotionResults> {
  const chosen: WaitlistEntrySelection = entryIds
    ? { entryIds: [...new Set(entryIds)] }
    : { target: await assertTarget(ctx, target!), count: count! }
  if (action === 'promote') return promoteSelectedWaitlistEntries(ctx, { chosen, ...promotion })
  if (action === 'accept') return acceptWaitlistOffers(ctx, chosen)
  return action === 'withdraw' ? withdrawSelectedWaitlistOffers(ctx, chosen) : removeWaitlistEntries(ctx, chosen)
}

async function assertTarget(ctx: EventContext, target: string): Promise<string> {
  const { config } = await loadEventSnapshot(ctx)
  const keys = [
    EVENT_INVENTORY_KEY,
    ...config.flows.map(({ slug }) => toFlowInventoryKey(slug)),
    ...config.products.map(({ code }) => toProductInventoryKey(code)),
  ]
  if (!keys.includes(target)) throw createUnknownNameError('target', target, keys, 'target')
  return target
}
