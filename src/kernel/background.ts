import type { AccountContext, ClientContext, EventContext } from './context.ts'

/** Where work acts that goes on after a call: in a tenant, at one of its clients, or at an event. Its steps are given what a call there is given. */
interface Contexts {
  tenant: AccountContext
  client: ClientContext
  event: EventContext
}

interface Places {
  tenant: object
  client: { clientId: string }
  event: { eventId: string }
}

export type WorkScope = keyof Contexts
export type WorkContext<Scope extends WorkScope> = Contexts[Scope]
export type WorkPlace<Scope extends WorkScope> = Places[Scope]

/** The columns that say so. */
export function placeColumns(at: object): { client_id: string | null; event_id: string | null } {
  const { clientId = null, eventId = null } = at as { clientId?: string; eventId?: string }
  return { client_id: clientId, event_id: eventId }
}
