import { type VerifiedDoorDevice, verifyDoorDevice } from '../../../domains/attendance/door-devices.ts'
import type { DoorScanContext } from '../../../domains/attendance/door-rules.ts'
import { type NewScan, recordScans, recordScansInOneStatement } from '../../../domains/attendance/record-scans.ts'
import { commitChange, toSingleStatementChange } from '../../../kernel/commit-change.ts'
import type { Db } from '../../../kernel/columns.ts'
import { newContext } from '../../../kernel/new-context.ts'
import { readCookie } from '../cookies.ts'
import type { WebContext, WebServices } from '../web.ts'

/** Finds the door device of the request's cookie; null if the request has no device or the device is locked out. */
export async function findDoorDevice(web: WebServices, c: WebContext): Promise<VerifiedDoorDevice | null> {
  const token = readCookie(web, c, 'door')
  return token ? verifyDoorDevice(web.services.database.pool, token) : null
}

export function createDoorContext(web: WebServices, device: VerifiedDoorDevice, db: Db): DoorScanContext {
  const { tenantId, tenantCode, createdBy, createdByName, name, client, event } = device
  const actor = { kind: 'organizer' as const, id: createdBy, name: createdByName, app: { id: null, name: `Door: ${name}` } }
  return { ...newContext(web.services, { tenantId, tenantCode, actor, cursorScope: 'door' }, db), client, event }
}

/** Records scanned badges of a door device and returns whether each may enter, with one SQL statement if possible. */
export async function recordDoorScans(web: WebServices, device: VerifiedDoorDevice, scans: readonly NewScan[]) {
  const { database } = web.services
  const ctx = createDoorContext(web, device, database.write)
  const atOnce = await recordScansInOneStatement(ctx, { scans }, toSingleStatementChange(database, actionOf(device, 'door_scan'), ctx))
  return atOnce ?? runDoorDeviceChange(web, device, 'door_scan', (within) => recordScans(within, { scans }))
}

const actionOf = ({ client, event }: VerifiedDoorDevice, name: string) => ({ name, clientId: client.id, eventId: event.id })

/** Runs a change that a door device makes, such as a check-in. The audit log names the organizer who added the device. */
export const runDoorDeviceChange = <T>(
  web: WebServices,
  device: VerifiedDoorDevice,
  action: string,
  run: (ctx: DoorScanContext) => Promise<T>,
): Promise<T> => commitChange(web.services.database, actionOf(device, action), (db) => createDoorContext(web, device, db), run)
