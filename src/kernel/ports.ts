import type { Readable } from 'node:stream'
import type { CompiledQuery } from 'kysely'
import type { Db } from './columns.ts'
import type { Replica } from './replica.ts'

/** Interfaces to the outside world that the kernel and the domains need. `platform` implements them; only `main` and the tests see both. */

export interface SqlQueryResult<R = Record<string, unknown>> {
  rows: R[]
  rowCount: number | null
}

/** One database connection, held until it is released. SQL with parameters runs as a named prepared statement. */
export interface PooledConnection {
  query: <R = Record<string, unknown>>(text: string, values?: readonly unknown[]) => Promise<SqlQueryResult<R>>
  release: (broken?: Error | boolean) => void
}

export interface Pool {
  connect: () => Promise<PooledConnection>
  query: <R = Record<string, unknown>>(text: string, values?: readonly unknown[]) => Promise<SqlQueryResult<R>>
  /** The pool's connection counts, for metrics. */
  usage: () => { open: number; idle: number; waiting: number }
  end: () => Promise<void>
}

/** A message of the work queue. It names the database row (such as a job) that a worker has to process. */
export type QueueMessage =
  | { kind: 'job'; name: string; tenantId: number; jobId: string }
  /** A call to an external system. Calls to signing services are queued separately, so that a slow service never delays payments. */
  | { kind: 'outsideCall' | 'signingCall'; tenantId: number; callId: string }
  | { kind: 'slot'; name: string; slot: string }

/** Enqueues work in the caller's transaction, so the work exists if and only if that transaction commits. */
export interface JobQueue {
  send: (db: Db, delivery: QueueMessage, options?: QueueSendOptions) => Promise<void>
}

export interface QueueSendOptions {
  afterSeconds?: number
  /** Queue messages with the same key are delivered one at a time. Best effort: two processes may get one each at the same moment. */
  exclusiveKey?: string | undefined
}

/** Sends statements together with the commit, so that the transaction's locks are not held while waiting for their responses. */
export interface CommitPipeline {
  /** Sends the statement together with the commit. If it fails, the transaction is rolled back. */
  add: (statement: CompiledQuery) => void
  /**
   * Sends the statement now. The returned function sends the commit after all statements that were started before, without waiting for their
   * responses. If one of them fails, the transaction is rolled back. Later statements are refused.
   */
  begin: (statement: CompiledQuery) => () => void
}

/** One database with a writing pool and a reading pool. Where possible, the database server itself makes the reading pool read-only. */
export interface Database {
  engine: 'postgres' | 'embedded'
  /** The time limit of a transaction, if it differs from the usual one. */
  maxTransactionMs?: number | undefined
  write: Db
  read: Db
  /** A replica, for reads that may return slightly old data; null if none is configured. Use it through `chooseReadConnection`. */
  replica: Replica | null
  /** Connections for hand-written SQL statements that run very often, each in its own transaction. */
  pool: Pool
  /**
   * Runs one transaction. On a serialization conflict it is retried from the start, so side effects outside the database may happen
   * twice. Transactions of one event use only a part of the connections, so that an event on sale does not slow down others.
   */
  transact: <T>(run: (db: Db, atCommit?: CommitPipeline) => Promise<T>, at?: { eventId?: string | null | undefined }) => Promise<T>
  /** Runs one statement as a transaction of its own, with the retries and the connections of `transact`, in one round trip. */
  runStatement: <R>(text: string, values: readonly unknown[], at?: { eventId?: string | null | undefined }) => Promise<R[]>
  /** Opens a consistent, read-only snapshot under the role of reports, which sees only the rows of the given tenant and event. */
  snapshot: RunInDatabaseSnapshot
  close: () => Promise<void>
}

/** The tenant and event whose rows a snapshot may read, and the time limit of its statements. */
export interface DatabaseSnapshotScope {
  tenantId: number
  /** The event whose rows the snapshot may read; null for several events of the tenant. */
  eventId: string | null
  timeoutMs: number
  /** Megabytes that sorting and grouping may write to disk; 512 if it is not given. */
  temporaryFilesMb?: number | undefined
  /** The caller's database. If it is an open transaction, the snapshot runs inside it and sees the caller's uncommitted changes. */
  within: Db
}

/** Limits for the database queries of reports. */
export interface QueryLimits {
  timeoutMs: number
  /** The highest cost that PostgreSQL's planner may estimate for a query. */
  maxCost: number
  temporaryFilesMb?: number | undefined
}

export const DEFAULT_QUERY_LIMITS: QueryLimits = { timeoutMs: 10_000, maxCost: 5_000_000 }

