import type { LeadClient } from './client.js'
import { LeadError } from './errors.js'
import type { Lead } from './lead.js'
import { alone, type KeptList, keptList, type LeadStore } from './store.js'

export interface LeadQueueOptions {
  /** The browser's own where there is one; else scans wait in memory. */
  store?: LeadStore
  /** Queues under different keys of one store know nothing of each other. */
  key?: string
}

/** How one scan ended: with a lead, or with a refusal that sending it again would not change. */
export type Sent = { badge: string; lead: Lead } | { badge: string; error: LeadError }

export interface Flushed {
  sent: Sent[]
  /** Why the rest still waits; null when nothing does. */
  stopped: LeadError | null
}

/** Scans that wait for a connection. They are sent one after another in the order of scanning, each once, and kept until an answer came. */
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

  /** The scans that wait, oldest first. */
  get pending(): readonly string[] {
    return this.#kept.items()
  }

  add(badge: string): void {
    this.#kept.keep([...this.pending, badge])
  }

  /** Sends what waits, and stops when the line breaks. Called while it is at it, it gives what comes of that. */
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
      // Read anew: others may have been added meanwhile, always behind.
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

/** Only a badge that nobody wears is done with: a wrong code or a missing licence can be mended, and the scans are worth keeping until then. */
const isStop = (outcome: Sent): outcome is { badge: string; error: LeadError } =>
  'error' in outcome && outcome.error.code !== 'badge_not_found' && outcome.error.code !== 'missing_parameter'
