import { BUILT_IN_TAX_RATES } from '../domains/taxation/rates.ts'
import { writeAnnouncements } from '../domains/webhooks/write-messages.ts'
import type { EventScope } from '../domains/registration/event-snapshot.ts'
import type { Db } from '../kernel/columns.ts'
import type { Actor, ClientAccess, ClientContext, EventContext, EventSummaryRow } from '../kernel/context.ts'
import { applyChange } from '../kernel/commit-change.ts'
import { foldEmail } from '../kernel/email-address.ts'
import { newContext } from '../kernel/new-context.ts'
import { permissionsOf, type Role } from '../kernel/permissions.ts'
import type { FileStore } from '../kernel/ports.ts'
import type { DerivedKeys } from '../kernel/secrets.ts'

export const DEMO_TENANT = 'demo'
export const DEMO_ORGANIZER = 'organizer@demo.example'
export const DEMO_CLIENT = { code: 'acme', name: 'Acme Events' }

/** The demo's transaction and client. */
export interface DemoStage {
  db: Db
  files: FileStore
  keys: DerivedKeys
  baseUrl: string
  tenantId: number
  clientId: string
}

/** A member of the demo's team. */
export interface Colleague {
  userId: string
  email: string
  name: string
  role: Role
}

export type ActingApp = 'console' | 'Claude' | 'ChatGPT'

const actorOf = ({ userId, name }: Colleague, app: ActingApp): Actor => ({
  kind: 'organizer',
  id: userId,
  name,
  app: { id: null, name: app },
})

/** A participant on the event's website. */
const visitorOf = (event: EventSummaryRow, email: string): Actor => ({
  kind: 'participant',
  id: `${event.id}:${foldEmail(email)}`,
  name: email,
  app: { id: null, name: 'web' },
})

const clientOf = ({ clientId }: DemoStage, roles: readonly Role[]): ClientAccess => ({
  id: clientId,
  ...DEMO_CLIENT,
  active: true,
  aiAssistantsAllowed: true,
  roles,
})

const contextOf = ({ db, keys, baseUrl, tenantId }: DemoStage, actor: Actor) =>
  newContext(
    {
      keys,
      queue: { send: () => Promise.reject(new Error('the demo does not start jobs')) },
      cards: { for: () => null, byName: () => null },
      baseUrl,
      taxRates: BUILT_IN_TAX_RATES,
      writeAnnouncements,
      database: { snapshot: () => Promise.reject(new Error('the demo runs no reports')) },
    },
    { tenantId, tenantCode: DEMO_TENANT, actor, cursorScope: '' },
    db,
  )

interface StaffAction {
  colleague: Colleague
  app: ActingApp
  tool: string
}

function clientContext(stage: DemoStage, { colleague, app }: StaffAction): ClientContext {
  const client = clientOf(stage, [colleague.role])
  return {
    ...contextOf(stage, actorOf(colleague, app)),
    access: { clients: [client], staff: [] },
    client,
    permissions: permissionsOf([colleague.role]),
  }
}

/** Applies a change at the client as a team member, with an audit row and webhook announcements. */
export const runAtClient = <T>(stage: DemoStage, action: StaffAction, run: (ctx: ClientContext) => Promise<T>): Promise<T> =>
  applyChange({ name: action.tool, clientId: stage.clientId }, clientContext(stage, action), run)

/** Applies a change at an event as a team member. */
export const runAtEvent = <T>(
  stage: DemoStage,
  event: EventSummaryRow,
  deed: StaffAction,
  run: (ctx: EventContext) => Promise<T>,
): Promise<T> =>
  applyChange({ name: deed.tool, clientId: stage.clientId, eventId: event.id }, { ...clientContext(stage, deed), event }, run)

/** Applies a change as a participant on the event's website. */
export function runOnWebsite<T>(
  stage: DemoStage,
  event: EventSummaryRow,
  by: { email: string; action: string },
  run: (ctx: EventScope) => Promise<T>,
): Promise<T> {
  const { id, code, name } = clientOf(stage, [])
  const ctx: EventScope = { ...contextOf(stage, visitorOf(event, by.email)), client: { id, code, name }, event }
  return applyChange({ name: by.action, clientId: stage.clientId, eventId: event.id }, ctx, run)
}
