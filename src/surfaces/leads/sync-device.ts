import type { IncomingMessage } from 'node:http'
import { captureBatch } from '../../domains/exhibitors/devices/capture.ts'
import { testCaptures } from '../../domains/exhibitors/devices/test-device.ts'
import { readSentJson } from '../http/sent-json.ts'
import type { Road } from '../road.ts'
import { admit, REVOKED_DEVICE, tokenOf } from './device-admission.ts'
import { MOST_BYTES, Sync } from './device-bodies.ts'
import { alarmAt } from './refusals.ts'
import type { LeadReply } from './respond.ts'

/** `POST /api/public/lead-devices/captures`: what a device scanned since it last had a connection in, what became of each out. */
export async function sync(road: Road, request: IncomingMessage, address: string): Promise<LeadReply> {
  const shown = tokenOf(request)
  if ('problem' in shown) return shown
  const sent = await readSentJson(request, Sync, MOST_BYTES)
  if ('problem' in sent) return sent
  const { captures } = sent.value
  if (shown.isTest) return { status: 200, body: { results: testCaptures(captures, new Date()) } }
  const admitted = await admit(road, shown.token, { address, badges: captures.length })
  if (admitted.problem) return admitted
  const { device, settings } = admitted
  const { results, revoked, failures } = await captureBatch(road, device, settings, sent.value)
  if (failures) alarmAt(road, device, failures)
  const { companyId } = device
  // What it scanned while it had a seat was kept, and it is told so together with that it has none.
  return revoked ? { problem: REVOKED_DEVICE, more: { results }, companyId } : { status: 200, body: { results }, companyId }
}
