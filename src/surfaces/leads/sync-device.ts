import type { IncomingMessage } from 'node:http'
import { storeLeadCaptureBatch } from '../../domains/exhibitors/devices/capture.ts'
import { buildTestLeadCaptureResults } from '../../domains/exhibitors/devices/test-device.ts'
import { readJsonBody } from '../http/read-json-body.ts'
import type { AppServices } from '../services.ts'
import { verifyLeadDevice, REVOKED_DEVICE_PROBLEM, readDeviceToken } from './device-admission.ts'
import { MAX_DEVICE_REQUEST_BYTES, ScanSyncBody } from './device-bodies.ts'
import { logManyFailedScans } from './problems.ts'
import type { LeadApiResponse } from './respond.ts'

/** `POST /api/public/lead-devices/captures`: saves the scans a device made offline, and returns the result of each. */
export async function respondToScanSync(services: AppServices, request: IncomingMessage, address: string): Promise<LeadApiResponse> {
  const shown = readDeviceToken(request)
  if ('problem' in shown) return shown
  const sent = await readJsonBody(request, ScanSyncBody, MAX_DEVICE_REQUEST_BYTES)
  if ('problem' in sent) return sent
  const { captures } = sent.value
  if (shown.isTest) return { status: 200, body: { results: buildTestLeadCaptureResults(captures, new Date()) } }
  const admitted = await verifyLeadDevice(services, shown.token, { address, badges: captures.length })
  if (admitted.problem) return admitted
  const { device, settings } = admitted
  const { results, revoked, failures } = await storeLeadCaptureBatch(services, device, settings, sent.value)
  if (failures) logManyFailedScans(services, device, failures)
  const { companyId } = device
  // Scans that the device made before it was revoked are saved, and their results are returned together with the error.
  return revoked ? { problem: REVOKED_DEVICE_PROBLEM, more: { results }, companyId } : { status: 200, body: { results }, companyId }
}
