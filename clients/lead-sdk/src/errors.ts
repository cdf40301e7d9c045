interface Told {
  code: string
  message: string
  /** HTTP status; 0 without a response. */
  status: number
  /** Seconds to wait, if the service gave a time. */
  retryAfter?: number | undefined
}

/** A failed request. `code` is a stable identifier of the cause; the message is for people and may change. */
export class LeadError extends Error {
  readonly code: string
  readonly status: number
  readonly retryAfter: number | undefined

  constructor({ code, message, status, retryAfter }: Told) {
    super(message)
    this.name = new.target.name
    this.code = code
    this.status = status
    this.retryAfter = retryAfter
  }

  /** Whether a retry may succeed without any change: no connection, a busy service, or too many requests. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }
}

/** One of the codes, the activation code or the badge is missing. */
export class MissingParameterError extends LeadError {}

/** The activation code is wrong, was replaced, or belongs to another event or client. */
export class InvalidActivationError extends LeadError {}

/** The company has not bought lead retrieval by SDK, or by devices, for this event. */
export class NotLicensedError extends LeadError {}

/** No participant of this event has this badge: it was replaced, the registration was cancelled, or it belongs to another event. */
export class BadgeNotFoundError extends LeadError {}

/** All device seats of the company are in use. Revoke a device or buy another seat. */
export class NoSeatLeftError extends LeadError {}

/** The device token is not valid: the event is over, or the token never existed. */
export class InvalidDeviceError extends LeadError {}

/** The device lost its seat. Earlier scans are accepted for one more day. Activate the device again to continue. */
export class DeviceRevokedError extends LeadError {}

/** The service rejected an invalid value; the message names it. */
export class InvalidRequestError extends LeadError {}

/** Too many requests. Retry after `retryAfter` seconds. */
export class TooManyRequestsError extends LeadError {}

/** No response: there is no network, or no server at that address. */
export class NoConnectionError extends LeadError {}

const CLASSES: Record<string, new (told: Told) => LeadError> = {
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
}

/** Creates the error of a code. Codes that this version does not know become a plain `LeadError`. */
export const leadErrorOf = (told: Told): LeadError => new (CLASSES[told.code] ?? LeadError)(told)
