export { LeadClient } from './client.js';
export { BadgeNotFoundError, InvalidActivationError, LeadError, MissingParameterError, NoConnectionError, NotLicensedError, TooManyRequestsError, } from './errors.js';
export { LeadQueue } from './queue.js';
