import type { EventContext } from '../../../kernel/context.ts'
import { unknownNameError } from '../../../kernel/nearest.ts'
import { EVENT_INVENTORY_KEY, toFlowInventoryKey, toProductInventoryKey } from '../../inventory/units.ts'
import { acceptOffers } from './accept-offers.ts'
import { loadEventSnapshot } from '../event-snapshot.ts'
import { removeWaitlistEntries, withdrawSelectedOffers } from './end-entries.ts'
import type { WaitlistEntrySelection } from './entries.ts'
import { type PromotionRequest, promoteEntries } from './promote.ts'
import type { Promotions } from './results.ts'

interface Asked extends Omit<PromotionRequest, 'chosen'> {
  action: 'promote' | 'accept' | 'withdraw' | 'remove'
  entryIds?: readonly string[] | undefined
  target?: string | undefined
  count?: number | undefined
}

/** Runs the promotion, acceptance, withdrawal or removal of waiting list entries that an organizer requested. */
export async function runWaitlistPromotion(
  ctx: EventContext,
  { action, entryIds, target, count, ...promotion }: Asked,
): Promise<Promotions> {
  const chosen: WaitlistEntrySelection = entryIds
    ? { entryIds: [...new Set(entryIds)] }
    : { target: await assertTarget(ctx, target!), count: count! }
  if (action === 'promote') return promoteEntries(ctx, { chosen, ...promotion })
  if (action === 'accept') return acceptOffers(ctx, chosen)
  return action === 'withdraw' ? withdrawSelectedOffers(ctx, chosen) : removeWaitlistEntries(ctx, chosen)
}

async function assertTarget(ctx: EventContext, target: string): Promise<string> {
  const { config } = await loadEventSnapshot(ctx)
  const keys = [
    EVENT_INVENTORY_KEY,
    ...config.flows.map(({ slug }) => toFlowInventoryKey(slug)),
    ...config.products.map(({ code }) => toProductInventoryKey(code)),
  ]
  if (!keys.includes(target)) throw unknownNameError('target', target, keys, 'target')
  return target
}
