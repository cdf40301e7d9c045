import type { LeadClient } from './client.js'
import { LeadError } from './errors.js'
import type { Lead } from './lead.js'
import { alone, type KeptList, keptList, type LeadStore } from './store.js'

export interface LeadQueueOptions {
  /** Where scans are queued. Defaults to the browser's `localStorage`, or to memory if there is none. */
  store?: LeadStore
  /** Separates several queues that share a store. */
  key?: string
}

/** The outcome of one scan: a lead, or an error that a retry would not change. */
export type Sent = { badge: string; lead: Lead } | { badge: string; error: LeadError }

export interface Flushed {
  sent: Sent[]
  /** Why the remaining scans are still queued; null if the queue is empty. */
  stopped: LeadError | null
}

/** Queues scans until there is a connection. Sends them one at a time, in the order of scanning, and removes each after its response. */
export class LeadQueue {
  readonly #client: LeadClient
  readonly #kept: KeptList<string>
  readonly #key: string
  #flushing: Promise<Flushed> | null = null

  constructor(client: LeadClient, { store, key = 'lanyard-leads' }: LeadQueueOptions = {}) {
    this.#client = client
    this.#kept = keptList(store, key, (value): value is string => typeof value === 'string')
    this.#key = key
  }

  /** Queued scans, oldest first. */
  get pending(): readonly string[] {
    return this.#kept.items()
  }

  add(badge: string): void {
    this.#kept.keep([...this.pending, badge])
  }

  /** Sends queued scans until the connection fails. Concurrent calls share one run and its result. */
  flush(): Promise<Flushed> {
    this.#flushing ??= alone(this.#key, () => this.#send()).finally(() => {
      this.#flushing = null
    })
    return this.#flushing
  }

  async #send(): Promise<Flushed> {
    const sent: Sent[] = []
    for (let badge = this.pending[0]; badge !== undefined; badge = this.pending[0]) {
      const outcome = await this.#outcomeOf(badge)
      if (isStop(outcome)) return { sent, stopped: outcome.error }
      // Read the queue again, because scans may have been appended meanwhile.
      this.#kept.keep(this.pending.slice(1))
      sent.push(outcome)
    }
    return { sent, stopped: null }
  }

  async #outcomeOf(badge: string): Promise<Sent> {
    try {
      return { badge, lead: await this.#client.scan(badge) }
    } catch (error) {
      if (error instanceof LeadError) return { badge, error }
      throw error
    }
  }
}

/** Only a scan of an unknown badge is removed. A wrong code or a missing licence can be corrected, so those scans stay queued. */
const isStop = (outcome: Sent): outcome is { badge: string; error: LeadError } =>
  'error' in outcome && outcome.error.code !== 'badge_not_found' && outcome.error.code !== 'missing_parameter'
