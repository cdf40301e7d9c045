import type { AccountContext, ClientContext, EventContext } from './context.ts'

/** The scope of background work: a tenant, one of its clients, or an event. The work gets the same context as a call in that scope. */
interface ContextByScope {
  tenant: AccountContext
  client: ClientContext
  event: EventContext
}

interface TargetByScope {
  tenant: object
  client: { clientId: string }
  event: { eventId: string }
}

export type BackgroundWorkScope = keyof ContextByScope
export type BackgroundWorkContext<Scope extends BackgroundWorkScope> = ContextByScope[Scope]
export type BackgroundWorkScopeIds<Scope extends BackgroundWorkScope> = TargetByScope[Scope]

/** Returns the columns `client_id` and `event_id` for a row that belongs to a tenant, client or event. */
export function toClientAndEventColumns(at: object): { client_id: string | null; event_id: string | null } {
  const { clientId = null, eventId = null } = at as { clientId?: string; eventId?: string }
  return { client_id: clientId, event_id: eventId }
}
