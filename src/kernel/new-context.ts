import { newAuditDraft } from './audit.ts'
import type { Db } from './columns.ts'
import type { Actor, Context } from './context.ts'
import { countEffects } from './effects.ts'

/** Who acts, at which tenant, and what cursors of this call are bound to. */
export interface Acting {
  tenantId: number
  tenantCode: string
  actor: Actor
  cursorScope: string
}

/** A context with nothing noted yet. Each try of a change has one of its own, so that what a lost try noted is not told. */
export const newContext = (
  parts: Pick<Context, 'keys' | 'queue' | 'cards' | 'baseUrl' | 'taxRates' | 'writeAnnounced'>,
  acting: Acting,
  db: Db,
): Context => ({
  tenantId: acting.tenantId,
  tenantCode: acting.tenantCode,
  actor: acting.actor,
  cursorScope: acting.cursorScope,
  db,
  keys: parts.keys,
  queue: parts.queue,
  cards: parts.cards,
  baseUrl: parts.baseUrl,
  taxRates: parts.taxRates,
  audit: newAuditDraft(),
  announced: [],
  writeAnnounced: parts.writeAnnounced,
  effects: countEffects(),
  pictures: [],
})
