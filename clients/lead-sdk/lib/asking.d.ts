import { type LeadError } from './errors.js';
export type Fetch = typeof fetch;
/** Called as a method of anything else, the browser's own refuses to run. */
export declare const ownFetch: Fetch;
export interface Answer {
    ok: boolean;
    body: unknown;
    /** What it comes to where it is none of the answers one hoped for. */
    refusal: LeadError;
}
/** Asks the service, and reads what it answers. */
export declare function ask(by: Fetch, address: string, init?: RequestInit): Promise<Answer>;
export declare const isObject: (value: unknown) => value is Record<string, unknown>;
