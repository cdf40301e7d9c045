/** Facts of an event that queries need. */
export interface EventFacts {
  id: string
  code: string
  name: string
  clientId: string
  timezone: string
  currency: string
  startsOn: string
  endsOn: string
}

/** Amounts are converted at the rate of each row's own day, or of one day. */
export interface Conversion {
  currency: string
  /** `row`, or a day. */
  rateOn: string
}

/** The rows that a query may read: those of one event or of several events of one tenant. */
export interface QueryScope {
  tenantId: number
  eventIds: readonly string[]
  /** The event of a query over one event; null for several. */
  event: EventFacts | null
  /** The decimals of the event's currency; 2 for several events. */
  decimals: number
  /** Amounts of several currencies are converted into one; null if they stay apart. */
  conversion?: Conversion | null
  /** The time of the snapshot. */
  asOf: Date
}
