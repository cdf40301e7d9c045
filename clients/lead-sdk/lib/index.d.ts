export { LeadClient, type LeadClientOptions } from './client.js';
export { BadgeNotFoundError, InvalidActivationError, LeadError, MissingParameterError, NoConnectionError, NotLicensedError, TooManyRequestsError, } from './errors.js';
export type { CustomField, Lead, LeadFields } from './lead.js';
export { type Flushed, LeadQueue, type LeadQueueOptions, type LeadStore, type Sent } from './queue.js';
