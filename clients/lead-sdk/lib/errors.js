/** A scan that gave no lead. `code` says why and never changes; the message is for people. */
export class LeadError extends Error {
    code;
    status;
    retryAfter;
    constructor({ code, message, status, retryAfter }) {
        super(message);
        this.name = new.target.name;
        this.code = code;
        this.status = status;
        this.retryAfter = retryAfter;
    }
    /** Whether the same scan may go through later without anybody mending anything: the line is down, the service is busy, too many at once. */
    get isPassing() {
        return this.status === 0 || this.status === 429 || this.status >= 500;
    }
}
/** One of the codes, the activation code or the badge is missing. */
export class MissingParameterError extends LeadError {
}
/** The activation code is wrong, was replaced, or belongs to another event or client. */
export class InvalidActivationError extends LeadError {
}
/** The company has not bought lead retrieval by SDK, or by devices, for this event. */
export class NotLicensedError extends LeadError {
}
/** Nobody at this event wears this badge: it was replaced, the registration was cancelled, or it is of another event. */
export class BadgeNotFoundError extends LeadError {
}
/** All seats of the company are in use: a device has to be revoked, or another seat bought. */
export class NoSeatLeftError extends LeadError {
}
/** The token of a device opens nothing: the event is over, or it was never one. */
export class InvalidDeviceError extends LeadError {
}
/** The device lost its seat. What it scanned before is taken for a day; to go on it is activated again. */
export class DeviceRevokedError extends LeadError {
}
/** Something that was sent is none that the service takes; the message names it. */
export class InvalidRequestError extends LeadError {
}
/** Come back after `retryAfter` seconds. */
export class TooManyRequestsError extends LeadError {
}
/** No answer came: no network, or nobody at that address. */
export class NoConnectionError extends LeadError {
}
const CLASSES = {
    missing_parameter: MissingParameterError,
    invalid_activation: InvalidActivationError,
    not_licensed: NotLicensedError,
    badge_not_found: BadgeNotFoundError,
    no_seat_left: NoSeatLeftError,
    invalid_device: InvalidDeviceError,
    device_revoked: DeviceRevokedError,
    invalid_request: InvalidRequestError,
    too_many_requests: TooManyRequestsError,
    no_connection: NoConnectionError,
};
/** A code that this version does not know is told as it is. */
export const leadErrorOf = (told) => new (CLASSES[told.code] ?? LeadError)(told);
