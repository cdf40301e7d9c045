import { ask, type Fetch, isObject, ownFetch } from './asking.js'
import type { Lead } from './lead.js'

export interface LeadClientOptions {
  /** Where the service is, as `https://events.example.org`. */
  baseUrl: string
  tenantCode: string
  clientCode: string
  eventCode: string
  /** The company's; `0` opens the test event, at which nothing is kept and the other codes may be anything. */
  activationCode: string
  /** Another way to make requests than the platform's own. */
  fetch?: typeof fetch
}

const PATH = '/api/public/lead-sdk'

/** One company at one event. */
export class LeadClient {
  readonly #address: string
  readonly #codes: Record<string, string>
  readonly #fetch: Fetch

  constructor({ baseUrl, tenantCode, clientCode, eventCode, activationCode, fetch: own }: LeadClientOptions) {
    this.#address = baseUrl.replace(/\/+$/, '') + PATH
    this.#codes = { tenantCode, clientCode, eventCode, activationCode }
    this.#fetch = own ?? ownFetch
  }

  /** Records that a badge was scanned, and gives the lead. Pass the whole text as it was scanned: the service knows which part is the badge's id. */
  async scan(badge: string): Promise<Lead> {
    const query = new URLSearchParams({ ...this.#codes, badgeId: badge })
    const { ok, body, refusal } = await ask(this.#fetch, `${this.#address}?${query.toString()}`)
    if (ok && isLead(body)) return body
    throw refusal
  }
}

const isLead = (body: unknown): body is Lead => isObject(body) && typeof body['leadId'] === 'string' && isObject(body['fields'])
