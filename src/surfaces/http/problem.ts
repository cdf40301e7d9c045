/** An error response for programs. Programs decide by `code`; `detail` is for people who read the log. */
export interface Problem {
  status: 400 | 401 | 403 | 404 | 405 | 409 | 415 | 429 | 500 | 503
  /** Such as `badge_not_found`. It never changes, and it is the anchor of its section in the documentation. */
  code: string
  detail: string
  /** All invalid parameters, so that they can be fixed in one attempt. */
  errors?: readonly { parameter: string; message: string }[]
  /** In seconds. */
  retryAfter?: number
}

/** The server that responded, and the reference of the error in its log. */
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

/** The title depends only on the code. */
const titleOf = (code: string) => code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ')
