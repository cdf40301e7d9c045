import type { RequestHandler } from '../http/request-listener.ts'
import { respondToDeviceActivation } from './activate-device.ts'
import { respondWithDeviceLeads } from './device-leads.ts'
import { createLeadRoute, type LeadApiResponse, type LeadEndpointContext } from './respond.ts'
import { respondToScanSync } from './sync-device.ts'

export const LEAD_DEVICES_PATH = '/api/public/lead-devices'

const ADDRESSES = [
  { path: LEAD_DEVICES_PATH, method: 'POST', answer: respondToDeviceActivation },
  { path: `${LEAD_DEVICES_PATH}/captures`, method: 'POST', answer: respondToScanSync },
  { path: `${LEAD_DEVICES_PATH}/leads`, method: 'GET', answer: respondWithDeviceLeads },
] as const

/** Endpoints for offline-capable scanner apps, with one token per device. */
export const createLeadDeviceEndpoints = (site: LeadEndpointContext): [string, RequestHandler][] =>
  ADDRESSES.map(({ path, method, answer }) => [
    path,
    createLeadRoute(site, { path, method, hasPreflight: true }, (request, address): Promise<LeadApiResponse> =>
      answer(site.services, request, address),
    ),
  ])
