/** Data for the request's log line and metrics, filled in while it is handled. */
export interface RequestLogEntry {
  requestId: string
  route: string
  principal?: string
  tool?: string
  outcome?: string
}
