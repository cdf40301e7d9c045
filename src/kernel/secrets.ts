import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { inspect } from 'node:util'

/** A value that no log, message or JSON shows by accident. Only `reveal` returns it. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }

  [inspect.custom](): string {
    return '[secret]'
  }
}

export interface DerivedKeys {
  /** Returns the current key for the purpose that the label names. Labels are constants in the code, never input. */
  key: (label: string) => Buffer
  /** Encrypts a value. It can be decrypted only with the same label and the same `aad` (additional authenticated data). */
  seal: (label: string, plaintext: string | Buffer, aad: string) => string
  /** Decrypts a value. Null if this server did not encrypt it with this label and `aad`. */
  open: (label: string, sealed: string, aad: string) => Buffer | null
  sign: (label: string, text: string) => string
  verify: (label: string, text: string, signature: string) => boolean
  /**
   * Lists the signatures of a text, first under the current master key, then under older ones, to find a row that was stored under its
   * signature.
   */
  listSignatures: (label: string, text: string) => string[]
}

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Derives all keys from the master key. Older master keys can still decrypt and verify, but not encrypt or sign. */
export function deriveKeys(master: Buffer, old: readonly Buffer[] = []): DerivedKeys {
  const [current, ...earlier] = [master, ...old].map(derivation) as [Derivation, ...Derivation[]]
  const listSignatures = (label: string, text: string) => [current, ...earlier].map(({ key }) => hmac(key(label), text))

  return {
    key: current.key,
    seal(label, plaintext, aad) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', current.key(label), nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(aad))
      const body = Buffer.concat([cipher.update(plaintext), cipher.final()])
      return `${current.id}.${Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url')}`
    },
    open(label, sealed, aad) {
      const [id, text = '', ...rest] = sealed.split('.', 3)
      const from = [current, ...earlier].find((one) => one.id === id)
      const bytes = Buffer.from(text, 'base64url')
      // Base64 decoding ignores invalid characters, so without this check many texts would decode to the same encrypted value.
      if (!from || rest.length > 0 || bytes.toString('base64url') !== text || bytes.length < NONCE_BYTES + TAG_BYTES) return null
      const decipher = createDecipheriv('aes-256-gcm', from.key(label), bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(aad)).setAuthTag(bytes.subarray(-TAG_BYTES))
      try {
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
      } catch {
        return null
      }
    },
    sign: (label, text) => hmac(current.key(label), text),
    verify: (label, text, signature) =>
      listSignatures(label, text).some((one) => equalInConstantTime(Buffer.from(one), Buffer.from(signature))),
    listSignatures,
  }
}

/** Creates a token of 256 random bits with a prefix that shows the token's purpose. It is shown once; only its hash is stored. */
export const newToken = (prefix: string) => prefix + randomBytes(32).toString('base64url')

/** Hashes a token for storage. A single SHA-256 is enough: unlike a password, 256 random bits cannot be guessed from their hash. */
export const hashToken = (token: string) => hash('sha256', token, 'buffer')

/** Compares two byte arrays in constant time; only a difference in length is observable. */
export const equalInConstantTime = (a: Uint8Array, b: Uint8Array) => a.length === b.length && timingSafeEqual(a, b)

interface Derivation {
  id: string
  key: (label: string) => Buffer
}

function derivation(master: Buffer): Derivation {
  if (master.length !== 32) throw new RangeError(`a master key has 32 bytes, not ${master.length}`)
  const keys = new Map<string, Buffer>()
  const key = (label: string) => {
    const derived = keys.get(label) ?? Buffer.from(hkdfSync('sha256', master, '', `lanyard ${label}`, 32))
    keys.set(label, derived)
    return derived
  }
  return { id: key('key id').subarray(0, 6).toString('base64url'), key }
}

const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest('base64url')
