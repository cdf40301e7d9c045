import { setImmediate } from 'node:timers/promises'

/** How long a cooperative task may block the event loop, short enough that users do not notice. */
const MAX_BLOCKING_MS = 10
let lastYieldAt = performance.now()

/** Call between parts of long synchronous work: if the event loop was blocked for too long, pending requests are served first. */
export async function yieldToEventLoop(): Promise<void> {
  if (performance.now() - lastYieldAt < MAX_BLOCKING_MS) return
  await setImmediate()
  lastYieldAt = performance.now()
}

/** Long CPU-bound work as a generator that yields wherever it may be interrupted. */
export type CooperativeTask<T> = Generator<undefined, T, undefined>

export async function runTaskCooperatively<T>(work: CooperativeTask<T>): Promise<T> {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    await yieldToEventLoop()
  }
}

/** Runs a cooperative task without yielding: for small inputs, and for contexts without concurrent requests. */
export function runTaskSynchronously<T>(work: CooperativeTask<T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}
