import type { Problem } from '../http/problem.ts'

const NAMES = ['tenantCode', 'clientCode', 'eventCode', 'activationCode', 'badgeId'] as const

/** What somebody scanned, and with whose codes. */
export type Asked = Record<(typeof NAMES)[number], string>

/** The five parameters, each once. A badge is whatever was scanned: percent-encoded, with `+` for a blank. */
export function readLeadQuery(url: string): Asked | { problem: Problem } {
  const start = url.indexOf('?')
  const query = new URLSearchParams(start < 0 ? '' : url.slice(start + 1))
  const given = Object.fromEntries(NAMES.map((name) => [name, query.get(name) ?? ''])) as Asked
  const errors = NAMES.flatMap((parameter) => {
    const values = query.getAll(parameter)
    if (values.length > 1) return [{ parameter, message: 'is given more than once' }]
    return given[parameter] === '' ? [{ parameter, message: 'is missing or empty' }] : []
  })
  return errors.length === 0 ? given : { problem: missing(errors) }
}

const missing = (errors: { parameter: string; message: string }[]): Problem => ({
  status: 400,
  code: 'missing_parameter',
  detail: `Required query parameters: ${errors.map(({ parameter, message }) => `${parameter} ${message}`).join(', ')}`,
  errors,
})
