import { code, count, flag, id, list, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { runWaitlistPromotion } from '../../domains/registration/promotion/run.ts'
import { estimatePromotionCharges, WaitlistPromotionResults } from '../../domains/registration/promotion/results.ts'
import { applyWaitlistChargeOutcomes } from '../../domains/registration/promotion/settle.ts'

export default eventTool({
  name: 'promote_waitlist_entries',
  title: 'Promote from a waitlist',
  description:
    'Offer seats that opened up to people in the queue (waitlist), or charge their saved cards: this cannot be undone, so preview with dryRun. Actions: promote the first in line (priorityTags before others) or entryIds, accept an offer for a person, withdraw it, remove a person. Not for adding a person by hand (add_participant). Returns outcomes and money.',
  effect: 'destructive',
  permission: 'registration.write',
  openWorld: true,
  keyed: true,
  input: {
    action: oneOf(['promote', 'accept', 'withdraw', 'remove']).default('promote'),
    entryIds: list(id('waitlistEntry'), 1000).optional(),
    target: text(80).describe('product:<code>, flow:<slug> or event').optional(),
    count: count(1, 1000).optional(),
    priorityTags: list(code(), 20).default([]),
    charge: oneOf(['offer', 'savedCard']).default('offer'),
    onDecline: oneOf(['offer', 'skip']).default('offer'),
    offerHours: count(1, 336).default(48),
    overrideCapacity: flag().default(false),
  },
  output: WaitlistPromotionResults,
  findArgumentErrors: ({ entryIds, target, count: most }) => [
    ...((entryIds === undefined) === (target === undefined) ? [{ path: 'entryIds', message: 'pass entryIds, or target and count' }] : []),
    ...((target === undefined) === (most === undefined) ? [] : [{ path: 'count', message: 'is only allowed with target' }]),
  ],
  toPreview: estimatePromotionCharges,
  run: runWaitlistPromotion,
  afterCommit: applyWaitlistChargeOutcomes,
})
