import { EventEmitter } from 'node:events'
import type { PGlite } from '@electric-sql/pglite'

const letters = (text: string) => new Set(Array.from(text, (letter) => letter.charCodeAt(0)))
/**
 * Protocol messages Parse, Bind, Describe, Execute and Close: the database driver does not wait for a response until the statement is
 * complete.
 */
const PARTIAL_MESSAGES = letters('PBDEC')
const TERMINATE = 'X'.charCodeAt(0)
/** First byte of a startup message: only that message begins with its length, whose first byte is 0. */
const STARTUP = 0
/** The response to a startup message: AuthenticationOk, then ReadyForQuery outside a transaction. */
const STARTUP_RESPONSE = Buffer.from([...Buffer.from('R'), 0, 0, 0, 8, 0, 0, 0, 0, ...Buffer.from('Z'), 0, 0, 0, 5, ...Buffer.from('I')])

/**
 * PGlite in place of the driver's socket, so that both databases use the same code. The messages of a statement are passed on together,
 * because each round trip into the engine costs as much as a small statement.
 */
export class EmbeddedDatabaseStream extends EventEmitter {
  readonly writable = true
  readonly #lite: PGlite
  #steps: Uint8Array[] = []

  constructor(lite: PGlite) {
    super()
    this.#lite = lite
  }

  connect(): void {
    process.nextTick(() => this.emit('connect'))
  }

  write(message: Uint8Array, sent?: () => void): boolean {
    if (message[0] === STARTUP) process.nextTick(() => this.emit('data', STARTUP_RESPONSE))
    else if (message[0] !== TERMINATE) this.#take(message)
    if (sent) process.nextTick(sent)
    return true
  }

  end(): void {
    process.nextTick(() => this.emit('close'))
  }

  destroy(): void {
    this.end()
  }

  /** The driver sets socket options, which have no effect on the embedded database. */
  setNoDelay(): void {}
  ref(): void {}
  unref(): void {}

  #take(message: Uint8Array): void {
    this.#steps.push(message)
    if (PARTIAL_MESSAGES.has(message[0]!)) return
    const whole = Buffer.concat(this.#steps)
    this.#steps = []
    this.#answer(whole).then(
      (answer) => this.emit('data', answer),
      (error: unknown) => this.emit('error', error),
    )
  }

  async #answer(whole: Uint8Array): Promise<Buffer> {
    const parts: Buffer[] = []
    // Each part of the response is copied, because the engine reuses its memory. `syncToFs` is only needed for file systems in a browser.
    await this.#lite.execProtocolRawStream(whole, { syncToFs: false, onRawData: (part) => void parts.push(Buffer.from(part)) })
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
  }
}
