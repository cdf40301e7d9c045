interface Told {
    code: string;
    message: string;
    /** Of the HTTP answer; 0 where none came. */
    status: number;
    /** Seconds, where the service said when to come back. */
    retryAfter?: number | undefined;
}
/** A scan that gave no lead. `code` says why and never changes; the message is for people. */
export declare class LeadError extends Error {
    readonly code: string;
    readonly status: number;
    readonly retryAfter: number | undefined;
    constructor({ code, message, status, retryAfter }: Told);
    /** Whether the same scan may go through later without anybody mending anything: the line is down, the service is busy, too many at once. */
    get isPassing(): boolean;
}
/** One of the codes, the activation code or the badge is missing. */
export declare class MissingParameterError extends LeadError {
}
/** The activation code is wrong, was replaced, or belongs to another event or client. */
export declare class InvalidActivationError extends LeadError {
}
/** The company has not bought lead retrieval by SDK, or by devices, for this event. */
export declare class NotLicensedError extends LeadError {
}
/** Nobody at this event wears this badge: it was replaced, the registration was cancelled, or it is of another event. */
export declare class BadgeNotFoundError extends LeadError {
}
/** All seats of the company are in use: a device has to be revoked, or another seat bought. */
export declare class NoSeatLeftError extends LeadError {
}
/** The token of a device opens nothing: the event is over, or it was never one. */
export declare class InvalidDeviceError extends LeadError {
}
/** The device lost its seat. What it scanned before is taken for a day; to go on it is activated again. */
export declare class DeviceRevokedError extends LeadError {
}
/** Something that was sent is none that the service takes; the message names it. */
export declare class InvalidRequestError extends LeadError {
}
/** Come back after `retryAfter` seconds. */
export declare class TooManyRequestsError extends LeadError {
}
/** No answer came: no network, or nobody at that address. */
export declare class NoConnectionError extends LeadError {
}
/** A code that this version does not know is told as it is. */
export declare const leadErrorOf: (told: Told) => LeadError;
export {};
