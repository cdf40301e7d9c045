import type { RequestHandler } from '../http/request-listener.ts'
import { respondActivation } from './activate-device.ts'
import { respondLeads } from './device-leads.ts'
import { leadRoute, type LeadReply, type LeadSite } from './respond.ts'
import { respondSync } from './sync-device.ts'

export const DEVICES_PATH = '/api/public/lead-devices'

const ADDRESSES = [
  { path: DEVICES_PATH, method: 'POST', answer: respondActivation },
  { path: `${DEVICES_PATH}/captures`, method: 'POST', answer: respondSync },
  { path: `${DEVICES_PATH}/leads`, method: 'GET', answer: respondLeads },
] as const

/** Endpoints for offline-capable scanner apps, with one token per device. */
export const deviceEndpoints = (site: LeadSite): [string, RequestHandler][] =>
  ADDRESSES.map(({ path, method, answer }) => [
    path,
    leadRoute(site, { path, method, hasPreflight: true }, (request, address): Promise<LeadReply> =>
      answer(site.services, request, address),
    ),
  ])
