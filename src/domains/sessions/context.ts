import type { Context, EventSummaryRow } from '../../kernel/context.ts'

/** The context of an operation on conference sessions by any kind of actor. */
export interface SessionContext extends Context {
  client: { id: string; code: string; name: string }
  event: EventSummaryRow
}

/** The part of the event context that database queries need. */
export type SessionQueryContext = Pick<SessionContext, 'db' | 'tenantId'> & { event: Pick<EventSummaryRow, 'id'> }

/** The inventory key under which a session's seats are counted. */
export const toSessionInventoryKey = (id: string) => `session:${id}`
export const toSessionAnswerKey = (id: string) => `@session.${id}`

/** Lists the ids of the conference sessions that are selected in the answers of a registration form. */
export const listChosenSessionIds = (answers: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(answers).flatMap(([binding, value]) =>
    binding.startsWith('@session.') && value === true ? [binding.slice('@session.'.length)] : [],
  )

export const toSessionChoiceAnswers = (ids: Iterable<string>): Record<string, true> =>
  Object.fromEntries([...ids].map((id) => [toSessionAnswerKey(id), true as const]))
