import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { type ActivationResult, activateDevice } from '../../domains/exhibitors/devices/activate.ts'
import { countFailedScans } from '../../domains/exhibitors/devices/capture.ts'
import { verifyActivationAttempt, type ActivationCompany } from '../../domains/exhibitors/devices/verify-activation.ts'
import { listLeadQuestions } from '../../domains/exhibitors/devices/qualifiers.ts'
import { buildTestDevice } from '../../domains/exhibitors/devices/test-device.ts'
import { readLeadSettings } from '../../domains/exhibitors/lead-settings.ts'
import { TEST_DEVICE_CODE } from '../../domains/exhibitors/sample-leads.ts'
import { commitChange } from '../../kernel/commit-change.ts'
import { newContext } from '../../kernel/new-context.ts'
import { Secret } from '../../kernel/secrets.ts'
import { readJsonBody } from '../http/read-json-body.ts'
import type { AppServices } from '../services.ts'
import { DeviceActivationBody, MAX_DEVICE_REQUEST_BYTES } from './device-bodies.ts'
import { logManyFailedScans, INVALID_ACTIVATION_PROBLEM, createTooManyRequestsProblem } from './problems.ts'
import type { LeadApiResponse } from './respond.ts'

const REFUSALS = {
  not_licensed: { status: 403, code: 'not_licensed', detail: 'This company has no licence for lead devices at this event' },
  no_seat_left: {
    status: 403,
    code: 'no_seat_left',
    detail: 'All seats of this company are in use — revoke a device, or ask for more seats',
  },
} as const

/** The action's name in the audit log. */
const ACTIVATE = 'activate_lead_device'

/** `POST /api/public/lead-devices`: exchanges the activation code of a company for a device token. */
export async function respondToDeviceActivation(
  services: AppServices,
  request: IncomingMessage,
  address: string,
): Promise<LeadApiResponse> {
  const sent = await readJsonBody(request, DeviceActivationBody, MAX_DEVICE_REQUEST_BYTES)
  if ('problem' in sent) return sent
  const { value } = sent
  // A call with the built-in test code uses no database, so developers of scanner apps may make test calls without limits.
  if (value.activationCode === TEST_DEVICE_CODE) return { status: 201, body: withToken(buildTestDevice()) }
  const knocked = await verifyActivationAttempt(services, { ...value, activationCode: new Secret(value.activationCode), address })
  if (knocked.kind === 'tooMany') return { problem: createTooManyRequestsProblem(knocked.retryAfter) }
  if (knocked.kind === 'refused') {
    if (knocked.failures !== null) logManyFailedScans(services, value, { count: knocked.failures, added: 1 })
    return { problem: INVALID_ACTIVATION_PROBLEM }
  }
  const { company } = knocked
  const activated = await activateSeat(services, knocked, value)
  if (typeof activated === 'string') {
    logManyFailedScans(services, value, { count: await countFailedScans(services, knocked.event.id, 1), added: 1 })
    return { problem: REFUSALS[activated], companyId: company.id }
  }
  const { config } = await readLeadSettings(knocked.place, { tenantId: knocked.tenantId, db: services.database.read, event: knocked.event })
  return { status: 201, body: withToken({ ...activated, company, qualifiers: listLeadQuestions(config) }), companyId: company.id }
}

function activateSeat(
  services: AppServices,
  at: ActivationCompany,
  { name, platform }: z.infer<typeof DeviceActivationBody>,
): Promise<ActivationResult> {
  const { tenantId, tenantCode, clientId, event, company } = at
  const actor = { kind: 'exhibitor' as const, id: company.id, name: company.name, app: { id: null, name: 'lead device' } }
  return commitChange(
    services.database,
    { name: ACTIVATE, clientId, eventId: event.id },
    (db) => ({ ...newContext(services, { tenantId, tenantCode, actor, cursorScope: '' }, db), event }),
    (ctx) => activateDevice(ctx, { companyId: company.id, name, platform }),
  )
}

/** Reveals the device token for the response to the activation, the only response that contains it. */
const withToken = <T extends { deviceToken: Secret }>(device: T) => ({ ...device, deviceToken: device.deviceToken.reveal() })
