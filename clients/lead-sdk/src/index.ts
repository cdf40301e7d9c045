export { LeadClient, type LeadClientOptions } from './client.js'
export {
  type Activation,
  type ActivationOptions,
  type DeviceFlushed,
  type DeviceLeads,
  type KeptScan,
  LeadDevice,
  type LeadDeviceOptions,
  type Qualifier,
  type ScanNotes,
  type ScanResult,
  type Synced,
} from './device.js'
export {
  BadgeNotFoundError,
  DeviceRevokedError,
  InvalidActivationError,
  InvalidDeviceError,
  InvalidRequestError,
  LeadError,
  MissingParameterError,
  NoConnectionError,
  NoSeatLeftError,
  NotLicensedError,
  TooManyRequestsError,
} from './errors.js'
export type { CustomField, DeletedLead, DeviceLead, Lead, LeadFields } from './lead.js'
export { type Flushed, LeadQueue, type LeadQueueOptions, type Sent } from './queue.js'
export type { LeadStore } from './store.js'
