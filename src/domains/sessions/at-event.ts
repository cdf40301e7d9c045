import type { Context, EventHead } from '../../kernel/context.ts'
import type {} from '../tenancy/tables.ts'
import type {} from './tables.ts'

/** Whoever looks at the program or takes a place in it: a person, an organizer, a job. */
export interface AtEvent extends Context {
  client: { id: string; code: string; name: string }
  event: EventHead
}

/** What most statements need to know. */
export type Where = Pick<AtEvent, 'db' | 'tenantId'> & { event: Pick<EventHead, 'id'> }

/** Under which the places of a session are counted. */
export const sessionKey = (id: string) => `session:${id}`
export const sessionBinding = (id: string) => `@session.${id}`

/** Sessions that answers choose. */
export const sessionsIn = (answers: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(answers).flatMap(([binding, value]) =>
    binding.startsWith('@session.') && value === true ? [binding.slice('@session.'.length)] : [],
  )

/** The same as answers. */
export const asAnswers = (ids: Iterable<string>): Record<string, true> =>
  Object.fromEntries([...ids].map((id) => [sessionBinding(id), true as const]))
