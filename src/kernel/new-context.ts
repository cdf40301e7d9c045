import { createPendingAuditEntry } from './audit.ts'
import type { Db } from './columns.ts'
import type { Actor, Context } from './context.ts'
import { createIrreversibleEffectCounter } from './effects.ts'
import { type Database, DEFAULT_QUERY_LIMITS, type QueryLimits } from './ports.ts'

/** The tenant and the actor of a call, and the scope of its pagination cursors. */
export interface CallerIdentity {
  tenantId: number
  tenantCode: string
  actor: Actor
  cursorScope: string
}

/**
 * Creates a context whose lists of audit entries, effects and announcements are empty. Each attempt of a change gets a new one, so that
 * nothing a rolled-back attempt collected is reported.
 */
export const newContext = (
  parts: Pick<Context, 'keys' | 'queue' | 'cards' | 'baseUrl' | 'taxRates' | 'writeAnnouncements'> & {
    database: Pick<Database, 'snapshot'>
    queryLimits?: QueryLimits | undefined
  },
  identity: CallerIdentity,
  db: Db,
): Context => ({
  tenantId: identity.tenantId,
  tenantCode: identity.tenantCode,
  actor: identity.actor,
  cursorScope: identity.cursorScope,
  db,
  keys: parts.keys,
  queue: parts.queue,
  cards: parts.cards,
  baseUrl: parts.baseUrl,
  taxRates: parts.taxRates,
  openSnapshot: parts.database.snapshot,
  queryLimits: parts.queryLimits ?? DEFAULT_QUERY_LIMITS,
  audit: createPendingAuditEntry(),
  announced: [],
  writeAnnouncements: parts.writeAnnouncements,
  effects: createIrreversibleEffectCounter(),
  pictures: [],
})
