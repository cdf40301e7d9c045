import type { WebhookAnnouncement, WriteWebhookDeliveries } from './announce.ts'
import type { PendingAuditEntry } from './audit.ts'
import type { CardProcessors } from './cards.ts'
import type { Db } from './columns.ts'
import type { IrreversibleEffectCounter } from './effects.ts'
import type { Permissions, Role } from './permissions.ts'
import type { JobQueue, RunInDatabaseSnapshot, QueryLimits, TaxRates } from './ports.ts'
import type { DerivedKeys } from './secrets.ts'

/** Who makes a call, such as an organizer or a job, and the app that makes the call for them. */
export interface Actor {
  kind: 'organizer' | 'apiAccount' | 'participant' | 'exhibitor' | 'supplier' | 'operator' | 'job'
  id: string
  name: string
  app: { id: string | null; name: string }
}

/** Whether the caller is a participant. Errors give participants other hints, because they have no organizer tools. */
export const isParticipant = ({ actor }: { actor: Pick<Actor, 'kind'> }): boolean => actor.kind === 'participant'

/** A client that the organizer can access, with the roles they hold there. The list of roles is empty for staff of single events. */
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

/**
 * The clients and events that an organizer can access. Read with every request, in the statement that verifies the token, so that revoked
 * roles take effect immediately.
 */
export interface OrganizerAccess {
  clients: readonly ClientAccess[]
  staff: readonly StaffAccess[]
}

/** The context of every domain function. `db` is the transaction of a change, or the read-only pool for a read. */
export interface Context {
  tenantId: number
  tenantCode: string
  actor: Actor
  db: Db
  keys: DerivedKeys
  queue: JobQueue
  cards: CardProcessors
  baseUrl: string
  taxRates: TaxRates
  /** Opens a consistent, read-only snapshot of the database with the database role for reports. */
  openSnapshot: RunInDatabaseSnapshot
  queryLimits: QueryLimits
  audit: PendingAuditEntry
  /** Announcements to webhook subscribers, delivered when the change commits. */
  announced: WebhookAnnouncement[]
  writeAnnouncements: WriteWebhookDeliveries
  effects: IrreversibleEffectCounter
  /** The caller, tool and filters that pagination cursors of this call are bound to. */
  cursorScope: string
  /** Images returned alongside the structured result. */
  pictures: ResultImage[]
  /** Whether the call is a dry run. Its changes are rolled back, so texts and files that no user would see are not created. */
  isPreview?: boolean
  /** Functions to run after the commit; undefined if the transaction does not support deferred work. */
  afterCommit?: ((ctx: never) => Promise<unknown>)[]
  /**
   * Sends the audit row, and returns a function that sends the commit together with a statement that the caller has started before. Rows
   * locked by that statement are then released before its response is read. Undefined or null if the change has to write something or to
   * check a result afterwards.
   */
  beginCommit?: (() => (() => void) | null) | undefined
}

/** The context of an organizer's call that is about no single client or event, such as a search across all of them. */
export interface AccountContext extends Context {
  access: OrganizerAccess
}

export interface ClientContext extends AccountContext {
  client: ClientAccess
  permissions: Permissions
}

/** The columns of an event that are read for every call about the event. */
export interface EventSummaryRow {
  id: string
  code: string
  name: string
  status: 'draft' | 'published' | 'archived'
  timezone: string
  currency: string
  testMode: boolean
  /** True for an event of the demo: it takes cards in the sandbox, also for real registrations. */
  sandboxCards?: boolean
}

export interface EventContext extends ClientContext {
  event: EventSummaryRow
}

/**
 * The context of a call by the operator of the installation. Operators act outside all tenants, so this context has no tenant data and no
 * audit log.
 */
export interface OperatorContext extends Pick<Context, 'actor' | 'db' | 'keys' | 'cursorScope'> {
  appVersion: string
}

export interface ResultImage {
  mimeType: 'image/png' | 'image/svg+xml' | 'image/jpeg'
  data: Buffer
}
