import type { HttpProblem } from '../http/problem.ts'

export const LEAD_SCAN_PARAMETERS = ['tenantCode', 'clientCode', 'eventCode', 'activationCode', 'badgeId'] as const

/** The parameters of one badge scan: the scanned badge, and the codes that identify the event and the exhibitor. */
export type LeadScanQuery = Record<(typeof LEAD_SCAN_PARAMETERS)[number], string>

/**
 * Reads the five query parameters of a scan, each of which must occur once. The badge is the scanned text, percent-encoded, with `+` for a
 * space.
 */
export function parseLeadScanQuery(url: string): LeadScanQuery | { problem: HttpProblem } {
  const start = url.indexOf('?')
  const query = new URLSearchParams(start < 0 ? '' : url.slice(start + 1))
  const given = Object.fromEntries(LEAD_SCAN_PARAMETERS.map((name) => [name, query.get(name) ?? ''])) as LeadScanQuery
  const errors = LEAD_SCAN_PARAMETERS.flatMap((parameter) => {
    const values = query.getAll(parameter)
    if (values.length > 1) return [{ parameter, message: 'is given more than once' }]
    return given[parameter] === '' ? [{ parameter, message: 'is missing or empty' }] : []
  })
  return errors.length === 0 ? given : { problem: missing(errors) }
}

const missing = (errors: { parameter: string; message: string }[]): HttpProblem => ({
  status: 400,
  code: 'missing_parameter',
  detail: `Required query parameters: ${errors.map(({ parameter, message }) => `${parameter} ${message}`).join(', ')}`,
  errors,
})
