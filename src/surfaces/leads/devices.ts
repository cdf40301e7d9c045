import type { RequestHandler } from '../http/request-listener.ts'
import { respondToActivation } from './activate-device.ts'
import { respondWithLeads } from './device-leads.ts'
import { leadRoute, type LeadReply, type LeadSite } from './respond.ts'
import { respondToSync } from './sync-device.ts'

export const DEVICES_PATH = '/api/public/lead-devices'

const ADDRESSES = [
  { path: DEVICES_PATH, method: 'POST', answer: respondToActivation },
  { path: `${DEVICES_PATH}/captures`, method: 'POST', answer: respondToSync },
  { path: `${DEVICES_PATH}/leads`, method: 'GET', answer: respondWithLeads },
] as const

/** Endpoints for offline-capable scanner apps, with one token per device. */
export const deviceEndpoints = (site: LeadSite): [string, RequestHandler][] =>
  ADDRESSES.map(({ path, method, answer }) => [
    path,
    leadRoute(site, { path, method, hasPreflight: true }, (request, address): Promise<LeadReply> =>
      answer(site.services, request, address),
    ),
  ])
