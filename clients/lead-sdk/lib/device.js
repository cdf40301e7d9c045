import { ask, isObject, ownFetch } from './asking.js';
import { LeadError, leadErrorOf } from './errors.js';
import { alone, keptList } from './store.js';
const PATH = '/api/public/lead-devices';
/** The service takes 200; smaller ones get through where the line is bad. */
const AT_ONCE = 50;
const RESULTS = ['created', 'counted', 'duplicate', 'unknown_badge'];
/** One device of a company at one event: keeps what it scans, sends it when there is a connection, and reads the leads of its company. */
export class LeadDevice {
    #address;
    #token;
    #fetch;
    #kept;
    #key;
    #appVersion;
    #flushing = null;
    constructor({ baseUrl, deviceToken, store, key = 'lanyard-device', appVersion, fetch: own }) {
        this.#address = baseUrl.replace(/\/+$/, '') + PATH;
        this.#token = deviceToken;
        this.#fetch = own ?? ownFetch;
        this.#kept = keptList(store, key, isScan);
        this.#key = key;
        this.#appVersion = appVersion;
    }
    /** Takes one of the seats of a company, and gives the token that `new LeadDevice` needs. */
    static async activate({ baseUrl, fetch: own, ...sent }) {
        const { ok, body, refusal } = await ask(own ?? ownFetch, baseUrl.replace(/\/+$/, '') + PATH, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(sent),
        });
        if (ok && isObject(body) && typeof body['deviceToken'] === 'string')
            return body;
        throw refusal;
    }
    /** The scans that wait, oldest first. */
    get pending() {
        return this.#kept.items();
    }
    /** Keeps a scan of this moment. Pass the whole text as it was scanned. */
    add(badge, notes = {}) {
        const scan = { badge, at: new Date().toISOString(), nonce: newNonce(), ...notes };
        this.#kept.keep([...this.pending, scan]);
        return scan;
    }
    /** Sends what waits, and stops when the line breaks or the device has no seat any more. Called while it is at it, it gives what comes of that. */
    flush() {
        this.#flushing ??= alone(this.#key, () => this.#send()).finally(() => {
            this.#flushing = null;
        });
        return this.#flushing;
    }
    /** The leads of the company, or with `updatedSince` what changed after it. */
    async leads({ updatedSince = null } = {}) {
        const all = [];
        for (let cursor = ''; cursor !== null;) {
            const query = new URLSearchParams({ limit: '200', ...(updatedSince ? { updatedSince } : {}), ...(cursor ? { cursor } : {}) });
            const { ok, body, refusal } = await ask(this.#fetch, `${this.#address}/leads?${query.toString()}`, { headers: this.#headers() });
            if (!ok || !isPage(body))
                throw refusal;
            all.push(...body.data);
            cursor = body.pageInfo.nextCursor;
        }
        const latest = all.map(({ updatedAt }) => updatedAt).reduce((one, other) => (one > other ? one : other), updatedSince ?? '');
        return {
            leads: all.filter((lead) => !('deleted' in lead)),
            deleted: all.flatMap((lead) => ('deleted' in lead ? lead.leadId : [])),
            updatedSince: latest || null,
        };
    }
    #headers() {
        return { authorization: `Bearer ${this.#token}` };
    }
    async #send() {
        const sent = [];
        for (let scans = this.pending.slice(0, AT_ONCE); scans.length > 0; scans = this.pending.slice(0, AT_ONCE)) {
            const { done, stopped } = await this.#sync(scans);
            const ended = new Set(done.map(({ scan }) => scan.nonce));
            // Read anew: others may have been added meanwhile, always behind.
            this.#kept.keep(this.pending.filter(({ nonce }) => !ended.has(nonce)));
            sent.push(...done);
            if (stopped)
                return { sent, stopped };
        }
        return { sent, stopped: null };
    }
    async #sync(scans) {
        try {
            const { ok, body, refusal } = await ask(this.#fetch, `${this.#address}/captures`, {
                method: 'POST',
                headers: { ...this.#headers(), 'content-type': 'application/json' },
                body: JSON.stringify({ captures: scans, sentAt: new Date().toISOString(), appVersion: this.#appVersion }),
            });
            const done = [...resultsIn(body, scans), ...faultsIn(body, scans)];
            // An answer that is right tells of every scan; one that tells of none is nobody's we know.
            const stopped = (ok && done.length === scans.length) || (!ok && refusal.code === 'invalid_request' && done.length > 0) ? null : refusal;
            return { done, stopped };
        }
        catch (error) {
            if (error instanceof LeadError)
                return { done: [], stopped: error };
            throw error;
        }
    }
}
const isScan = (value) => isObject(value) && ['badge', 'at', 'nonce'].every((name) => typeof value[name] === 'string');
/** By their nonces: also of a device that was revoked, whose earlier scans were taken. */
function resultsIn(body, scans) {
    const results = isObject(body) && Array.isArray(body['results']) ? body['results'] : [];
    const byNonce = new Map(results.filter(isObject).map((one) => [one['nonce'], one]));
    return scans.flatMap((scan) => {
        const { nonce: _, ...told } = byNonce.get(scan.nonce) ?? {};
        return RESULTS.includes(told['result']) ? [{ scan, ...told }] : [];
    });
}
/** Scans that the service cannot take as they are: it names each by its place. */
function faultsIn(body, scans) {
    if (!isObject(body) || body['code'] !== 'invalid_request' || !Array.isArray(body['errors']))
        return [];
    const faults = body['errors'].filter(isObject).flatMap(({ parameter, message }) => {
        const [, place, field] = /^captures\/(\d+)\/?(.*)$/.exec(String(parameter)) ?? [];
        return place === undefined ? [] : [{ place: Number(place), told: `${field}: ${String(message)}` }];
    });
    return scans.flatMap((scan, place) => {
        const own = faults.filter((fault) => fault.place === place).map(({ told }) => told);
        return own.length === 0 ? [] : [{ scan, error: leadErrorOf({ code: 'invalid_request', message: own.join('; '), status: 400 }) }];
    });
}
const isPage = (body) => isObject(body) && Array.isArray(body['data']) && isObject(body['pageInfo']);
/** 128 random bits. Made so that it works on a page without https too. */
const newNonce = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
