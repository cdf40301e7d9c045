import { ask, type Fetch, isObject, ownFetch } from './asking.js'
import { LeadError, leadErrorOf } from './errors.js'
import type { DeletedLead, DeviceLead } from './lead.js'
import { alone, type KeptList, keptList, type LeadStore } from './store.js'

export interface ActivationOptions {
  /** Where the service is, as `https://events.example.org`. */
  baseUrl: string
  tenantCode: string
  clientCode: string
  eventCode: string
  /** The company's; `0` gives a device of the test event, at which nothing is kept. */
  activationCode: string
  /** How the exhibitor will know the device: `Booth 12, left`. */
  name: string
  /** `ios`, `android`, `web`, … */
  platform: string
  /** Another way to make requests than the platform's own. */
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
  /** Told only here: keep it where nobody else reads it. */
  deviceToken: string
  company: { id: string; name: string }
  qualifiers: Qualifier[]
  testEvent?: true
}

export interface LeadDeviceOptions {
  baseUrl: string
  deviceToken: string
  /** The browser's own where there is one; else scans wait in memory. */
  store?: LeadStore
  /** Devices under different keys of one store know nothing of each other's scans. */
  key?: string
  /** Shown to the organizer beside the device. */
  appVersion?: string
  fetch?: typeof fetch
}

/** What is noted of somebody with a scan. What is left out stays as it is; null empties. */
export interface ScanNotes {
  staffEmail?: string
  rating?: number | null
  notes?: string | null
  tags?: string[]
  qualifiers?: Record<string, unknown>
}

/** A scan that waits. `nonce` makes it the same scan however often it is sent. */
export interface KeptScan extends ScanNotes {
  badge: string
  at: string
  nonce: string
}

/** Every scan that was sent ends as exactly one of these. */
export type ScanResult = 'created' | 'counted' | 'duplicate' | 'unknown_badge'

/** How one scan ended: with a result, or with an error because what was noted with it is none that the service takes. */
export type Synced = { scan: KeptScan; result: ScanResult; lead?: DeviceLead; leftOut?: string[] } | { scan: KeptScan; error: LeadError }

export interface DeviceFlushed {
  sent: Synced[]
  /** Why the rest still waits; null when nothing does. */
  stopped: LeadError | null
}

export interface DeviceLeads {
  leads: DeviceLead[]
  /** Ids of leads that the company has no more. */
  deleted: string[]
  /** Pass it the next time. Null while there has been no lead. */
  updatedSince: string | null
}

const PATH = '/api/public/lead-devices'
/** The service takes 200; smaller ones get through where the line is bad. */
const AT_ONCE = 50
const RESULTS: readonly unknown[] = ['created', 'counted', 'duplicate', 'unknown_badge']

/** One device of a company at one event: keeps what it scans, sends it when there is a connection, and reads the leads of its company. */
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

  /** Takes one of the seats of a company, and gives the token that `new LeadDevice` needs. */
  static async activate({ baseUrl, fetch: own, ...sent }: ActivationOptions): Promise<Activation> {
    const { ok, body, refusal } = await ask(own ?? ownFetch, baseUrl.replace(/\/+$/, '') + PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(sent),
    })
    if (ok && isObject(body) && typeof body['deviceToken'] === 'string') return body as unknown as Activation
    throw refusal
  }

  /** The scans that wait, oldest first. */
  get pending(): readonly KeptScan[] {
    return this.#kept.items()
  }

  /** Keeps a scan of this moment. Pass the whole text as it was scanned. */
  add(badge: string, notes: ScanNotes = {}): KeptScan {
    const scan: KeptScan = { badge, at: new Date().toISOString(), nonce: newNonce(), ...notes }
    this.#kept.keep([...this.pending, scan])
    return scan
  }

  /** Sends what waits, and stops when the line breaks or the device has no seat any more. Called while it is at it, it gives what comes of that. */
  flush(): Promise<DeviceFlushed> {
    this.#flushing ??= alone(this.#key, () => this.#send()).finally(() => {
      this.#flushing = null
    })
    return this.#flushing
  }

  /** The leads of the company, or with `updatedSince` what changed after it. */
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
      // Read anew: others may have been added meanwhile, always behind.
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
      // An answer that is right tells of every scan; one that tells of none is nobody's we know.
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

/** By their nonces: also of a device that was revoked, whose earlier scans were taken. */
function resultsIn(body: unknown, scans: readonly KeptScan[]): Synced[] {
  const results = isObject(body) && Array.isArray(body['results']) ? (body['results'] as unknown[]) : []
  const byNonce = new Map(results.filter(isObject).map((one) => [one['nonce'], one]))
  return scans.flatMap((scan): Synced[] => {
    const { nonce: _, ...told } = byNonce.get(scan.nonce) ?? {}
    return RESULTS.includes(told['result']) ? [{ scan, ...(told as { result: ScanResult }) }] : []
  })
}

/** Scans that the service cannot take as they are: it names each by its place. */
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

/** 128 random bits. Made so that it works on a page without https too. */
const newNonce = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
