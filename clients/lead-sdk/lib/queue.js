import { LeadError } from './errors.js';
import { alone, keptList } from './store.js';
/** Scans that wait for a connection. They are sent one after another in the order of scanning, each once, and kept until an answer came. */
export class LeadQueue {
    #client;
    #kept;
    #key;
    #flushing = null;
    constructor(client, { store, key = 'lanyard-leads' } = {}) {
        this.#client = client;
        this.#kept = keptList(store, key, (value) => typeof value === 'string');
        this.#key = key;
    }
    /** The scans that wait, oldest first. */
    get pending() {
        return this.#kept.items();
    }
    add(badge) {
        this.#kept.keep([...this.pending, badge]);
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
            this.#kept.keep(this.pending.slice(1));
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
}
/** Only a badge that nobody wears is done with: a wrong code or a missing licence can be mended, and the scans are worth keeping until then. */
const isStop = (outcome) => 'error' in outcome && outcome.error.code !== 'badge_not_found' && outcome.error.code !== 'missing_parameter';
