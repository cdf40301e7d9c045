import { SHIPPED_RATES } from '../domains/taxation/rates.ts'
import { writeAnnounced } from '../domains/webhooks/write-messages.ts'
import type { AtEvent } from '../domains/registration/scene.ts'
import type { Db } from '../kernel/columns.ts'
import type { Actor, ClientAccess, ClientContext, EventContext, EventHead } from '../kernel/context.ts'
import { changeWithin } from '../kernel/keep-change.ts'
import { newContext } from '../kernel/new-context.ts'
import { permissionsOf, type Role } from '../kernel/permissions.ts'
import type { FileStore } from '../kernel/ports.ts'
import type { Keys } from '../kernel/secrets.ts'

export const DEMO_TENANT = 'demo'
export const DEMO_ORGANIZER = 'organizer@demo.example'
export const ACME = { code: 'acme', name: 'Acme Events' }

/** Where the demo plays: one transaction, one client. */
export interface Stage {
  db: Db
  files: FileStore
  keys: Keys
  baseUrl: string
  tenantId: number
  clientId: string
}

/** A colleague at work: who they are, what they may, and through what they do it. */
export interface Colleague {
  userId: string
  email: string
  name: string
  role: Role
}

export type Through = 'console' | 'Claude' | 'ChatGPT'

const actorOf = ({ userId, name }: Colleague, app: Through): Actor => ({
  kind: 'organizer',
  id: userId,
  name,
  app: { id: null, name: app },
})

/** Somebody on the pages of an event, under the address that they registered with. */
const visitorOf = (event: EventHead, email: string): Actor => ({
  kind: 'participant',
  id: `${event.id}:${email.toLowerCase()}`,
  name: email,
  app: { id: null, name: 'web' },
})

const clientOf = ({ clientId }: Stage, roles: readonly Role[]): ClientAccess => ({
  id: clientId,
  ...ACME,
  active: true,
  aiAssistantsAllowed: true,
  roles,
})

const contextOf = ({ db, keys, baseUrl, tenantId }: Stage, actor: Actor) =>
  newContext(
    {
      keys,
      queue: { send: () => Promise.reject(new Error('the demo starts no job')) },
      cards: { for: () => null, named: () => null },
      baseUrl,
      taxRates: SHIPPED_RATES,
      writeAnnounced,
    },
    { tenantId, tenantCode: DEMO_TENANT, actor, cursorScope: '' },
    db,
  )

interface Deed {
  colleague: Colleague
  app: Through
  tool: string
}

function clientContext(stage: Stage, { colleague, app }: Deed): ClientContext {
  const client = clientOf(stage, [colleague.role])
  return {
    ...contextOf(stage, actorOf(colleague, app)),
    access: { clients: [client], staff: [] },
    client,
    permissions: permissionsOf([colleague.role]),
  }
}

/** Done by a colleague at the client, as by the tool or page of that name: one audit row in their name, and what integrators are told. */
export const doAtClient = <T>(stage: Stage, deed: Deed, run: (ctx: ClientContext) => Promise<T>): Promise<T> =>
  changeWithin({ name: deed.tool, clientId: stage.clientId }, clientContext(stage, deed), run)

/** The same at an event. */
export const doAtEvent = <T>(stage: Stage, event: EventHead, deed: Deed, run: (ctx: EventContext) => Promise<T>): Promise<T> =>
  changeWithin({ name: deed.tool, clientId: stage.clientId, eventId: event.id }, { ...clientContext(stage, deed), event }, run)

/** Done by somebody who registers, on the pages of the event. */
export function doOnPages<T>(
  stage: Stage,
  event: EventHead,
  by: { email: string; action: string },
  run: (ctx: AtEvent) => Promise<T>,
): Promise<T> {
  const { id, code, name } = clientOf(stage, [])
  const ctx: AtEvent = { ...contextOf(stage, visitorOf(event, by.email)), client: { id, code, name }, event }
  return changeWithin({ name: by.action, clientId: stage.clientId, eventId: event.id }, ctx, run)
}
