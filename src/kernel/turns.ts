import { setImmediate } from 'node:timers/promises'

/** In milliseconds: who waits for so long does not notice. */
const TURN = 10
let since = performance.now()

/** Called between the parts of long work: when it has lasted, everybody else who waits is served first. */
export async function giveWay(): Promise<void> {
  if (performance.now() - since < TURN) return
  await setImmediate()
  since = performance.now()
}

/** Work that asks nobody anything and may take long. It yields wherever others could have their turn. */
export type InParts<T> = Generator<undefined, T, undefined>

export async function inTurns<T>(work: InParts<T>): Promise<T> {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    await giveWay()
  }
}

/** For what is known to be small, and where nobody waits. */
export function atOnce<T>(work: InParts<T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}
