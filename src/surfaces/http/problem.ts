/** What a program is told when it is refused. `code` is what it may decide by; `detail` is for the person who reads its log. */
export interface Problem {
  status: 400 | 401 | 403 | 404 | 405 | 409 | 415 | 429 | 500 | 503
  /** As `badge_not_found`: never changes, and is the anchor of its page in the documentation. */
  code: string
  detail: string
  /** Every parameter that is wrong, so that one repair is enough. */
  errors?: readonly { parameter: string; message: string }[]
  /** Seconds. */
  retryAfter?: number
}

/** Where a refusal happened: who answers, and under which number it is found in the log. */
interface Occurrence {
  baseUrl: string
  reference: string
}

/** RFC 9457. */
export const problemBody = ({ status, code, detail, errors, retryAfter }: Problem, { baseUrl, reference }: Occurrence) => ({
  type: `${baseUrl}/docs/errors#${code}`,
  title: titleOf(code),
  status,
  detail,
  code,
  instance: reference,
  ...(errors ? { errors } : {}),
  ...(retryAfter === undefined ? {} : { retryAfter }),
})

export const problemHeaders = ({ retryAfter }: Problem): Record<string, string> => ({
  'content-type': 'application/problem+json',
  ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
})

/** The same words for the same code, whatever happened this time. */
const titleOf = (code: string) => code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ')
