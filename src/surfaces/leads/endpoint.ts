import type { RequestHandler } from '../http/request-listener.ts'
import { answerScan } from './answer-scan.ts'
import { readScanQuery } from './query.ts'
import { leadRoute, type LeadSite } from './respond.ts'

export const LEAD_PATH = '/api/public/lead-sdk'

/** `GET /api/public/lead-sdk`: returns what the wearer of a scanned badge shares with the company. */
export const leadEndpoint = (site: LeadSite): [string, RequestHandler] => [
  LEAD_PATH,
  leadRoute(site, { path: LEAD_PATH, method: 'GET' }, async (request, address) => {
    const query = readScanQuery(request.url ?? '')
    if ('problem' in query) return query
    const { companyId, ...answer } = await answerScan(site.services, query, address)
    return 'lead' in answer && answer.lead ? { status: 200, body: answer.lead, companyId } : { problem: answer.problem!, companyId }
  }),
]
