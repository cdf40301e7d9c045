import type { EventContext } from '../../../kernel/context.ts'

/** Returns the path of a run's file in the console, which requires organizers to sign in and checks their permissions at every request. */
export const buildReportRunFileUrlPath = ({ client, event }: Pick<EventContext, 'client' | 'event'>, runId: string) =>
  `/console/events/${client.code}/${event.code}/reports/runs/${runId}/file`
