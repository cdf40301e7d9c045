import type { EventContext } from '../../../kernel/context.ts'
import { unknownName } from '../../../kernel/nearest.ts'
import { EVENT_KEY, flowKey, productKey } from '../../inventory/places.ts'
import { openScene } from '../scene.ts'
import { removeEntries, withdrawOffers } from './end-entries.ts'
import type { Chosen } from './entries.ts'
import { type Promotion, promoteEntries } from './promote.ts'
import type { Promotions } from './results.ts'

interface Asked extends Omit<Promotion, 'chosen'> {
  action: 'promote' | 'withdraw' | 'remove'
  entryIds?: readonly string[] | undefined
  target?: string | undefined
  count?: number | undefined
}

/** What organizers do with those who wait. */
export async function runPromotion(ctx: EventContext, { action, entryIds, target, count, ...promotion }: Asked): Promise<Promotions> {
  const chosen: Chosen = entryIds ? { entryIds: [...new Set(entryIds)] } : { target: await known(ctx, target!), count: count! }
  if (action === 'promote') return promoteEntries(ctx, { chosen, ...promotion })
  return action === 'withdraw' ? withdrawOffers(ctx, chosen) : removeEntries(ctx, chosen)
}

async function known(ctx: EventContext, target: string): Promise<string> {
  const { config } = await openScene(ctx)
  const keys = [EVENT_KEY, ...config.flows.map(({ slug }) => flowKey(slug)), ...config.products.map(({ code }) => productKey(code))]
  if (!keys.includes(target)) throw unknownName('target', target, keys, 'target')
  return target
}
