import type { LeadClient } from './client.js';
import { LeadError } from './errors.js';
import type { Lead } from './lead.js';
import { type LeadStore } from './store.js';
export interface LeadQueueOptions {
    /** The browser's own where there is one; else scans wait in memory. */
    store?: LeadStore;
    /** Queues under different keys of one store know nothing of each other. */
    key?: string;
}
/** How one scan ended: with a lead, or with a refusal that sending it again would not change. */
export type Sent = {
    badge: string;
    lead: Lead;
} | {
    badge: string;
    error: LeadError;
};
export interface Flushed {
    sent: Sent[];
    /** Why the rest still waits; null when nothing does. */
    stopped: LeadError | null;
}
/** Scans that wait for a connection. They are sent one after another in the order of scanning, each once, and kept until an answer came. */
export declare class LeadQueue {
    #private;
    constructor(client: LeadClient, { store, key }?: LeadQueueOptions);
    /** The scans that wait, oldest first. */
    get pending(): readonly string[];
    add(badge: string): void;
    /** Sends what waits, and stops when the line breaks. Called while it is at it, it gives what comes of that. */
    flush(): Promise<Flushed>;
}
