/** What a request's log line and metrics will say; filled in on the way. */
export interface RequestNote {
  requestId: string
  route: string
  principal?: string
  tool?: string
  outcome?: string
}
