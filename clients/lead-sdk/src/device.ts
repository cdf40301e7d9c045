import { ask, type Fetch, isObject, ownFetch } from './asking.js'
import { LeadError, leadErrorOf } from './errors.js'
import type { DeletedLead, DeviceLead } from './lead.js'
import { alone, type KeptList, keptList, type LeadStore } from './store.js'

export interface ActivationOptions {
  /** Base URL of the service, such as `https://events.example.org`. */
  baseUrl: string
  tenantCode: string
  clientCode: string
  eventCode: string
  /** The company's activation code. `0` registers a device of the test event, which stores nothing. */
  activationCode: string
  /** The name that the exhibitor sees, such as `Booth 12, left`. */
  name: string
  /** `ios`, `android`, `web`, … */
  platform: string
  /** Replaces the platform's `fetch`. */
  fetch?: typeof fetch
}

/** A question that the organizer wants booth staff to answer about a lead. */
export interface Qualifier {
  code: string
  label: string
  type: string
  choices: { code: string; label: string }[]
}

export interface Activation {
  deviceId: string
  /** Returned only once. Store it where other users and programs cannot read it. */
  deviceToken: string
  company: { id: string; name: string }
  qualifiers: Qualifier[]
  testEvent?: true
}

export interface LeadDeviceOptions {
  baseUrl: string
  deviceToken: string
  /** Where scans are queued. Defaults to the browser's `localStorage`, or to memory if there is none. */
  store?: LeadStore
  /** Separates the queues of several devices that share a store. */
  key?: string
  /** Shown to the organizer with the device. */
  appVersion?: string
  fetch?: typeof fetch
}

/** Notes of booth staff that are sent with a scan. Omitted fields stay unchanged; null clears a field. */
export interface ScanNotes {
  staffEmail?: string
  rating?: number | null
  notes?: string | null
  tags?: string[]
  qualifiers?: Record<string, unknown>
}

/** A queued scan. The service uses `nonce` to count the scan once, even if it is sent several times. */
export interface KeptScan extends ScanNotes {
  badge: string
  at: string
  nonce: string
}

/** The possible results of a sent scan. */
export type ScanResult = 'created' | 'counted' | 'duplicate' | 'unknown_badge'

/** The outcome of one scan: a result, or an error if the service rejects its notes as invalid. */
export type Synced = { scan: KeptScan; result: ScanResult; lead?: DeviceLead; leftOut?: string[] } | { scan: KeptScan; error: LeadError }

export interface DeviceFlushed {
  sent: Synced[]
  /** Why the remaining scans are still queued; null if the queue is empty. */
  stopped: LeadError | null
}

export interface DeviceLeads {
  leads: DeviceLead[]
  /** IDs of leads that were deleted. */
  deleted: string[]
  /** Pass this value to the next call. Null as long as there are no leads. */
  updatedSince: string | null
}

const PATH = '/api/public/lead-devices'
/** The service accepts up to 200 scans per request. Smaller requests succeed more often on a bad connection. */
const AT_ONCE = 50
const RESULTS: readonly unknown[] = ['created', 'counted', 'duplicate', 'unknown_badge']

/** A device of a company at one event. It queues scans, sends them when there is a connection, and reads the company's leads. */
export class LeadDevice {
  readonly #address: string
  readonly #token: string
  readonly #fetch: Fetch
  readonly #kept: KeptList<KeptScan>
  readonly #key: string
  readonly #appVersion: string | undefined
  #flushing: Promise<DeviceFlushed> | null = null

  constructor({ baseUrl, deviceToken, store, key = 'lanyard-device', appVersion, fetch: own }: LeadDeviceOptions) {
    this.#address = baseUrl.replace(/\/+$/, '') + PATH
    this.#token = deviceToken
    this.#fetch = own ?? ownFetch
    this.#kept = keptList(store, key, isScan)
    this.#key = key
    this.#appVersion = appVersion
  }

