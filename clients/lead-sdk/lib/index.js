export { LeadClient } from './client.js';
export { LeadDevice, } from './device.js';
export { BadgeNotFoundError, DeviceRevokedError, InvalidActivationError, InvalidDeviceError, InvalidRequestError, LeadError, MissingParameterError, NoConnectionError, NoSeatLeftError, NotLicensedError, TooManyRequestsError, } from './errors.js';
export { LeadQueue } from './queue.js';
