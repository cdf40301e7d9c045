import type { Announcement, WriteAnnounced } from './announce.ts'
import type { AuditDraft } from './audit.ts'
import type { CardProcessors } from './cards.ts'
import type { Db } from './columns.ts'
import type { Effects } from './effects.ts'
import type { Permissions, Role } from './permissions.ts'
import type { JobQueue, TaxRates } from './ports.ts'
import type { Keys } from './secrets.ts'

/** Who acts, and through what. */
export interface Actor {
  kind: 'organizer' | 'apiAccount' | 'participant' | 'exhibitor' | 'operator' | 'job'
  id: string
  name: string
  app: { id: string | null; name: string }
}

/** One of the organizer's clients, with the roles they hold in all of it. Staff of single events see it with no role. */
export interface ClientAccess {
  id: string
  code: string
  name: string
  active: boolean
  aiAssistantsAllowed: boolean
  roles: readonly Role[]
}

export interface StaffAccess {
  eventId: string
  clientId: string
  role: Role
}

/** Read anew with every request, in the statement that verifies the token. */
export interface Access {
  clients: readonly ClientAccess[]
  staff: readonly StaffAccess[]
}

/** What every domain function is given. `db` is the transaction of a change, or the readers' pool of a read. */
export interface Context {
  tenantId: number
  tenantCode: string
  actor: Actor
  db: Db
  keys: Keys
  queue: JobQueue
  cards: CardProcessors
  baseUrl: string
  taxRates: TaxRates
  audit: AuditDraft
  /** What integrators are told of when the change is kept. */
  announced: Announcement[]
  writeAnnounced: WriteAnnounced
  effects: Effects
  /** What cursors of this call are bound to: caller, tool and filters. */
  cursorScope: string
  /** Pictures shown beside the numbers of the result. */
  pictures: Picture[]
}

/** An organizer, not yet at a client or event. */
export interface AccountContext extends Context {
  access: Access
}

export interface ClientContext extends AccountContext {
  client: ClientAccess
  permissions: Permissions
}

/** The row of the event that the road already read to decide the scope. */
export interface EventHead {
  id: string
  code: string
  name: string
  status: 'draft' | 'published' | 'archived'
  timezone: string
  currency: string
  testMode: boolean
}

export interface EventContext extends ClientContext {
  event: EventHead
}

/** Whoever runs the installation: above all tenants, so with nothing of one, not even the audit log. */
export interface OperatorContext extends Pick<Context, 'actor' | 'db' | 'keys' | 'cursorScope'> {
  /** The version that is running. */
  appVersion: string
}

export interface Picture {
  mimeType: 'image/png' | 'image/svg+xml' | 'image/jpeg'
  data: Buffer
}