  /** Takes one of the company's device seats and returns the token for `new LeadDevice`. */
  static async activate({ baseUrl, fetch: own, ...sent }: ActivationOptions): Promise<Activation> {
    const { ok, body, refusal } = await ask(own ?? ownFetch, baseUrl.replace(/\/+$/, '') + PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(sent),
    })
    if (ok && isObject(body) && typeof body['deviceToken'] === 'string') return body as unknown as Activation
    throw refusal
  }

  /** Queued scans, oldest first. */
  get pending(): readonly KeptScan[] {
    return this.#kept.items()
  }

  /** Queues a scan with the current time. Pass the complete scanned text. */
  add(badge: string, notes: ScanNotes = {}): KeptScan {
    const scan: KeptScan = { badge, at: new Date().toISOString(), nonce: newNonce(), ...notes }
    this.#kept.keep([...this.pending, scan])
    return scan
  }

  /** Sends queued scans until the connection fails or the device loses its seat. Concurrent calls share one run and its result. */
  flush(): Promise<DeviceFlushed> {
    this.#flushing ??= alone(this.#key, () => this.#send()).finally(() => {
      this.#flushing = null
    })
    return this.#flushing
  }

  /** Lists the company's leads, or with `updatedSince` those that changed since then. */
  async leads({ updatedSince = null }: { updatedSince?: string | null } = {}): Promise<DeviceLeads> {
    const all: (DeviceLead | DeletedLead)[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = new URLSearchParams({ limit: '200', ...(updatedSince ? { updatedSince } : {}), ...(cursor ? { cursor } : {}) })
      const { ok, body, refusal } = await ask(this.#fetch, `${this.#address}/leads?${query.toString()}`, { headers: this.#headers() })
      if (!ok || !isPage(body)) throw refusal
      all.push(...body.data)
      cursor = body.pageInfo.nextCursor
    }
    const latest = all.map(({ updatedAt }) => updatedAt).reduce((one, other) => (one > other ? one : other), updatedSince ?? '')
    return {
      leads: all.filter((lead): lead is DeviceLead => !('deleted' in lead)),
      deleted: all.flatMap((lead) => ('deleted' in lead ? lead.leadId : [])),
      updatedSince: latest || null,
    }
  }

  #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#token}` }
  }

  async #send(): Promise<DeviceFlushed> {
    const sent: Synced[] = []
    for (let scans = this.pending.slice(0, AT_ONCE); scans.length > 0; scans = this.pending.slice(0, AT_ONCE)) {
      const { done, stopped } = await this.#sync(scans)
      const ended = new Set(done.map(({ scan }) => scan.nonce))
      // Read the queue again, because scans may have been appended meanwhile.
      this.#kept.keep(this.pending.filter(({ nonce }) => !ended.has(nonce)))
      sent.push(...done)
      if (stopped) return { sent, stopped }
    }
    return { sent, stopped: null }
  }

  async #sync(scans: readonly KeptScan[]): Promise<{ done: Synced[]; stopped: LeadError | null }> {
    try {
      const { ok, body, refusal } = await ask(this.#fetch, `${this.#address}/captures`, {
        method: 'POST',
        headers: { ...this.#headers(), 'content-type': 'application/json' },
        body: JSON.stringify({ captures: scans, sentAt: new Date().toISOString(), appVersion: this.#appVersion }),
      })
      const done = [...resultsIn(body, scans), ...faultsIn(body, scans)]
      // A valid response has a result for every scan. Otherwise sending stops, and the scans stay queued.
      const stopped =
        (ok && done.length === scans.length) || (!ok && refusal.code === 'invalid_request' && done.length > 0) ? null : refusal
      return { done, stopped }
    } catch (error) {
      if (error instanceof LeadError) return { done: [], stopped: error }
      throw error
    }
  }
}

const isScan = (value: unknown): value is KeptScan =>
  isObject(value) && ['badge', 'at', 'nonce'].every((name) => typeof value[name] === 'string')

/** Matches results to scans by nonce. A revoked device also gets results, for scans from before the revocation. */
function resultsIn(body: unknown, scans: readonly KeptScan[]): Synced[] {
  const results = isObject(body) && Array.isArray(body['results']) ? (body['results'] as unknown[]) : []
  const byNonce = new Map(results.filter(isObject).map((one) => [one['nonce'], one]))
  return scans.flatMap((scan): Synced[] => {
    const { nonce: _, ...told } = byNonce.get(scan.nonce) ?? {}
    return RESULTS.includes(told['result']) ? [{ scan, ...(told as { result: ScanResult }) }] : []
  })
}

/** Finds the scans that the service rejected as invalid. The service names each by its index. */
function faultsIn(body: unknown, scans: readonly KeptScan[]): Synced[] {
  if (!isObject(body) || body['code'] !== 'invalid_request' || !Array.isArray(body['errors'])) return []
  const faults = (body['errors'] as unknown[]).filter(isObject).flatMap(({ parameter, message }) => {
    const [, place, field] = /^captures\/(\d+)\/?(.*)$/.exec(String(parameter)) ?? []
    return place === undefined ? [] : [{ place: Number(place), told: `${field}: ${String(message)}` }]
  })
  return scans.flatMap((scan, place): Synced[] => {
    const own = faults.filter((fault) => fault.place === place).map(({ told }) => told)
    return own.length === 0 ? [] : [{ scan, error: leadErrorOf({ code: 'invalid_request', message: own.join('; '), status: 400 }) }]
  })
}

interface Page {
  data: (DeviceLead | DeletedLead)[]
  pageInfo: { nextCursor: string | null }
}

const isPage = (body: unknown): body is Page => isObject(body) && Array.isArray(body['data']) && isObject(body['pageInfo'])

/** Generates 128 random bits. `crypto.randomUUID` is missing on pages without HTTPS. */
const newNonce = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
