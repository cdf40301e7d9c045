import type { Context, EventSummaryRow } from '../../../kernel/context.ts'

/** Context of emails sent in an event's name: by an organizer, a participant or a job. */
export interface EventEmailContext extends Context {
  client: { id: string; code: string }
  event: EventSummaryRow
}
