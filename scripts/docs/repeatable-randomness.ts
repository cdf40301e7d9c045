import crypto, { createHash } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/**
 * Makes all random values of the process reproducible, because otherwise outdated examples could not be distinguished from random
 * differences. After `begin` all random values derive from the given name; `end` restores real randomness.
 */
export function useRepeatableRandomness(now: number): { begin: (name: string) => void; end: () => void } {
  const real = { randomBytes: crypto.randomBytes, randomInt: crypto.randomInt, randomUUID: crypto.randomUUID, now: Date.now }
  let [seed, drawn] = ['', 0]

  function bytes(size: number): Buffer {
    const blocks: Buffer[] = []
    for (let length = 0; length < size; length += 32) {
      blocks.push(createHash('sha256').update(`${seed} ${drawn++}`).digest())
    }
    return Buffer.concat(blocks).subarray(0, size)
  }
  function randomInt(first: number, second?: number): number {
    const [least, beyond] = second === undefined ? [0, first] : [first, second]
    return least + (bytes(6).readUIntBE(0, 6) % (beyond - least))
  }
  const randomUUID = () => bytes(16).toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

  return {
    begin(name) {
      ;[seed, drawn] = [name, 0]
      Object.assign(crypto, { randomBytes: bytes, randomInt, randomUUID })
      // Ids start with their creation time.
      Date.now = () => now
      syncBuiltinESMExports()
    },
    end() {
      const { now: realNow, ...functions } = real
      Object.assign(crypto, functions)
      Date.now = realNow
      syncBuiltinESMExports()
    },
  }
}
