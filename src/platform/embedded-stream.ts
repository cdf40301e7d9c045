import { EventEmitter } from 'node:events'
import type { PGlite } from '@electric-sql/pglite'

const letters = (text: string) => new Set(Array.from(text, (letter) => letter.charCodeAt(0)))
/** Parse, Bind, Describe, Execute and Close: nobody waits for the answer to one of them before the statement's end is sent. */
const STEPS = letters('PBDEC')
const END = 'X'.charCodeAt(0)
/** Only a startup message begins with its length, which is never so large. */
const STARTUP = 0
/** AuthenticationOk, and ReadyForQuery outside of a transaction. */
const WELCOME = Buffer.from([...Buffer.from('R'), 0, 0, 0, 8, 0, 0, 0, 0, ...Buffer.from('Z'), 0, 0, 0, 5, ...Buffer.from('I')])

/**
 * PGlite where the driver expects a socket, so that both databases are spoken to and read by the same code. The messages of a statement are
 * handed over together: the driver sends them one by one, and each way into the engine and back costs as much as a small statement itself.
 */
export class EmbeddedStream extends EventEmitter {
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
    if (message[0] === STARTUP) process.nextTick(() => this.emit('data', WELCOME))
    else if (message[0] !== END) this.#take(message)
    if (sent) process.nextTick(sent)
    return true
  }

  end(): void {
    process.nextTick(() => this.emit('close'))
  }

  destroy(): void {
    this.end()
  }

  /** There is no network whose delays could be avoided or whose silence could be noticed. */
  setNoDelay(): void {}
  ref(): void {}
  unref(): void {}

  #take(message: Uint8Array): void {
    this.#steps.push(message)
    if (STEPS.has(message[0]!)) return
    const whole = Buffer.concat(this.#steps)
    this.#steps = []
    this.#answer(whole).then(
      (answer) => this.emit('data', answer),
      (error: unknown) => this.emit('error', error),
    )
  }

  async #answer(whole: Uint8Array): Promise<Buffer> {
    const parts: Buffer[] = []
    // Copied, because the engine's memory is written again; its files are those of the system, which has what was written.
    await this.#lite.execProtocolRawStream(whole, { syncToFs: false, onRawData: (part) => void parts.push(Buffer.from(part)) })
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
  }
}
