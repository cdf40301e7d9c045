import { leadErrorOf } from './errors.js';
const PATH = '/api/public/lead-sdk';
/** One company at one event. */
export class LeadClient {
    #address;
    #codes;
    #fetch;
    constructor({ baseUrl, tenantCode, clientCode, eventCode, activationCode, fetch: own }) {
        this.#address = baseUrl.replace(/\/+$/, '') + PATH;
        this.#codes = { tenantCode, clientCode, eventCode, activationCode };
        // Called as a method of anything else, the browser's own refuses to run.
        this.#fetch = own ?? ((input, init) => fetch(input, init));
    }
    /** Records that a badge was scanned, and gives the lead. Pass the whole text as it was scanned: the service knows which part is the badge's id. */
    async scan(badge) {
        const query = new URLSearchParams({ ...this.#codes, badgeId: badge });
        const answer = await this.#ask(`${this.#address}?${query.toString()}`);
        const body = await answer.json().catch(() => null);
        if (answer.ok && isLead(body))
            return body;
        throw refusalOf(answer, body);
    }
    async #ask(address) {
        try {
            return await this.#fetch(address, { cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer' });
        }
        catch {
            // What it says may hold the address, and with it the activation code.
            throw leadErrorOf({ code: 'no_connection', message: 'No connection to the service', status: 0 });
        }
    }
}
const isObject = (value) => typeof value === 'object' && value !== null;
const isLead = (body) => isObject(body) && typeof body['leadId'] === 'string' && isObject(body['fields']);
function refusalOf(answer, body) {
    const error = isObject(body) && isObject(body['error']) ? body['error'] : {};
    const { code, message } = error;
    const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
    return leadErrorOf({
        code: typeof code === 'string' ? code : 'unexpected_answer',
        message: typeof message === 'string' ? message : `The service answered with status ${answer.status}`,
        // Whoever answers 200 without a lead is not the service: a page to sign in to the network, most often. It may be there later.
        status: answer.ok ? 0 : answer.status,
        retryAfter: Number.isFinite(seconds) ? seconds : undefined,
    });
}
