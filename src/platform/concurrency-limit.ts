import { AppError } from '../kernel/errors.ts'

const RETRY_AFTER_SECONDS = 5

/**
 * Limits how many functions with the same key run concurrently; the others wait in order. Functions without a key are not limited. A
 * function that cannot start in time is refused.
 */
export function createConcurrencyLimit(max: number, maxWaitMs: number) {
  const lines = new Map<string, { running: number; waiting: (() => void)[] }>()

  async function enter(key: string): Promise<void> {
    const line = lines.get(key) ?? { running: 0, waiting: [] }
    lines.set(key, line)
    if (line.running < max) {
      line.running++
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const start = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      line.waiting.splice(line.waiting.indexOf(start), 1)
      reject(new AppError('unavailable', 'This event is very busy at the moment. Try again.', { retryAfterSeconds: RETRY_AFTER_SECONDS }))
    }, maxWaitMs)
    line.waiting.push(start)
    await promise
  }

  /** Called when a function of this key ends. The next waiting function takes over its slot, so `running` stays the same. */
  function leave(key: string): void {
    const line = lines.get(key)!
    const next = line.waiting.shift()
    if (next) return next()
    line.running--
    if (line.running === 0) lines.delete(key)
  }

  return async function run<T>(key: string | null | undefined, work: () => Promise<T>): Promise<T> {
    if (key == null) return work()
    await enter(key)
    try {
      return await work()
    } finally {
      leave(key)
    }
  }
}
