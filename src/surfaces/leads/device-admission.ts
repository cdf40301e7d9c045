import type { IncomingMessage } from 'node:http'
import { isRevoked, type KnownDevice, settingsAt, verifyDevice } from '../../domains/exhibitors/devices/verify.ts'
import type { LeadSettings } from '../../domains/exhibitors/lead-settings.ts'
import { TEST_CODE } from '../../domains/exhibitors/sample-leads.ts'
import { Secret } from '../../kernel/secrets.ts'
import { bearerOf } from '../http/bearer.ts'
import type { Problem } from '../http/problem.ts'
import type { Road } from '../road.ts'
import { tooMany } from './refusals.ts'

const UNKNOWN_DEVICE: Problem = {
  status: 401,
  code: 'invalid_device',
  detail: 'This is no token of a device at an event that is open — activate the device with the activation code of its company',
}

/** Also when it had a seat until now: what it scanned before it lost that is taken with this answer. */
export const REVOKED_DEVICE: Problem = {
  status: 401,
  code: 'device_revoked',
  detail: 'This device has no seat any more — activate it again with the activation code of its company',
}

export type Admitted = { device: KnownDevice; settings: LeadSettings; problem?: never } | { problem: Problem }

/** The token of a request, or why there is none. */
export function tokenOf(request: IncomingMessage): { token: Secret; isTest: boolean } | { problem: Problem } {
  const token = bearerOf(request)
  return token === null ? { problem: UNKNOWN_DEVICE } : { token: new Secret(token), isTest: token === TEST_CODE }
}

/** Whose token it is, and by what its badges and leads are read. One that was revoked is told so by whoever asks. */
export async function admit({ database }: Road, token: Secret, asked: { address: string; badges: number }): Promise<Admitted> {
  const verified = await verifyDevice(database.pool, token, asked)
  if (verified.kind === 'tooMany') return { problem: tooMany(verified.retryAfter) }
  if (verified.kind === 'unknown') return { problem: UNKNOWN_DEVICE }
  const { device } = verified
  const settings = await settingsAt(database, device)
  const revoked = await isRevoked(database, device, settings.config.exhibitorConfig.leadLicencesNeedPayment)
  return { device: { ...device, revoked }, settings }
}
