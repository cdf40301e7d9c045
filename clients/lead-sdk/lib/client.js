import { ask, isObject, ownFetch } from './asking.js';
const PATH = '/api/public/lead-sdk';
/** One company at one event. */
export class LeadClient {
    #address;
    #codes;
    #fetch;
    constructor({ baseUrl, tenantCode, clientCode, eventCode, activationCode, fetch: own }) {
        this.#address = baseUrl.replace(/\/+$/, '') + PATH;
        this.#codes = { tenantCode, clientCode, eventCode, activationCode };
        this.#fetch = own ?? ownFetch;
    }
    /** Records that a badge was scanned, and gives the lead. Pass the whole text as it was scanned: the service knows which part is the badge's id. */
    async scan(badge) {
        const query = new URLSearchParams({ ...this.#codes, badgeId: badge });
        const { ok, body, refusal } = await ask(this.#fetch, `${this.#address}?${query.toString()}`);
        if (ok && isLead(body))
            return body;
        throw refusal;
    }
}
const isLead = (body) => isObject(body) && typeof body['leadId'] === 'string' && isObject(body['fields']);
