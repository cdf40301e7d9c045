import type { RequestHandler } from '../http/request-listener.ts'
import { processLeadScan } from './answer-scan.ts'
import { parseLeadScanQuery } from './query.ts'
import { createLeadRoute, type LeadEndpointContext } from './respond.ts'

export const LEAD_SCAN_PATH = '/api/public/lead-sdk'

/** `GET /api/public/lead-sdk`: returns what the wearer of a scanned badge shares with the company. */
export const createLeadScanEndpoint = (site: LeadEndpointContext): [string, RequestHandler] => [
  LEAD_SCAN_PATH,
  createLeadRoute(site, { path: LEAD_SCAN_PATH, method: 'GET' }, async (request, address) => {
    const query = parseLeadScanQuery(request.url ?? '')
    if ('problem' in query) return query
    const { companyId, ...answer } = await processLeadScan(site.services, query, address)
    return 'lead' in answer && answer.lead ? { status: 200, body: answer.lead, companyId } : { problem: answer.problem!, companyId }
  }),
]
