import type { Handle } from '../http/request-listener.ts'
import { activate } from './activate-device.ts'
import { listLeads } from './device-leads.ts'
import { leadRoute, type LeadReply, type LeadSite } from './respond.ts'
import { sync } from './sync-device.ts'

const PATH = '/api/public/lead-devices'

const ADDRESSES = [
  { path: PATH, method: 'POST', answer: activate },
  { path: `${PATH}/captures`, method: 'POST', answer: sync },
  { path: `${PATH}/leads`, method: 'GET', answer: listLeads },
] as const

/** For apps that keep what they scan until there is a connection, each on a device with a token of its own. */
export const deviceEndpoints = (site: LeadSite): [string, Handle][] =>
  ADDRESSES.map(({ path, method, answer }) => [
    path,
    leadRoute(site, { path, method, asksFirst: true }, (request, address): Promise<LeadReply> => answer(site.road, request, address)),
  ])
