import type { PGlite } from '@electric-sql/pglite'

/** Parse, Bind, Describe, Execute and Close: nobody waits for the answer to one of them before the statement's end is sent. */
const STEPS = new Set(Array.from('PBDEC', (letter) => letter.charCodeAt(0)))

/**
 * PGlite as the driver talks to it, with the messages of a statement handed over together: the driver sends them one by one, and each way
 * into the engine and back costs as much as a small statement itself.
 */
export function statementWise(lite: PGlite): Pick<PGlite, 'waitReady' | 'execProtocolStream'> {
  let steps: Uint8Array[] = []
  return {
    waitReady: lite.waitReady,
    async execProtocolStream(message, options) {
      steps.push(message)
      if (STEPS.has(message[0]!)) return []
      const whole = Buffer.concat(steps)
      steps = []
      // Its files are those of the system, which has what was written.
      return lite.execProtocolStream(whole, { ...options, syncToFs: false })
    },
  }
}
