import type { Handle } from '../http/request-listener.ts'
import { askScan } from './ask-scan.ts'
import { readLeadQuery } from './query.ts'
import { leadRoute, type LeadSite } from './respond.ts'

export const LEAD_PATH = '/api/public/lead-sdk'

/** `GET /api/public/lead-sdk`: a scanned badge in, what its wearer shares with the company out. */
export const leadEndpoint = (site: LeadSite): [string, Handle] => [
  LEAD_PATH,
  leadRoute(site, { path: LEAD_PATH, method: 'GET' }, async (request, address) => {
    const query = readLeadQuery(request.url ?? '')
    if ('problem' in query) return query
    const { companyId, ...answer } = await askScan(site.road, query, address)
    return 'lead' in answer && answer.lead ? { status: 200, body: answer.lead, companyId } : { problem: answer.problem!, companyId }
  }),
]
