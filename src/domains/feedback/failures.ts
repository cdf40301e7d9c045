import type { Database, UnexpectedFailure, FailureLog, Log } from '../../kernel/ports.ts'
import { fingerprintFailure } from './fingerprint.ts'
import { type FailureRecurrence, recordFailureOccurrence, MAX_STORED_ERROR_REFERENCES } from './recurrences.ts'

/** Interval at which collected errors are written, so that bursts are not written one by one. */
const DELAY_MS = 300
/** Maximum number of distinct errors collected between two writes. Further errors are only written to the server log. */
const MAX_PENDING = 200

export interface FailureCollector extends FailureLog {
  /** Stores the collected failures immediately, without waiting for the end of the interval. */
  flush: () => Promise<void>
}

/**
 * Groups failures in memory and stores them shortly afterwards, outside of the request. If storing them fails, only the server log has
 * them.
 */
export function createFailureCollector({
  database,
  log,
  appVersion,
}: {
  database: Database
  log: Log
  appVersion: string
}): FailureCollector {
  let pending = new Map<string, FailureRecurrence>()
  let timer: NodeJS.Timeout | null = null
  let writing = Promise.resolve()

  function note(failure: UnexpectedFailure): void {
    const known = fingerprintFailure(failure)
    const before = pending.get(known.fingerprint)
    if (!before && pending.size >= MAX_PENDING) return
    pending.set(known.fingerprint, {
      ...known,
      count: (before?.count ?? 0) + 1,
      references: [failure.reference, ...(before?.references ?? [])].slice(0, MAX_STORED_ERROR_REFERENCES),
    })
    timer ??= setTimeout(() => void flush(), DELAY_MS).unref()
  }

  async function write(recurrences: readonly FailureRecurrence[]): Promise<void> {
    for (const recurrence of recurrences) {
      try {
        await database.transact((db) => recordFailureOccurrence(db, recurrence, appVersion))
      } catch (error) {
        log.warn('an internal error could not be stored as feedback', {
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
        log.warn('an internal error could not be fingerprinted', { reference: failure.reference, error: String(error) })
      }
    },
    flush,
  }
}
