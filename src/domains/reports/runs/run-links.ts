import type { EventContext } from '../../../kernel/context.ts'

/** The address of a run's file in the console, which asks organizers to sign in and checks their permissions at every click. */
export const runFilePath = ({ client, event }: Pick<EventContext, 'client' | 'event'>, runId: string) =>
  `/console/events/${client.code}/${event.code}/reports/runs/${runId}/file`
