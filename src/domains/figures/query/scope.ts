import type { ComputedValuesName } from '../dictionary/types.ts'

/** The properties of an event that queries use. */
export interface QueriedEvent {
  id: string
  code: string
  name: string
  clientId: string
  timezone: string
  currency: string
  startsOn: string
  endsOn: string
}

/** How amounts in other currencies are converted: at the exchange rate of each row's own day, or of one given day. */
export interface QueryCurrencyConversion {
  currency: string
  /** Day of the exchange rate; `row` for each row's own day. */
  rateOn: string
}

/** The rows that a query may read: those of one event or of several events of one tenant. */
export interface QueryScope {
  tenantId: number
  eventIds: readonly string[]
  /** The event of a query over one event; null for a query over several events. */
  event: QueriedEvent | null
  /** Number of decimals of the event's currency; 2 for several events. */
  decimals: number
  /** Conversion of amounts in several currencies into one; null if amounts are shown by currency. */
  conversion?: QueryCurrencyConversion | null
  /** The time of the data in the snapshot, which on a replica may be in the past. */
  asOf: Date
  /** Computes values of the event that SQL cannot compute, as JSON. Omitted in queries over several events. */
  readComputedValues?: (name: ComputedValuesName) => Promise<string>
}
