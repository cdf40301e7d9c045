import type { WriteAnnounced } from '../kernel/announce.ts'
import type { CardProcessors } from '../kernel/cards.ts'
import type { Fetcher } from '../kernel/fetcher.ts'
import type { OutsideCall } from '../kernel/outside-calls.ts'
import type { Database, Failures, FileStore, JobQueue, Log, TaxOffices, TaxRates, TextModel } from '../kernel/ports.ts'
import type { Keys } from '../kernel/secrets.ts'

/** What every call needs of the outside, whichever surface it arrives at. */
export interface Road {
  database: Database
  keys: Keys
  queue: JobQueue
  files: FileStore
  log: Log
  /** The one way to addresses that somebody else chose. */
  fetcher: Fetcher
  cards: CardProcessors
  /** Null where the operator named none: then texts are made of phrases. */
  model: TextModel | null
  /** Left out where no tax office is asked: then numbers are judged by their form. */
  taxOffices?: TaxOffices | undefined
  /** Every kind of call to the outside that a request may wait for. */
  outsideCalls: readonly OutsideCall[]
  baseUrl: string
  taxRates: TaxRates
  /** Tells integrators what a change has announced. */
  writeAnnounced: WriteAnnounced
  /** Left out where nothing is served: then the log is all that keeps an internal error. */
  failures?: Failures | undefined
}
