import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { type Activated, activateDevice } from '../../domains/exhibitors/devices/activate.ts'
import { countFailures } from '../../domains/exhibitors/devices/capture.ts'
import { knock, type KnockedAt } from '../../domains/exhibitors/devices/knock.ts'
import { qualifiersOf } from '../../domains/exhibitors/devices/qualifiers.ts'
import { testDevice } from '../../domains/exhibitors/devices/test-device.ts'
import { readSettings } from '../../domains/exhibitors/lead-settings.ts'
import { TEST_CODE } from '../../domains/exhibitors/sample-leads.ts'
import { keepChange } from '../../kernel/keep-change.ts'
import { newContext } from '../../kernel/new-context.ts'
import { Secret } from '../../kernel/secrets.ts'
import { readSentJson } from '../http/sent-json.ts'
import type { Road } from '../road.ts'
import { Activation, MOST_BYTES } from './device-bodies.ts'
import { alarmAt, INVALID_ACTIVATION, tooMany } from './refusals.ts'
import type { LeadReply } from './respond.ts'

const REFUSALS = {
  not_licensed: { status: 403, code: 'not_licensed', detail: 'This company has no licence for lead devices at this event' },
  no_seat_left: {
    status: 403,
    code: 'no_seat_left',
    detail: 'All seats of this company are in use — ask for a device to be revoked, or for more seats',
  },
} as const

/** In the audit log. */
const ACTIVATE = 'activate_lead_device'

/** `POST /api/public/lead-devices`: the codes of a company in, a token of its own for the device out. */
export async function activate(road: Road, request: IncomingMessage, address: string): Promise<LeadReply> {
  const sent = await readSentJson(request, Activation, MOST_BYTES)
  if ('problem' in sent) return sent
  const { value } = sent
  // Before any question to the database: whoever builds an app may ask as often as they like.
  if (value.activationCode === TEST_CODE) return { status: 201, body: shownOnce(testDevice()) }
  const knocked = await knock(road, { ...value, activationCode: new Secret(value.activationCode), address })
  if (knocked.kind === 'tooMany') return { problem: tooMany(knocked.retryAfter) }
  if (knocked.kind === 'refused') {
    if (knocked.failures !== null) alarmAt(road, value, { count: knocked.failures, added: 1 })
    return { problem: INVALID_ACTIVATION }
  }
  const { company } = knocked
  const activated = await seat(road, knocked, value)
  if (typeof activated === 'string') {
    alarmAt(road, value, { count: await countFailures(road, knocked.event.id, 1), added: 1 })
    return { problem: REFUSALS[activated], companyId: company.id }
  }
  const { config } = await readSettings(knocked.place, { tenantId: knocked.tenantId, db: road.database.read, event: knocked.event })
  return { status: 201, body: shownOnce({ ...activated, company, qualifiers: qualifiersOf(config) }), companyId: company.id }
}

function seat(road: Road, at: KnockedAt, { name, platform }: z.infer<typeof Activation>): Promise<Activated> {
  const { tenantId, tenantCode, clientId, event, company } = at
  const actor = { kind: 'exhibitor' as const, id: company.id, name: company.name, app: { id: null, name: 'lead device' } }
  return keepChange(
    road.database,
    { name: ACTIVATE, clientId, eventId: event.id },
    (db) => ({ ...newContext(road, { tenantId, tenantCode, actor, cursorScope: '' }, db), event }),
    (ctx) => activateDevice(ctx, { companyId: company.id, name, platform }),
  )
}

/** The one answer that holds the token. */
const shownOnce = <T extends { deviceToken: Secret }>(device: T) => ({ ...device, deviceToken: device.deviceToken.reveal() })
