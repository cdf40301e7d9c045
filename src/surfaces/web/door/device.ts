import { type VerifiedDoorDevice, verifyDoorDevice } from '../../../domains/attendance/door-devices.ts'
import type { DoorScope } from '../../../domains/attendance/door-rules.ts'
import { commitChange } from '../../../kernel/commit-change.ts'
import type { Db } from '../../../kernel/columns.ts'
import { newContext } from '../../../kernel/new-context.ts'
import { readCookie } from '../cookies.ts'
import type { WebContext, WebServices } from '../web.ts'

/** The device of the request's cookie; null if it has none or is locked out. */
export async function findDevice(web: WebServices, c: WebContext): Promise<VerifiedDoorDevice | null> {
  const token = readCookie(web, c, 'door')
  return token ? verifyDoorDevice(web.services.database.pool, token) : null
}

export function doorContext(web: WebServices, device: VerifiedDoorDevice, db: Db): DoorScope {
  const { tenantId, tenantCode, createdBy, createdByName, name, client, event } = device
  const actor = { kind: 'organizer' as const, id: createdBy, name: createdByName, app: { id: null, name: `Door: ${name}` } }
  return { ...newContext(web.services, { tenantId, tenantCode, actor, cursorScope: 'door' }, db), client, event }
}

/** Runs a change of a door device, under the name of the organizer who added it. */
export const changeAtDoor = <T>(
  web: WebServices,
  device: VerifiedDoorDevice,
  action: string,
  run: (ctx: DoorScope) => Promise<T>,
): Promise<T> =>
  commitChange(
    web.services.database,
    { name: action, clientId: device.client.id, eventId: device.event.id },
    (db) => doorContext(web, device, db),
    run,
  )
