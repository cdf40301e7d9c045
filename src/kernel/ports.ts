import type { Readable } from 'node:stream'
import type { Db } from './columns.ts'

/** What the kernel and the domains need of the outside world. `platform` implements it; only `main` and the tests see both. */

/** The rows of one statement. */
export interface Rows<R = Record<string, unknown>> {
  rows: R[]
  rowCount: number | null
}

/** One connection, held until released. Text with values is run as a named statement. */
export interface Connection {
  query: <R = Record<string, unknown>>(text: string, values?: readonly unknown[]) => Promise<Rows<R>>
  release: (broken?: Error | boolean) => void
}

export interface Pool {
  connect: () => Promise<Connection>
  query: <R = Record<string, unknown>>(text: string, values?: readonly unknown[]) => Promise<Rows<R>>
  /** Connections in use and open, for metrics. */
  usage: () => { open: number; idle: number; waiting: number }
  end: () => Promise<void>
}

/** What the queue hands to a worker: the name of a row that is to be seen to. */
export type Delivery =
  | { kind: 'job'; name: string; tenantId: number; jobId: string }
  | { kind: 'outsideCall'; tenantId: number; callId: string }
  | { kind: 'slot'; name: string; slot: string }

/** Puts work on the queue in the caller's transaction: it exists when, and only when, that commits. */
export interface JobQueue {
  send: (db: Db, delivery: Delivery, options?: SendOptions) => Promise<void>
}

export interface SendOptions {
  afterSeconds?: number
  /** Of those that name the same one, the queue hands out one at a time, as a rule: two processes may both take one in the same moment. */
  turn?: string | undefined
}

/** One database: a pool that writes, and one that the server itself keeps from writing where it can. */
export interface Database {
  engine: 'postgres' | 'embedded'
  write: Db
  read: Db
  /** Hot statements are written by hand and run here, each in a transaction of its own. */
  pool: Pool
  /** One transaction. When it meets another it is run again from the start, so what it does outside the database it does twice. */
  transact: <T>(run: (db: Db) => Promise<T>) => Promise<T>
  close: () => Promise<void>
}

export interface OutgoingMail {
  messageId: string
  from: { name: string; address: string }
  to: { name?: string; address: string }
  replyTo?: string
  subject: string
  text: string
  html?: string
  /** Of the texts, as a language tag. */
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

export type MailOutcome =
  | { kind: 'accepted' }
  /** Try again later: the answer was temporary, or the connection broke before the message was handed over. */
  | { kind: 'later'; reason: string }
  | { kind: 'refused'; reason: string; address: boolean }
  /** The connection broke after the message was handed over: it may have arrived. */
  | { kind: 'uncertain'; reason: string }

export interface Mailer {
  /** `mailbox` keeps every message for the mailbox page and lets none leave. */
  transport: 'smtp' | 'mailbox'
  send: (mail: OutgoingMail) => Promise<MailOutcome>
  check: () => Promise<void>
  close: () => void
}

/** Where the bytes of files are: a folder, or a bucket. What they are and whose is in the database; see `domains/files`. */
export interface FileStore {
  kind: 'disk' | 's3'
  /** Takes the stream to its end. The object is there whole when this resolves, and not at all when it throws. */
  put: (key: string, content: Readable) => Promise<void>
  /** Null where there is none. Both ends of a range are part of it. */
  open: (key: string, range?: ByteRange) => Promise<Readable | null>
  /** Also what an upload that was cut off left behind; nothing to remove is fine. */
  remove: (key: string) => Promise<void>
  /** Throws where it does not answer; `write` tries that too. */
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

/** The only things a log line may say. Bodies, queries, tokens and answers have no field here. */
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

/** The standard rate of the tax on sales of one place, from one day to another. */
export interface TaxRate {
  country: string
  /** ISO 3166-2 without the country; null: of the whole country. */
  region: string | null
  /** Percent, as a decimal text. */
  rate: string
  /** Where several authorities share it. */
  components: readonly { code: string; name: string; rate: string }[]
  from: string
  /** The last day; null: until now. */
  until: string | null
  /** The authority that says so. */
  source: string
}

/** What is known of tax rates: by the tables that come along, or by a file of whoever runs the installation. */
export interface TaxRates {
  version: string
  /** All there ever were at a place, the latest first. None: nobody knows. */
  rowsOf: (country: string, region: string | null) => readonly TaxRate[]
}

/** Writes a short text from facts; the operator chose it in the settings. It is given no tools and nothing but the facts. */
export interface TextModel {
  name: string
  write: (asked: { instructions: string; facts: object; maxTokens: number }) => Promise<string>
}

/** Whether the tax office of a country knows a number, written without the country; null where nobody is asked, or nobody answered in time. */
export interface TaxOffices {
  knows: (country: string, number: string) => Promise<boolean | null>
}

export interface Passwords {
  hash: (password: string) => Promise<string>
  /** Takes as long for an unknown person as for a known one: pass null for the former. */
  verify: (hash: string | null, password: string) => Promise<boolean>
}

/** An error that nobody foresaw, and where it was met: in a tool, or behind a route pattern (a path itself may hold a token). */
export interface Failure {
  met: { tool: string } | { route: string }
  reference: string
  error: unknown
}

/** Keeps failures for whoever runs the service. It never waits and never throws: the request has trouble enough. */
export interface Failures {
  note: (failure: Failure) => void
}
