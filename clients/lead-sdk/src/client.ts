import { ask, type Fetch, isObject, ownFetch } from './asking.js'
import type { Lead } from './lead.js'

export interface LeadClientOptions {
  /** Base URL of the service, such as `https://events.example.org`. */
  baseUrl: string
  tenantCode: string
  clientCode: string
  eventCode: string
  /** The company's activation code. `0` selects the test event, which stores nothing and accepts any other codes. */
  activationCode: string
  /** Replaces the platform's `fetch`. */
  fetch?: typeof fetch
}

const PATH = '/api/public/lead-sdk'

/** A client for one company at one event. */
export class LeadClient {
  readonly #address: string
  readonly #codes: Record<string, string>
  readonly #fetch: Fetch

  constructor({ baseUrl, tenantCode, clientCode, eventCode, activationCode, fetch: own }: LeadClientOptions) {
    this.#address = baseUrl.replace(/\/+$/, '') + PATH
    this.#codes = { tenantCode, clientCode, eventCode, activationCode }
    this.#fetch = own ?? ownFetch
  }

  /** Records the scan of a badge and returns the lead. Pass the complete scanned text: the service extracts the badge ID. */
  async scan(badge: string): Promise<Lead> {
    const query = new URLSearchParams({ ...this.#codes, badgeId: badge })
    const { ok, body, refusal } = await ask(this.#fetch, `${this.#address}?${query.toString()}`)
    if (ok && isLead(body)) return body
    throw refusal
  }
}

const isLead = (body: unknown): body is Lead => isObject(body) && typeof body['leadId'] === 'string' && isObject(body['fields'])
