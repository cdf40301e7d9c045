import type { IncomingMessage } from 'node:http'
import { readHorizon } from '../../domains/entities/list.ts'
import { instant, text } from '../../domains/entities/schemas.ts'
import { listDeviceLeads, type LeadPosition, noteSeen } from '../../domains/exhibitors/devices/list-leads.ts'
import { LISTED } from '../rest/parameters.ts'
import { instantOf, type Parameter, readQuery, type Values } from '../rest/query.ts'
import { Refused } from '../rest/refusal.ts'
import type { Problem } from '../http/problem.ts'
import type { Road } from '../road.ts'
import { admit, REVOKED_DEVICE, tokenOf } from './device-admission.ts'
import type { LeadReply } from './respond.ts'

const PARAMETERS: readonly Parameter[] = [
  { name: 'updatedSince', about: 'Only what changed after this instant.', schema: instant() },
  { name: 'limit', about: 'Leads on a page at most.', schema: { type: 'integer', minimum: 1, maximum: LISTED.maximum } },
  { name: 'cursor', about: 'The nextCursor of the page before.', schema: text() },
]

const CURSOR = 'lead cursor'

const INVALID_CURSOR: Problem = {
  status: 400,
  code: 'invalid_cursor',
  detail: 'cursor: is not a nextCursor of this list with this updatedSince; start from page one',
  errors: [{ parameter: 'cursor', message: 'is not a nextCursor of this list with this updatedSince; start from page one' }],
}

/** `GET /api/public/lead-devices/leads`: the leads of the device's company, in the order of change. */
export async function listLeads(road: Road, request: IncomingMessage, address: string): Promise<LeadReply> {
  const shown = tokenOf(request)
  if ('problem' in shown) return shown
  const asked = asking(request.url ?? '')
  if ('problem' in asked) return asked
  if (shown.isTest) return { status: 200, body: { data: [], pageInfo: { nextCursor: null, hasMore: false } } }
  const admitted = await admit(road, shown.token, { address, badges: 1 })
  if (admitted.problem) return admitted
  const { device, settings } = admitted
  const { companyId } = device
  if (device.revoked) return { problem: REVOKED_DEVICE, companyId }
  const { database, keys, baseUrl } = road
  const since = asked.get('updatedSince') ?? null
  const scope = JSON.stringify([device.deviceId, since])
  const cursor = asked.get('cursor')
  const opened = cursor === undefined ? null : keys.open(CURSOR, cursor, scope)
  if (cursor !== undefined && opened === null) return { problem: INVALID_CURSOR, companyId }
  await noteSeen(database.write, device)
  const { leads, next } = await listDeviceLeads({ db: database.read, keys, baseUrl }, device, settings, {
    after: opened && (JSON.parse(opened.toString('utf8')) as LeadPosition),
    updatedSince: since === null ? null : instantOf(since),
    // Nothing is held back from whoever reads all of it: only from those who will ask for what came after.
    horizon: since === null ? null : await readHorizon(database.read),
    limit: Number(asked.get('limit') ?? LISTED.default),
  })
  const nextCursor = next && keys.seal(CURSOR, JSON.stringify(next), scope)
  return { status: 200, body: { data: leads, pageInfo: { nextCursor, hasMore: next !== null } }, companyId }
}

function asking(url: string): Values | { problem: Problem } {
  try {
    return readQuery(`http://local${url}`, PARAMETERS)
  } catch (error) {
    if (error instanceof Refused) return { problem: error.problem }
    throw error
  }
}
