import { BUILT_IN_TAX_RATES } from '../domains/taxation/rates.ts'
import { writeWebhookMessages } from '../domains/webhooks/write-messages.ts'
import type { RegistrationContext } from '../domains/registration/event-snapshot.ts'
import type { Db } from '../kernel/columns.ts'
import type { Actor, ClientAccess, ClientContext, EventContext, EventSummaryRow } from '../kernel/context.ts'
import { applyChangeInTransaction } from '../kernel/commit-change.ts'
import { foldEmailCase } from '../kernel/email-address.ts'
import { newContext } from '../kernel/new-context.ts'
import { permissionsOf, type Role } from '../kernel/permissions.ts'
import type { FileStore } from '../kernel/ports.ts'
import type { DerivedKeys } from '../kernel/secrets.ts'

export const DEMO_TENANT = 'demo'
export const DEMO_ORGANIZER = 'organizer@demo.example'
export const DEMO_CLIENT = { code: 'acme', name: 'Acme Events' }

/** The database transaction, services and ids with which the demo is created. */
export interface DemoSeedContext {
  db: Db
  files: FileStore
  keys: DerivedKeys
  baseUrl: string
  tenantId: number
  clientId: string
}

/** A user who works for the client that organizes the demo events. */
export interface DemoTeamMember {
  userId: string
  email: string
  name: string
  role: Role
}

export type DemoAppName = 'console' | 'Claude' | 'ChatGPT'

const actorOf = ({ userId, name }: DemoTeamMember, app: DemoAppName): Actor => ({
  kind: 'organizer',
  id: userId,
  name,
  app: { id: null, name: app },
})

/** Creates the actor for actions of a participant on the event's website. */
const visitorOf = (event: EventSummaryRow, email: string): Actor => ({
  kind: 'participant',
  id: `${event.id}:${foldEmailCase(email)}`,
  name: email,
  app: { id: null, name: 'web' },
})

const clientOf = ({ clientId }: DemoSeedContext, roles: readonly Role[]): ClientAccess => ({
  id: clientId,
  ...DEMO_CLIENT,
  active: true,
  aiAssistantsAllowed: true,
  roles,
})

const contextOf = ({ db, keys, baseUrl, tenantId }: DemoSeedContext, actor: Actor) =>
  newContext(
    {
      keys,
      queue: { send: () => Promise.reject(new Error('the demo does not start jobs')) },
      cards: { for: () => null, byName: () => null },
      baseUrl,
      taxRates: BUILT_IN_TAX_RATES,
      writeAnnouncements: writeWebhookMessages,
      database: { snapshot: () => Promise.reject(new Error('the demo runs no reports')) },
    },
    { tenantId, tenantCode: DEMO_TENANT, actor, cursorScope: '' },
    db,
  )

interface StaffAction {
  colleague: DemoTeamMember
  app: DemoAppName
  tool: string
}

function clientContext(stage: DemoSeedContext, { colleague, app }: StaffAction): ClientContext {
  const client = clientOf(stage, [colleague.role])
  return {
    ...contextOf(stage, actorOf(colleague, app)),
    access: { clients: [client], staff: [] },
    client,
    permissions: permissionsOf([colleague.role]),
  }
}

/** Applies a change at the client as a team member, with an audit row and webhook announcements. */
export const runDemoClientChange = <T>(stage: DemoSeedContext, action: StaffAction, run: (ctx: ClientContext) => Promise<T>): Promise<T> =>
  applyChangeInTransaction({ name: action.tool, clientId: stage.clientId }, clientContext(stage, action), run)

/** Applies a change at an event as a team member. */
export const runDemoEventChange = <T>(
  stage: DemoSeedContext,
  event: EventSummaryRow,
  deed: StaffAction,
  run: (ctx: EventContext) => Promise<T>,
): Promise<T> =>
  applyChangeInTransaction({ name: deed.tool, clientId: stage.clientId, eventId: event.id }, { ...clientContext(stage, deed), event }, run)

/** Applies a change as a participant on the event's website. */
export function runDemoParticipantChange<T>(
  stage: DemoSeedContext,
  event: EventSummaryRow,
  by: { email: string; action: string },
  run: (ctx: RegistrationContext) => Promise<T>,
): Promise<T> {
  const { id, code, name } = clientOf(stage, [])
  const ctx: RegistrationContext = { ...contextOf(stage, visitorOf(event, by.email)), client: { id, code, name }, event }
  return applyChangeInTransaction({ name: by.action, clientId: stage.clientId, eventId: event.id }, ctx, run)
}