export type RunInDatabaseSnapshot = <T>(scope: DatabaseSnapshotScope, run: (db: Db) => Promise<T>) => Promise<T>

export interface OutgoingEmail {
  messageId: string
  from: { name: string; address: string }
  to: { name?: string; address: string }
  replyTo?: string
  subject: string
  text: string
  html?: string
  /** The language tag of the email's subject and text. */
  language: string
  headers: Record<string, string>
  attachments: readonly OutgoingAttachment[]
}

export interface OutgoingAttachment {
  name: string
  mime: string
  content: Buffer
  contentId: string | null
}

export type EmailOutcome =
  | { kind: 'accepted' }
  /**
   * The email must be sent again later: the server's response was temporary, or the connection broke before the message was handed over.
   */
  | { kind: 'later'; reason: string }
  | { kind: 'refused'; reason: string; address: boolean }
  /** The connection broke after the email was handed over to the server, so it may have arrived. */
  | { kind: 'uncertain'; reason: string }

export interface Mailer {
  /** How many emails can be sent concurrently. */
  connections: number
  /** `mailbox` stores every message for the mailbox page and sends none. */
  transport: 'smtp' | 'mailbox'
  send: (mail: OutgoingEmail) => Promise<EmailOutcome>
  check: () => Promise<void>
  close: () => void
}

/** Stores the bytes of files, in a folder or a bucket. Metadata and ownership are in the database; see `domains/files`. */
export interface FileStore {
  kind: 'disk' | 's3'
  /** Stores a stream as a file. The file is complete when the promise resolves, and absent when it rejects. */
  put: (key: string, content: Readable) => Promise<void>
  /** Opens a stored file, or a byte range of it with both ends inclusive. Null if the file does not exist. */
  open: (key: string, range?: ByteRange) => Promise<Readable | null>
  /** Removes a stored file and the remains of an interrupted upload. Removing a missing file is not an error. */
  remove: (key: string) => Promise<void>
  /** Throws if the file store does not respond. With `write`, also tests whether a file can be stored. */
  check: (how: 'reach' | 'write') => Promise<void>
  close: () => void
}

export interface ByteRange {
  start: number
  end: number
}

export interface Log {
  info: (message: string, fields?: LogFields) => void
  warn: (message: string, fields?: LogFields) => void
  error: (message: string, fields?: LogFields) => void
}

/** The only fields of a log line. Bodies, queries, tokens and form answers are deliberately absent. */
export interface LogFields {
  requestId?: string
  route?: string
  method?: string
  status?: number
  ms?: number
  tenant?: string
  client?: string
  event?: string
  principal?: string
  tool?: string
  outcome?: string
  reference?: string
  error?: string
  stack?: string
  job?: string
  count?: number
  name?: string
}

/** The standard sales tax rate of a country or region in one period. */
export interface TaxRate {
  country: string
  /** The ISO 3166-2 code of a region, without the country prefix; null for the whole country. */
  region: string | null
  /** The tax rate in percent, as a decimal string. */
  rate: string
  /** The tax rates of single authorities (such as a state and a county) that add up to this tax rate. */
  components: readonly { code: string; name: string; rate: string }[]
  from: string
  /** The last day on which the tax rate applies; null if it still applies. */
  until: string | null
  /** The authority that published the tax rate. */
  source: string
}

/** Tax rates from the bundled tables or from a file of the operator. */
export interface TaxRates {
  version: string
  /** Lists all tax rates of a country or region, the latest first. Empty if unknown. */
  listRates: (country: string, region: string | null) => readonly TaxRate[]
}

/** A language model, configured by the operator, that writes a short text from facts. It has no tools and sees only the facts. */
export interface LanguageModel {
  name: string
  write: (asked: { instructions: string; facts: object; maxTokens: number }) => Promise<string>
}

/**
 * Checks with a country's tax authority whether a tax number (without the country prefix) is registered. Null if the country has no such
 * service or it did not respond in time.
 */
export interface TaxNumberVerifier {
  isRegistered: (country: string, number: string) => Promise<boolean | null>
}

export interface PasswordHasher {
  hash: (password: string) => Promise<string>
  /** Verifies a password. Takes as long for an unknown user as for a known one: pass null as the hash for an unknown user. */
  verify: (hash: string | null, password: string) => Promise<boolean>
}

/** An unexpected error and the tool or route pattern where it occurred. The pattern is used because a path may contain a token. */
export interface UnexpectedFailure {
  met: { tool: string } | { route: string }
  reference: string
  error: unknown
}

/** Records unexpected errors for the operator. It never blocks and never throws, because the request has already failed. */
export interface FailureLog {
  note: (failure: UnexpectedFailure) => void
}
