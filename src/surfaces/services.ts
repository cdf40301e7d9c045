import type { WriteWebhookDeliveries } from '../kernel/announce.ts'
import type { CardProcessors } from '../kernel/cards.ts'
import type { ESignServices } from '../kernel/esign.ts'
import type { Fetcher } from '../kernel/fetcher.ts'
import type { HotelServices } from '../kernel/hotel-providers.ts'
import type { ExternalCall } from '../kernel/external-calls.ts'
import type {
  Database,
  FailureLog,
  FileStore,
  JobQueue,
  Log,
  QueryLimits,
  TaxNumberVerifier,
  TaxRates,
  LanguageModel,
} from '../kernel/ports.ts'
import type { DerivedKeys } from '../kernel/secrets.ts'

/** Dependencies that web pages, APIs, MCP endpoints and the worker share. */
export interface AppServices {
  database: Database
  keys: DerivedKeys
  queue: JobQueue
  files: FileStore
  log: Log
  /** HTTP client for URLs chosen by users or other servers. */
  fetcher: Fetcher
  cards: CardProcessors
  /** The language model. Null if none is configured; then texts are composed from fixed phrases. */
  model: LanguageModel | null
  /** Verifies tax numbers. Omitted if no tax service is configured; then tax numbers are validated by format only. */
  taxNumberVerifier?: TaxNumberVerifier | undefined
  /**
   * The external catalogs of hotels and geocoders. Omitted if none is configured; then only the stored hotels and the included list of
   * cities are searched.
   */
  hotels?: HotelServices | undefined
  /** The services for electronic signatures. Omitted if none is configured; then contracts are signed on our own pages. */
  esign?: ESignServices | undefined
  /** All kinds of external calls that a request may wait for. */
  externalCalls: readonly ExternalCall[]
  /** Limits of report queries. If omitted, the default limits apply. */
  queryLimits?: QueryLimits | undefined
  baseUrl: string
  taxRates: TaxRates
  /** Creates the webhook deliveries for the changes that a transaction announces. */
  writeAnnouncements: WriteWebhookDeliveries
  /** Stores internal errors for the operators. Omitted in commands that serve no requests; then errors are only logged. */
  failures?: FailureLog | undefined
}
