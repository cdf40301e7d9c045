import type { Lead } from './lead.js';
export interface LeadClientOptions {
    /** Where the service is, as `https://events.example.org`. */
    baseUrl: string;
    tenantCode: string;
    clientCode: string;
    eventCode: string;
    /** The company's; `0` opens the test event, at which nothing is kept and the other codes may be anything. */
    activationCode: string;
    /** Another way to make requests than the platform's own. */
    fetch?: typeof fetch;
}
/** One company at one event. */
export declare class LeadClient {
    #private;
    constructor({ baseUrl, tenantCode, clientCode, eventCode, activationCode, fetch: own }: LeadClientOptions);
    /** Records that a badge was scanned, and gives the lead. Pass the whole text as it was scanned: the service knows which part is the badge's id. */
    scan(badge: string): Promise<Lead>;
}
