import { LeadError } from './errors.js';
import type { DeviceLead } from './lead.js';
import { type LeadStore } from './store.js';
export interface ActivationOptions {
    /** Where the service is, as `https://events.example.org`. */
    baseUrl: string;
    tenantCode: string;
    clientCode: string;
    eventCode: string;
    /** The company's; `0` gives a device of the test event, at which nothing is kept. */
    activationCode: string;
    /** How the exhibitor will know the device: `Booth 12, left`. */
    name: string;
    /** `ios`, `android`, `web`, … */
    platform: string;
    /** Another way to make requests than the platform's own. */
    fetch?: typeof fetch;
}
/** A question that the organizer wants booth staff to answer about a lead. */
export interface Qualifier {
    code: string;
    label: string;
    type: string;
    choices: {
        code: string;
        label: string;
    }[];
}
export interface Activation {
    deviceId: string;
    /** Told only here: keep it where nobody else reads it. */
    deviceToken: string;
    company: {
        id: string;
        name: string;
    };
    qualifiers: Qualifier[];
    testEvent?: true;
}
export interface LeadDeviceOptions {
    baseUrl: string;
    deviceToken: string;
    /** The browser's own where there is one; else scans wait in memory. */
    store?: LeadStore;
    /** Devices under different keys of one store know nothing of each other's scans. */
    key?: string;
    /** Shown to the organizer beside the device. */
    appVersion?: string;
    fetch?: typeof fetch;
}
/** What is noted of somebody with a scan. What is left out stays as it is; null empties. */
export interface ScanNotes {
    staffEmail?: string;
    rating?: number | null;
    notes?: string | null;
    tags?: string[];
    qualifiers?: Record<string, unknown>;
}
/** A scan that waits. `nonce` makes it the same scan however often it is sent. */
export interface KeptScan extends ScanNotes {
    badge: string;
    at: string;
    nonce: string;
}
/** Every scan that was sent ends as exactly one of these. */
export type ScanResult = 'created' | 'counted' | 'duplicate' | 'unknown_badge';
/** How one scan ended: with a result, or with an error because what was noted with it is none that the service takes. */
export type Synced = {
    scan: KeptScan;
    result: ScanResult;
    lead?: DeviceLead;
    leftOut?: string[];
} | {
    scan: KeptScan;
    error: LeadError;
};
export interface DeviceFlushed {
    sent: Synced[];
    /** Why the rest still waits; null when nothing does. */
    stopped: LeadError | null;
}
export interface DeviceLeads {
    leads: DeviceLead[];
    /** Ids of leads that the company has no more. */
    deleted: string[];
    /** Pass it the next time. Null while there has been no lead. */
    updatedSince: string | null;
}
/** One device of a company at one event: keeps what it scans, sends it when there is a connection, and reads the leads of its company. */
export declare class LeadDevice {
    #private;
    constructor({ baseUrl, deviceToken, store, key, appVersion, fetch: own }: LeadDeviceOptions);
    /** Takes one of the seats of a company, and gives the token that `new LeadDevice` needs. */
    static activate({ baseUrl, fetch: own, ...sent }: ActivationOptions): Promise<Activation>;
    /** The scans that wait, oldest first. */
    get pending(): readonly KeptScan[];
    /** Keeps a scan of this moment. Pass the whole text as it was scanned. */
    add(badge: string, notes?: ScanNotes): KeptScan;
    /** Sends what waits, and stops when the line breaks or the device has no seat any more. Called while it is at it, it gives what comes of that. */
    flush(): Promise<DeviceFlushed>;
    /** The leads of the company, or with `updatedSince` what changed after it. */
    leads({ updatedSince }?: {
        updatedSince?: string | null;
    }): Promise<DeviceLeads>;
}
