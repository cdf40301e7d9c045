import type { IncomingMessage } from 'node:http'
import { isDeviceRevoked, type VerifiedDevice, readDeviceSettings, verifyDevice } from '../../domains/exhibitors/devices/verify-device.ts'
import type { LeadSettings } from '../../domains/exhibitors/lead-settings.ts'
import { TEST_DEVICE_CODE } from '../../domains/exhibitors/sample-leads.ts'
import { Secret } from '../../kernel/secrets.ts'
import { readBearerToken } from '../http/bearer.ts'
import type { HttpProblem } from '../http/problem.ts'
import type { AppServices } from '../services.ts'
import { createTooManyRequestsProblem } from './problems.ts'

const UNKNOWN_DEVICE: HttpProblem = {
  status: 401,
  code: 'invalid_device',
  detail: 'This is not a valid device token at an open event — activate the device with the activation code of its company',
}

/**
 * The error for a revoked scanner. If the scanner was revoked while it was offline, its stored scans are still saved: the response to their
 * upload contains this error and their results.
 */
export const REVOKED_DEVICE_PROBLEM: HttpProblem = {
  status: 401,
  code: 'device_revoked',
  detail: 'This device no longer has a seat — activate it again with the activation code of its company',
}

export type DeviceVerificationResult = { device: VerifiedDevice; settings: LeadSettings; problem?: never } | { problem: HttpProblem }

/** The device token of a request, or the error if it is missing. */
export function readDeviceToken(request: IncomingMessage): { token: Secret; isTest: boolean } | { problem: HttpProblem } {
  const token = readBearerToken(request)
  return token === null ? { problem: UNKNOWN_DEVICE } : { token: new Secret(token), isTest: token === TEST_DEVICE_CODE }
}

/**
 * Verifies a device token and loads the event's settings for badges and leads. Revoked devices are returned too; the caller rejects them.
 */
export async function verifyLeadDevice(
  { database }: AppServices,
  token: Secret,
  asked: { address: string; badges: number },
): Promise<DeviceVerificationResult> {
  const verified = await verifyDevice(database.pool, token, asked)
  if (verified.kind === 'tooMany') return { problem: createTooManyRequestsProblem(verified.retryAfter) }
  if (verified.kind === 'unknown') return { problem: UNKNOWN_DEVICE }
  const { device } = verified
  const settings = await readDeviceSettings(database, device)
  const revoked = await isDeviceRevoked(database, device, settings.config.exhibitorConfig.leadLicencesNeedPayment)
  return { device: { ...device, revoked }, settings }
}
