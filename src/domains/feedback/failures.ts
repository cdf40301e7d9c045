import type { Database, Failure, Failures, Log } from '../../kernel/ports.ts'
import { recognise } from './fingerprint.ts'
import { type Recurrence, recordRecurrence, REFERENCES_KEPT } from './recurrences.ts'

/** A storm of errors is written down a few times a second, not once each. */
const DELAY_MS = 300
/** So many different faults at once are one fault of another kind, and the log has them all. */
const MAX_PENDING = 200

export interface FailureCollector extends Failures {
  /** Writes what is pending. */
  flush: () => Promise<void>
}

/** Groups failures in memory and keeps them a moment later, outside of any request. What cannot be kept is only in the log. */
export function collectFailures({ database, log, appVersion }: { database: Database; log: Log; appVersion: string }): FailureCollector {
  let pending = new Map<string, Recurrence>()
  let timer: NodeJS.Timeout | null = null
  let writing = Promise.resolve()

  function note(failure: Failure): void {
    const known = recognise(failure)
    const before = pending.get(known.fingerprint)
    if (!before && pending.size >= MAX_PENDING) return
    pending.set(known.fingerprint, {
      ...known,
      count: (before?.count ?? 0) + 1,
      references: [failure.reference, ...(before?.references ?? [])].slice(0, REFERENCES_KEPT),
    })
    timer ??= setTimeout(() => void flush(), DELAY_MS).unref()
  }

  async function write(recurrences: readonly Recurrence[]): Promise<void> {
    for (const recurrence of recurrences) {
      try {
        await database.transact((db) => recordRecurrence(db, recurrence, appVersion))
      } catch (error) {
        log.warn('an internal error could not be kept as feedback', {
          reference: recurrence.references[0] ?? '',
          error: (error as Error).message,
        })
      }
    }
  }

  function flush(): Promise<void> {
    if (timer) clearTimeout(timer)
    timer = null
    const taken = [...pending.values()]
    pending = new Map()
    writing = writing.then(() => write(taken))
    return writing
  }

  return {
    note(failure) {
      try {
        note(failure)
      } catch (error) {
        log.warn('an internal error could not be recognised', { reference: failure.reference, error: String(error) })
      }
    },
    flush,
  }
}
