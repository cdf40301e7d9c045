import { LeadError } from './errors.js';
/** Scans that wait for a connection. They are sent one after another in the order of scanning, each once, and kept until an answer came. */
export class LeadQueue {
    #client;
    #store;
    #key;
    #flushing = null;
    constructor(client, { store, key = 'lanyard-leads' } = {}) {
        this.#client = client;
        this.#store = store ?? storeOfBrowser() ?? inMemory();
        this.#key = key;
    }
    /** The scans that wait, oldest first. */
    get pending() {
        const kept = parsed(this.#store.getItem(this.#key));
        return Array.isArray(kept) ? kept.filter((badge) => typeof badge === 'string') : [];
    }
    add(badge) {
        this.#keep([...this.pending, badge]);
    }
    /** Sends what waits, and stops when the line breaks. Called while it is at it, it gives what comes of that. */
    flush() {
        this.#flushing ??= alone(this.#key, () => this.#send()).finally(() => {
            this.#flushing = null;
        });
        return this.#flushing;
    }
    async #send() {
        const sent = [];
        for (let badge = this.pending[0]; badge !== undefined; badge = this.pending[0]) {
            const outcome = await this.#outcomeOf(badge);
            if (isStop(outcome))
                return { sent, stopped: outcome.error };
            // Read anew: others may have been added meanwhile, always behind.
            this.#keep(this.pending.slice(1));
            sent.push(outcome);
        }
        return { sent, stopped: null };
    }
    async #outcomeOf(badge) {
        try {
            return { badge, lead: await this.#client.scan(badge) };
        }
        catch (error) {
            if (error instanceof LeadError)
                return { badge, error };
            throw error;
        }
    }
    #keep(badges) {
        this.#store.setItem(this.#key, JSON.stringify(badges));
    }
}
/** Only a badge that nobody wears is done with: a wrong code or a missing licence can be mended, and the scans are worth keeping until then. */
const isStop = (outcome) => 'error' in outcome && outcome.error.code !== 'badge_not_found' && outcome.error.code !== 'missing_parameter';
function parsed(text) {
    try {
        return JSON.parse(text ?? '[]');
    }
    catch {
        return [];
    }
}
function inMemory() {
    const kept = new Map();
    return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) };
}
/** A browser that keeps nothing refuses to hand it out. */
function storeOfBrowser() {
    try {
        return typeof document === 'undefined' ? null : localStorage;
    }
    catch {
        return null;
    }
}
/** Two windows share one store: where the browser can, only one of them sends at a time. */
const alone = (key, run) => typeof document === 'undefined' || navigator.locks === undefined ? run() : navigator.locks.request(key, run);
