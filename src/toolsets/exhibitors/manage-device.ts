import { count, id, list, name, oneOf, pageArguments, optionalPageResultFields } from '../../kernel/args.ts'
import { multiActionEventTool } from '../../kernel/manage-tool.ts'
import {
  describeScanningDevice,
  ScanningDeviceShape,
  listDevices,
  renameDevice,
  revokeCompanyDevices,
  revokeDevices,
  DeviceSeatCounts,
} from '../../domains/exhibitors/devices/manage-devices.ts'
import { DEVICE_STATES } from '../../domains/exhibitors/states.ts'

export default multiActionEventTool({
  name: 'manage_device',
  title: 'Manage lead scanners',
  description:
    'See the phones and scanners that booth staff capture leads with, which are idle, and the licence seats in use. Actions: list, get, rename, revoke (lock out lost or returned ones), reset_all (of a company). Not for activating: devices do that themselves. Returns devices and seats.',
  effect: 'change',
  idempotent: true,
  area: 'exhibitors',
  input: {
    companyId: id('company'),
    status: oneOf(DEVICE_STATES.all),
    idleMinutes: count(1, 100_000),
    deviceId: id('leadDevice'),
    deviceIds: list(id('leadDevice'), 500),
    name: name(80),
    ...pageArguments,
  },
  output: {
    devices: list(ScanningDeviceShape),
    seats: DeviceSeatCounts,
    changed: count().optional(),
    ...optionalPageResultFields,
  },
  actions: (action) => ({
    list: action.read([], listDevices, { takes: ['companyId', 'status', 'idleMinutes', 'limit', 'cursor'] }),
    get: action.read(['deviceId'], (ctx, { deviceId }) => describeScanningDevice(ctx, deviceId)),
    rename: action.change(['deviceId', 'name'], (ctx, input) => renameDevice(ctx, input.deviceId, input.name)),
    revoke: action.change(['deviceIds'], (ctx, { deviceIds }) => revokeDevices(ctx, deviceIds)),
    reset_all: action.change(['companyId'], (ctx, { companyId }) => revokeCompanyDevices(ctx, companyId)),
  }),
})
