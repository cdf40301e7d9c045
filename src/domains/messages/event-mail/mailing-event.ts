import type { Context, EventHead } from '../../../kernel/context.ts'

/** Whoever writes to people in an event's name: an organizer, a person at their own registration, a job. */
export interface MailingEvent extends Context {
  client: { id: string; code: string }
  event: EventHead
}
