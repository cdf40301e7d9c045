import type { IncomingMessage } from 'node:http'
import { readListWatermarkTime } from '../../domains/entities/list.ts'
import { pageCursorSchema, instantInputSchema } from '../../domains/entities/schemas.ts'
import { listDeviceLeads, type LeadCursor, updateDeviceLastSeen } from '../../domains/exhibitors/devices/list-leads.ts'
import { PAGE_SIZE_LIMITS } from '../rest/parameters.ts'
import { parseQueryInstant, type QueryParameter, parseQueryParameters, type QueryParameterValues } from '../rest/query.ts'
import { ProblemError } from '../rest/problem-error.ts'
import type { HttpProblem } from '../http/problem.ts'
import type { AppServices } from '../services.ts'
import { verifyLeadDevice, REVOKED_DEVICE_PROBLEM, readDeviceToken } from './device-admission.ts'
import type { LeadApiResponse } from './respond.ts'

export const LEAD_LIST_PARAMETERS: readonly QueryParameter[] = [
  { name: 'updatedSince', about: 'Only leads that changed after this instant.', schema: instantInputSchema() },
  {
    name: 'limit',
    about: 'Maximum number of leads per page.',
    schema: { type: 'integer', minimum: 1, maximum: PAGE_SIZE_LIMITS.maximum, default: PAGE_SIZE_LIMITS.default },
  },
  { name: 'cursor', about: 'The nextCursor of the previous page.', schema: pageCursorSchema() },
]

const CURSOR = 'lead cursor'

const INVALID_CURSOR: HttpProblem = {
  status: 400,
  code: 'invalid_cursor',
  detail: 'cursor: is not a nextCursor of this list with this updatedSince; start from page one',
  errors: [{ parameter: 'cursor', message: 'is not a nextCursor of this list with this updatedSince; start from page one' }],
}

/** `GET /api/public/lead-devices/leads`: the leads of the device's company, in order of change. */
export async function respondWithDeviceLeads(services: AppServices, request: IncomingMessage, address: string): Promise<LeadApiResponse> {
  const shown = readDeviceToken(request)
  if ('problem' in shown) return shown
  const asked = readListQuery(request.url ?? '')
  if ('problem' in asked) return asked
  if (shown.isTest)
    // The list of the built-in test event has a single empty page without a nextCursor, so every cursor sent for it is invalid.
    return asked.has('cursor')
      ? { problem: INVALID_CURSOR }
      : { status: 200, body: { data: [], pageInfo: { nextCursor: null, hasMore: false } } }
  const admitted = await verifyLeadDevice(services, shown.token, { address, badges: 1 })
  if (admitted.problem) return admitted
  const { device, settings } = admitted
  const { companyId } = device
  if (device.revoked) return { problem: REVOKED_DEVICE_PROBLEM, companyId }
  const { database, keys, baseUrl } = services
  const since = asked.get('updatedSince') ?? null
  const scope = JSON.stringify([device.deviceId, since])
  const cursor = asked.get('cursor')
  const opened = cursor === undefined ? null : keys.open(CURSOR, cursor, scope)
  if (cursor !== undefined && opened === null) return { problem: INVALID_CURSOR, companyId }
  await updateDeviceLastSeen(database.write, device)
  const { leads, next } = await listDeviceLeads({ db: database.read, keys, baseUrl }, device, settings, {
    after: opened && (JSON.parse(opened.toString('utf8')) as LeadCursor),
    updatedSince: since === null ? null : parseQueryInstant(since),
    // An incremental read ends at the horizon, the time before which all changes are committed, so that the next read misses none.
    horizon: since === null ? null : await readListWatermarkTime(database.read),
    limit: Number(asked.get('limit') ?? PAGE_SIZE_LIMITS.default),
  })
  const nextCursor = next && keys.seal(CURSOR, JSON.stringify(next), scope)
  return { status: 200, body: { data: leads, pageInfo: { nextCursor, hasMore: next !== null } }, companyId }
}

function readListQuery(url: string): QueryParameterValues | { problem: HttpProblem } {
  try {
    return parseQueryParameters(`http://local${url}`, LEAD_LIST_PARAMETERS)
  } catch (error) {
    if (error instanceof ProblemError) return { problem: error.problem }
    throw error
  }
}
